"""Recorded folders for the tests: small made-up rows, and what is to be computed from them."""
import array
import csv
import json
import math
import random
import subprocess
from pathlib import Path

KINDS = ("chat", "code", "chat", "json", "chat", "code")
DEEP_TAIL = -math.log(1e-4)  # nats below the top token


def made_up_rows(n_vocab, n_rows=6, seed=1):
    """Rows like a model's: one nearly certain, one with masked tokens."""
    values = random.Random(seed)
    rows = [[values.gauss(0, 3) for _ in range(n_vocab)] for _ in range(n_rows)]
    rows[1][7] = 30.0
    rows[2][3:6] = [-math.inf] * 3
    return [array.array("f", row).tolist() for row in rows]


def record(folder, logits, name="tiny", **changes):
    """Writes what `hlg record` would; `changes` replace keys of record.json."""
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    (folder / "rows.f32").write_bytes(b"".join(array.array("f", row).tobytes() for row in logits))
    (folder / "rows.jsonl").write_text("".join(
        json.dumps({"row": i, "prompt": "p", "kind": KINDS[i % len(KINDS)], "recipe": "t1",
                    "seed": 1, "step": i, "token": 0}) + "\n" for i in range(len(logits))))
    header = {"format": 1, "program": "0", "rows": len(logits), "complete": True, "seed": 1,
              "model": {"file": name + ".gguf", "sha256": "0", "n_vocab": len(logits[0])}}
    (folder / "record.json").write_text(json.dumps({**header, **changes}))
    return folder


def run(*args):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False)


def read_csv(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def applied(hlg, folder, settings, n_vocab):
    """The log-probabilities of each row, from `hlg apply` under {knob: text}."""
    flags = [f"--hlg-{name.replace('_', '-')}={text}" for name, text in settings.items()
             if name != "temperature"]
    done = subprocess.run(
        [str(hlg), "apply", "--logits", str(folder / "rows.f32"), "--vocab", str(n_vocab),
         "--temp", settings["temperature"], *flags], capture_output=True, check=True)
    flat = array.array("f", done.stdout).tolist()
    return [normalised(flat[i:i + n_vocab]) for i in range(0, len(flat), n_vocab)]


def normalised(logits):
    """Log-softmax in double, -inf staying what it is."""
    top = max(logits)
    total = top + math.log(math.fsum(math.exp(x - top) for x in logits))
    return [x - total for x in logits]


def expected(logprobs, values):
    """The mean of values under a distribution; what is masked counts 0."""
    return math.fsum(math.exp(lp) * v for lp, v in zip(logprobs, values) if lp > -math.inf)


def entropy(logprobs):
    return -expected(logprobs, logprobs)


def distances(row):
    return [max(row) - x for x in row]


def deep_tail(logprobs, row):
    return expected(logprobs, [d > DEEP_TAIL for d in distances(row)])
