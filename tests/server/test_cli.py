"""The command line: bad settings end with status 2 and one line (case 27)."""

import pytest

from program import model_path, run_hlg

# Of each flag: values that are not allowed, and what the message must offer instead.
BAD = {
    "--hlg-sampling": (["true", "1", "On", ""], ["off", "on"]),
    "--hlg-pivot": (["Top", "off", "1", ""], ["top", "entropy", "median"]),
    "--hlg-pivot-offset": (["nan", "-1", "40.1", "off", ""], ["0", "40"]),
    "--hlg-width": (["nan", "inf", "abc", "-1", "", "40.1", "OFF", "0x4", "4 "],
                    ["0", "40", "off"]),
    "--hlg-shoulder": (["nan", "0", "0.049", "1000.1", ""], ["0.05", "1000", "off"]),
    "--hlg-toe": (["inf", "0", "0.049", "1000.1", "six", ""], ["0.05", "1000", "off"]),
    "--hlg-toe-shape": (["Log", "off", "hlg", ""], ["log", "fade"]),
}
LEGAL = {
    "--hlg-sampling": "on", "--hlg-pivot": "entropy", "--hlg-pivot-offset": "40",
    "--hlg-width": "off", "--hlg-shoulder": "off", "--hlg-toe": "off", "--hlg-toe-shape": "fade",
}
BAD_PAIRS = [(flag, value) for flag, (values, _) in BAD.items() for value in values]


def env_name(flag):
    return "LLAMA_ARG" + flag[1:].replace("-", "_").upper()


def assert_refused(done, source, value, flag):
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    name_and_value, _, allowed = lines[0].partition(" is not allowed: give ")
    assert name_and_value == "hlg: %s: '%s'" % (source, value)
    words = allowed.replace(",", "").split()
    assert [w for w in BAD[flag][1] if w not in words] == []


@pytest.mark.parametrize("flag, value", BAD_PAIRS)
def test_bad_flag(flag, value):
    """Case 27."""
    assert_refused(run_hlg("serve", flag, value), flag, value, flag)


@pytest.mark.parametrize("flag, value", BAD_PAIRS)
def test_bad_environment(flag, value):
    """Case 27, for LLAMA_ARG_HLG_*."""
    name = env_name(flag)
    assert_refused(run_hlg("serve", **{name: value}), name, value, flag)


@pytest.mark.parametrize("flag", BAD)
def test_flag_without_value(flag):
    done = run_hlg("serve", flag)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and flag in done.stderr


def test_legal_flags():
    """Case 27: off is accepted where it is legal."""
    done = run_hlg("serve", *[word for pair in LEGAL.items() for word in pair], "--help")
    assert done.returncode == 0, done.stderr
    assert [flag for flag in LEGAL if flag not in done.stdout] == []
    assert [flag for flag in LEGAL if env_name(flag) not in done.stdout] == []


def test_legal_environment():
    done = run_hlg("serve", "--help", **{env_name(f): v for f, v in LEGAL.items()})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("flags, names", [
    (["--mirostat", "2"], ["mirostat", "2", "hlg"]),
    (["--temp", "inf"], ["temperature: inf", "hlg", "a number that is finite"]),
])
def test_conflict_at_start(flags, names):
    """Case 23 and 5 at start-up: one line of ours after the log of the loading, status 2."""
    done = run_hlg("serve", "-m", model_path("smollm2"), "--hlg-sampling", "on", "--port", "0",
                   *flags)
    assert done.returncode == 2
    ours = [line for line in done.stderr.splitlines() if line.startswith("hlg: ")]
    assert len(ours) == 1 and done.stderr.endswith(ours[0] + "\n")
    assert [n for n in names if n not in ours[0]] == []


@pytest.mark.parametrize("words", [["srve"], ["serve2"], ["-m"], [""]])
def test_unknown_command(words):
    done = run_hlg(*words)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr
    if words[0]:
        assert len(done.stderr.splitlines()) == 1 and words[0] in done.stderr


@pytest.mark.parametrize("word", ["version", "--version"])
def test_version(word):
    """One line for hlg, one for llama.cpp."""
    done = run_hlg(word)
    assert done.returncode == 0 and done.stderr == ""
    ours, theirs = done.stdout.splitlines()
    assert ours.split()[0] == "hlg" and ours.split()[1][0].isdigit()
    assert theirs.split()[0] == "llama.cpp" and len(theirs.split()) == 2
