"""scripts/demo: the marks against a computation of our own, the layout, the errors, the end."""

import codecs
import math
import os
import pty
import re
import signal
import subprocess
import unicodedata

import pytest

from program import HLG, REPO, clean_env, model_path

DEMO = str(REPO / "scripts" / "demo")
WIDE = 1202  # a text is one line of a column
COLUMN = (WIDE - 4) // 3
HLG_COLUMNS = [{"enabled": False}, {"enabled": True, "toe_shape": "log"}, {"enabled": True}]
SCRIPT = "🙂🎉🚀 — ありがとう 🙂🎉🚀"  # what follows are characters of several tokens


def env_of(**extra):
    return clean_env(**{"HLG_BIN": HLG, "PYTHONIOENCODING": "utf-8", **extra})


def run_demo(*args, **env):
    return subprocess.run([DEMO, *args], env=env_of(**env), stdin=subprocess.DEVNULL, check=False,
                          capture_output=True, text=True, timeout=120)


def demo_text(*args, columns):
    done = run_demo("--model", model_path("smollm2"), *args, COLUMNS=str(columns))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def width_of(text):
    return sum(0 if unicodedata.category(c) in ("Mn", "Me") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def columns_of(line):
    """The texts of a line of the wide table."""
    texts, used = ["", "", ""], 0
    for char in line:
        texts[min(2, used // (COLUMN + 2))] += char
        used += width_of(char)
    return [text.strip() for text in texts]


def step(server, tokens, drawn):
    """The bytes of a drawn token, and whether the model's own distribution has it in the deep tail.

    The distribution is asked for in a step of its own, whose token is forced by a bias: raw
    probabilities do not show the bias, and a token that ends inside a character would hide them.
    """
    for n_probs in (6000, 49152):
        answer = server.complete(prompt=tokens, n_predict=1, temperature=0, n_probs=n_probs,
                                 logit_bias=[["a", 1000]])
        listed = answer["completion_probabilities"][0]["top_logprobs"]
        of_drawn = [t for t in listed if t["id"] == drawn]
        if of_drawn:
            ratio = math.exp(of_drawn[0]["logprob"] - listed[0]["logprob"])
            return bytes(of_drawn[0]["bytes"]), ratio < 1e-4
    raise AssertionError("token %d is not in the vocabulary" % drawn)


def marked_text(steps):
    """The text with [marked] tokens; a character of several tokens is marked for any of them."""
    text, piece, deep = "", "", False
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    for data, is_deep in steps:
        piece, deep = piece + decoder.decode(data), deep or is_deep
        if not decoder.getstate()[0]:
            text, piece, deep = text + marked(piece, deep), "", False
    if decoder.getstate()[0]:
        text += marked("\ufffd", deep)
    return text.strip(" ")


def marked(piece, deep):
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in piece)
    spaces, body = re.fullmatch("( *)(.*)", shown).groups()
    return spaces + ("[%s]" % body if deep else body)


def expected(server, prompt, temperature):
    """Of each column: the text of seed 1, and whether each token is deep, and reported."""
    start = server.post("/tokenize", {"content": prompt, "add_special": True})["tokens"]
    texts, tokens = [], []
    for hlg in HLG_COLUMNS:
        answer = server.complete(
            prompt=prompt, n_predict=8, temperature=temperature, seed=1, hlg=hlg,
            samplers=["temperature"], n_probs=1, return_tokens=True, cache_prompt=False)
        drawn = answer["tokens"]
        reported = {entry["id"] for entry in answer["completion_probabilities"]}
        steps = [step(server, start + drawn[:i], drawn[i]) for i in range(len(drawn))]
        texts.append(marked_text(steps))
        tokens.append([(deep, i in reported) for i, (_, deep) in zip(drawn, steps)])
    return texts, tokens


# The server reports no probability of a token that ends inside a character. In the first case such
# a token is from the deep tail, in the second one is not.
@pytest.mark.parametrize("prompt, temperature, unreported", [
    ("The museum is", 1.6, (True, False)), (SCRIPT, 1.2, (False, False))])
def test_marks_and_counts(start_server, prompt, temperature, unreported):
    """Each text with its marks, and the counts, as worked out here from the server's answers."""
    texts, tokens = expected(start_server("smollm2", "--special"), prompt, temperature)
    lines = demo_text("--prompt", prompt, "--seeds", "1", "--tokens", "8",
                      "--temperature", str(temperature), columns=WIDE).splitlines()
    assert columns_of(lines[lines.index("seed 1") + 1]) == texts
    counts = [(sum(deep for deep, _ in column), len(column)) for column in tokens]
    shares = ["%d of %d (%.1f %%)" % (deep, n, 100 * deep / n) for deep, n in counts]
    assert columns_of(lines[lines.index("deep-tail tokens") + 1]) == shares
    assert {(True, True), (False, True), unreported} <= {t for column in tokens for t in column}


def test_structure():
    lines = demo_text("--seeds", "2", "--tokens", "4", "--hlg-toe", "2", columns=100).splitlines()
    titles = [i for i, line in enumerate(lines)
              if re.fullmatch(r"temperature 1\.3 +HLG, log toe +HLG, fade toe", line)]
    assert len(titles) == 1 and lines[titles[0] + 2] == "seed 1"
    order = [next(i for i, line in enumerate(lines) if part in line) for part in (
        "no other sampler", "seed 1", "seed 2", "deep-tail tokens", "prove nothing",
        "toe 2, toe_shape log", "toe 2, toe_shape fade")]
    assert order == sorted(order)
    assert sum(line.startswith("slope") for line in lines) == 2


@pytest.mark.parametrize("columns", [30, 60])
def test_fits_a_narrow_terminal(columns):
    """Also with wide characters. Where three columns do not fit, one text stands below another."""
    text = demo_text("--prompt", "ありがとう" * 8, "--seeds", "1", "--tokens", "9", columns=columns)
    assert max(map(width_of, text.splitlines())) <= columns
    assert ("-- HLG, fade toe" in text) == (columns == 30)


def on_a_terminal(*args, **env):
    """What the demo writes when its output is a terminal."""
    ours, theirs = pty.openpty()
    demo = subprocess.Popen([DEMO, "--model", model_path("smollm2"), *args], stdout=theirs,
                            stdin=subprocess.DEVNULL, env=env_of(TERM="xterm", **env))
    os.close(theirs)
    output = b""
    try:
        while block := os.read(ours, 1 << 16):
            output += block
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert demo.wait(10) == 0
    return output


def test_colour():
    args = ("--seeds", "1", "--tokens", "8", "--temperature", "2")
    coloured = on_a_terminal(*args)
    assert b"\x1b[4;31m" in coloured and b"Underlined" in coloured
    plain = on_a_terminal(*args, NO_COLOR="1")
    assert b"\x1b" not in plain and b"In [brackets]" in plain


@pytest.mark.parametrize("args, parts", [
    (["--seeds", "0"], ["--seeds: '0'", "from 1 to 100"]),
    (["--seeds", "two"], ["--seeds: 'two'", "whole number"]),
    (["--tokens", "1.5"], ["--tokens: '1.5'", "from 1 to 1000"]),
    (["--temperature", "nan"], ["--temperature: 'nan'", "from 0.1 to 10"]),
    (["--temperature", "-1"], ["--temperature: '-1'", "from 0.1 to 10"]),
    (["--prompt", ""], ["--prompt: ''"]),
    (["--hlg-width", "99"], ["--hlg-width", "99", "40"]),
    (["--hlg-width"], ["--hlg-width", "1 required"]),
    (["--speed", "2"], ["unknown argument --speed"]),
    (["prompt"], ["unknown argument prompt"]),
    (["--model", "none"], ["unknown model none", "smollm2"]),
    (["--model", "no/model.gguf"], ["no such file: no/model.gguf"]),
    (["--model", DEMO], ["did not come up with " + DEMO, "not a GGUF file"]),
])
def test_error_is_one_line(args, parts):
    done = run_demo(*args)
    assert done.returncode in (1, 2) and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert [part for part in parts if part not in done.stderr] == []


def test_no_program():
    done = run_demo(HLG_BIN="/no/hlg")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "hlg: no program at /no/hlg: run `make build`\n"


def start_endless():
    """A demo in its first rows, and the process of its server."""
    args = ["--model", model_path("smollm2"), "--seeds", "100", "--tokens", "20"]
    demo = subprocess.Popen([DEMO, *args], env=env_of(), stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while "seed 1" not in demo.stdout.readline():
        assert demo.poll() is None
    children = subprocess.run(["pgrep", "-P", str(demo.pid)], check=True, capture_output=True)
    return demo, int(children.stdout)


@pytest.mark.parametrize("how, status", [
    (signal.SIGINT, 130), (signal.SIGTERM, 143), ("closed pipe", 0)])
def test_stops_its_server(how, status):
    """On Ctrl-C, when terminated, and when the reader of a pipe goes away; without a word."""
    demo, server = start_endless()
    if how == "closed pipe":
        demo.stdout.close()
    else:
        demo.send_signal(how)
    assert demo.wait(60) == status
    assert demo.stderr.read() == ""
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)
