"""hlg record: what the folder holds, that it comes out the same again, and after a kill too.

usage: record_test.py HLG
"""

import array
import collections
import contextlib
import fcntl
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[1]
HLG = sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/hlg"
MODEL = subprocess.run([ROOT / "scripts/fetch-model", "smollm2"], check=True, text=True,
                       stdout=subprocess.PIPE).stdout.strip()
DATA = ("rows.f32", "rows.jsonl")
END = 2  # SmolLM2's token at the end of an answer
PROMPTS = [
    {"id": "one", "kind": "text", "text": "The sea is"},
    {"id": "two", "kind": "chat", "text": "What is the sea?", "chat": True},
    {"id": "three", "kind": "maths", "text": "12 + 30 =", "answer": "42"},
]


@contextlib.contextmanager
def open_folder(path):
    folder = os.open(path, os.O_RDONLY)
    try:
        yield folder
    finally:
        os.close(folder)


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.write_prompts("\n".join(map(json.dumps, PROMPTS)))

    def tearDown(self):
        self.folder.cleanup()

    def write_prompts(self, text):
        (self.path / "prompts.jsonl").write_text(text + "\n")

    def command(self, out, rows=20, every=2, lanes=2, seed=1):
        return [HLG, "record", "-m", MODEL, "--prompts", self.path / "prompts.jsonl", "--out",
                self.path / out, "--rows", str(rows), "--every", str(every), "--lanes", str(lanes),
                "--seed", str(seed), "--threads", "1"]

    def run_record(self, out, preexec_fn=None, **settings):
        return subprocess.run(self.command(out, **settings), capture_output=True, text=True,
                              check=False, preexec_fn=preexec_fn)

    def record(self, out, **settings):
        done = self.run_record(out, **settings)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return self.files(out)

    def files(self, out):
        return {p.name: p.read_bytes() for p in (self.path / out).iterdir()}

    def refused(self, out, line, **settings):
        done = self.run_record(out, **settings)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(line, done.stderr)

    def test_what_is_in_the_folder(self):
        files = self.record("a")
        self.assertEqual(set(files), {"record.json", "rows.f32", "rows.jsonl"})
        header = json.loads(files["record.json"])
        self.assertEqual(header["model"]["sha256"],
                         hashlib.sha256(Path(MODEL).read_bytes()).hexdigest())
        self.assertTrue(header["complete"])
        n_vocab = header["model"]["n_vocab"]
        lines = [json.loads(line) for line in files["rows.jsonl"].splitlines()]
        self.assertEqual([line["row"] for line in lines], list(range(20)))
        counts = collections.Counter((line["prompt"], line["recipe"]) for line in lines)
        self.assertEqual(list(counts), [(p["id"], r) for p in PROMPTS for r in ("t1", "model")])
        self.assertEqual(list(counts.values()), [4, 4, 3, 3, 3, 3])
        rows = array.array("f", files["rows.f32"])
        self.assertEqual(len(rows), 20 * n_vocab)
        for line in lines:
            row = rows[line["row"] * n_vocab:][:n_vocab]
            distance = max(row) - row[line["token"]]
            self.assertLess(distance, 4 if line["recipe"] == "model" else 30, line)

    def test_a_text_that_ends_begins_again(self):
        questions = ["Is water wet?", "Is ice warm?", "Is the sea salty?"]
        self.write_prompts("\n".join(json.dumps(
            {"id": q, "kind": "chat", "chat": True, "text": "Answer with one word only. " + q})
            for q in questions))
        lines = self.record("a", rows=96, every=1, lanes=6)["rows.jsonl"]
        lines = [json.loads(line) for line in lines.splitlines()]
        ends = 0
        for before, after in zip(lines, lines[1:]):
            is_same_text = before["seed"] == after["seed"]
            self.assertEqual(after["step"], before["step"] + 1 if is_same_text else 0)
            if (before["prompt"], before["recipe"]) != (after["prompt"], after["recipe"]):
                continue
            ends += before["token"] == END
            self.assertEqual(is_same_text, before["token"] != END)
        self.assertGreater(ends, 0)

    def test_the_same_again_and_another_seed(self):
        files = self.record("a")
        times = [(self.path / "a" / name).stat().st_mtime_ns for name in DATA]
        self.assertEqual(self.record("a"), files)
        self.assertEqual([(self.path / "a" / name).stat().st_mtime_ns for name in DATA], times)
        self.assertEqual(self.record("b"), files)
        self.assertNotEqual(self.record("c", seed=2)["rows.jsonl"], files["rows.jsonl"])

    def test_goes_on_after_a_kill(self):
        files = self.record("a")
        with subprocess.Popen(self.command("b")) as process:
            lines = self.path / "b" / "rows.jsonl"
            while not (lines.exists() and lines.stat().st_size) and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        self.assertFalse(json.loads(self.files("b")["record.json"])["complete"])
        self.assertLess(len(self.files("b")["rows.f32"]), len(files["rows.f32"]))
        rows = self.path / "b" / "rows.f32"
        marked = bytes([rows.read_bytes()[0] ^ 1])  # to see that the first row is not made anew
        with rows.open("r+b") as file:
            file.write(marked)
        self.assertEqual(self.record("b"),
                         {**files, "rows.f32": marked + files["rows.f32"][1:]})

    def test_drops_what_is_half_written(self):
        files = self.record("a")
        for name, size in (("rows.f32", 12345678 % len(files["rows.f32"])), ("rows.jsonl", 700)):
            (self.path / "a" / name).write_bytes(files[name][:size])
            self.assertEqual(self.record("a"), files)
        (self.path / "a" / "rows.jsonl").write_bytes(files["rows.jsonl"] + b'{"row":20,"pro')
        self.assertEqual(self.record("a"), files)

    def test_rows_that_are_lost_make_a_recording_incomplete(self):
        """Also when the run that makes them again is killed, here by what it may write."""
        files = self.record("a")
        size = len(files["rows.f32"]) // 2
        (self.path / "a" / "rows.f32").write_bytes(files["rows.f32"][:size])
        done = self.run_record("a", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual(done.returncode, -signal.SIGXFSZ, done.stderr)
        self.assertFalse(json.loads(self.files("a")["record.json"])["complete"])
        self.assertEqual(self.record("a"), files)

    def test_refusals(self):
        self.record("a")
        self.refused("a", "record.json is of another run: seed is 1, not 2: give another folder",
                     seed=2)
        (self.path / "a" / "record.json").unlink()
        self.refused("a", "rows.f32 is there without record.json: give another folder")
        (self.path / "c").mkdir()
        with open_folder(self.path / "c") as folder:
            fcntl.flock(folder, fcntl.LOCK_EX)
            self.refused("c", "c: another run is writing there")
        self.record("c")

    def test_bad_prompts_leave_nothing_behind(self):
        good = json.dumps(PROMPTS[0])
        for prompt, line in (
                ({"id": "two"},
                 "prompts.jsonl:3: kind: null is not allowed: give a text that is not empty"),
                ({**PROMPTS[1], "text": 5},
                 "prompts.jsonl:3: text: 5 is not allowed: give a text that is not empty"),
                ({**PROMPTS[1], "chat": "no"},
                 'prompts.jsonl:3: chat: "no" is not allowed: give true or false'),
                (PROMPTS[0], 'prompts.jsonl:3: id: "one" is not allowed: give another'),
                ([1], "prompts.jsonl:3: this is not an object in JSON"),
                ({**PROMPTS[1], "text": "word " * 9000}, " tokens: the model holds 8192")):
            self.write_prompts(f"{good}\r\n \n{json.dumps(prompt)}")
            self.refused("b", line)
        self.write_prompts("")
        self.refused("b", "prompts.jsonl: no prompts")
        self.assertFalse((self.path / "b").exists())

    def test_answers_are_not_for_the_program(self):
        self.write_prompts(json.dumps({**PROMPTS[0], "answer": ["blue", 42]}))
        self.record("a", rows=1)


if __name__ == "__main__":
    unittest.main()
