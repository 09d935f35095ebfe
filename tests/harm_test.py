"""hlg harm on a real model: the same bytes again, also after a stop; what the lines say.

usage: harm_test.py HLG
"""

import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HLG = sys.argv.pop()
ROOT = Path(__file__).parents[1]
MODEL = subprocess.check_output([ROOT / "scripts/fetch-model", "smollm2"], text=True).strip()

PROMPTS = [
    {"id": "chat-01", "kind": "chat", "chat": True, "text": "How do I boil an egg?"},
    {"id": "story-01", "kind": "story", "text": "The old lighthouse keeper looked out to sea and"},
    {"id": "code-01", "kind": "code", "text": "def area(width, height):\n    return"},
]
LOWEST = {0: 0, 11: -12, 12: -14, 13: -16, 14: -20, 15: -40}


class Harm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tmp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(tmp.cleanup)
        cls.tmp = Path(tmp.name)
        cls.prompts = cls.tmp / "prompts.jsonl"
        cls.prompts.write_text("".join(json.dumps(p) + "\n" for p in PROMPTS))
        cls.first = cls.tmp / "first"
        cls.check(cls.run_harm(cls.first))
        cls.texts = (cls.first / "texts.jsonl").read_bytes()
        cls.lines = [json.loads(line) for line in cls.texts.splitlines()]

    @classmethod
    def run_harm(cls, out, *more, prompts=None, tokens="2", **options):
        return subprocess.run(
            [HLG, "harm", "-m", MODEL, "--judge", MODEL, "--prompts", prompts or cls.prompts,
             "--out", out,
             "--prefixes", "4", "--tokens", tokens, "--lanes", "3", "--threads", "1", *more],
            capture_output=True, text=True, check=False, **options)

    @staticmethod
    def check(done):
        if done.returncode != 0 or done.stderr:
            raise AssertionError(done.stderr)

    def test_a_second_run_gives_the_same_bytes(self):
        second = self.tmp / "second"
        self.check(self.run_harm(second))
        for name in ("texts.jsonl", "harm.json"):
            self.assertEqual((second / name).read_bytes(), (self.first / name).read_bytes())

    def test_a_run_that_was_stopped_goes_on(self):
        settings = json.loads((self.first / "harm.json").read_text())
        self.assertTrue(settings["complete"])
        for size in (1000, len(self.texts) - 1):
            stopped = self.tmp / ("stopped-%d" % size)
            stopped.mkdir()
            (stopped / "harm.json").write_text(json.dumps({**settings, "complete": False}))
            (stopped / "texts.jsonl").write_bytes(self.texts[:size])
            self.check(self.run_harm(stopped))
            self.assertEqual((stopped / "texts.jsonl").read_bytes(), self.texts)

    def test_texts_that_are_lost_make_a_run_incomplete(self):
        """Also when the run that makes them again is killed, here by what it may write."""
        short = self.tmp / "short"
        shutil.copytree(self.first, short)
        size = len(self.texts) // 2
        (short / "texts.jsonl").write_bytes(self.texts[:size])
        done = self.run_harm(short, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual(done.returncode, -signal.SIGXFSZ, done.stderr)
        self.assertFalse(json.loads((short / "harm.json").read_text())["complete"])
        self.check(self.run_harm(short))
        self.assertEqual((short / "texts.jsonl").read_bytes(), self.texts)
        self.assertTrue(json.loads((short / "harm.json").read_text())["complete"])

    def test_a_run_with_other_settings_is_refused(self):
        done = self.run_harm(self.first, "--seed", "2")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr,
                         r"^hlg harm: .*harm\.json is of another run: seed is 1, not 2: .*\n$")

    def test_a_run_by_the_old_rule_is_refused(self):
        old = self.tmp / "old"
        shutil.copytree(self.first, old)
        settings = json.loads((old / "harm.json").read_text())
        (old / "harm.json").write_text(json.dumps({**settings, "format": 1}))
        done = self.run_harm(old)
        self.assertIn("harm.json is of another run: format is 1, not 2", done.stderr)

    def test_texts_of_another_prefix_are_made_anew(self):
        changed = self.tmp / "changed"
        shutil.copytree(self.first, changed)
        wrong = self.texts.replace(b'{"prefix":2,', b'{"prefix":3,', 1)
        self.assertNotEqual(wrong, self.texts)
        (changed / "texts.jsonl").write_bytes(wrong)
        self.check(self.run_harm(changed))
        self.assertEqual((changed / "texts.jsonl").read_bytes(), self.texts)

    def test_texts_without_settings_are_refused(self):
        alone = self.tmp / "alone"
        alone.mkdir()
        (alone / "texts.jsonl").write_bytes(self.texts)
        done = self.run_harm(alone)
        self.assertEqual(done.returncode, 1)
        self.assertIn("texts.jsonl is there without harm.json: give another folder", done.stderr)
        self.assertEqual(os.listdir(alone), ["texts.jsonl"])

    def test_bad_prompts_leave_nothing_behind(self):
        bad = self.tmp / "bad.jsonl"
        bad.write_text('{"id": "one"}\n')
        out = self.tmp / "nothing"
        done = self.run_harm(out, prompts=bad)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("bad.jsonl:1: ", done.stderr)
        self.assertFalse(out.exists())

    def test_each_prefix_has_its_bands_and_a_control(self):
        for prefix in range(4):
            lines = [line for line in self.lines if line["prefix"] == prefix]
            bands = [line["band"] for line in lines]
            self.assertEqual(bands, sorted(set(bands) - {-1}) + [-1])
            self.assertGreater(len(bands), 10)
            self.assertEqual({line["before"] for line in lines}, {lines[0]["before"]})
            prompt = PROMPTS[prefix % 3]
            self.assertEqual({line["prompt"] for line in lines}, {prompt["id"]})
            self.assertEqual(lines[0]["before"].startswith(prompt["text"]), "chat" not in prompt)

    def test_a_token_is_of_its_band(self):
        for line in self.lines:
            if line["band"] < 0:
                continue
            low = LOWEST.get(line["band"], -line["band"])
            self.assertEqual(line["low"], low)
            self.assertTrue(low <= line["z_top"] <= line["high"], line)
            self.assertEqual(line["rank"] == 0, line["band"] == 0)

    def test_a_model_judges_its_own_tokens_as_it_drew_them(self):
        """Where the text falls into the same tokens again: most often."""
        differences = [abs(line["judge_nll_forced"] + line["logprob"]) for line in self.lines
                       if line["judge_nll_forced"] is not None]
        self.assertGreater(len(differences), 0.8 * len(self.lines))
        self.assertLess(statistics.median(differences), 0.05)

    def test_what_follows_counts_by_the_token(self):
        """Two tokens more have at least half of the first one's nats each, and often less than
        all of them; their sum never has."""
        one = self.tmp / "one"
        self.check(self.run_harm(one, tokens="1"))
        pairs = [(line["judge_nll_rest"], longer["judge_nll_rest"]) for line, longer in zip(
            map(json.loads, (one / "texts.jsonl").read_text().splitlines()), self.lines)
            if line["text"] and longer["text"].startswith(line["text"])
            and line["judge_nll_rest"] is not None]
        self.assertGreater(len(pairs), 0.5 * len(self.lines))
        close = [longer >= first / 2 - 0.05 for first, longer in pairs]
        self.assertGreater(statistics.mean(close), 0.9)  # two tokens in one word are judged as one
        self.assertGreater(sum(longer < 0.9 * first for first, longer in pairs), 10)


if __name__ == "__main__":
    unittest.main()
