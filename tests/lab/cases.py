"""What the tests share: a folder of made-up files, and the commands of the lab."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import made
from hlg_lab import __main__


def lab(*arguments, seed):
    """In a process of its own, whose sets have another order with another seed."""
    env = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-B", "-m", "hlg_lab", *map(str, arguments)], env=env,
                   check=True)


def run(*arguments):
    """In this process."""
    if __main__.main([str(argument) for argument in arguments]) != 0:
        raise AssertionError("failed: %s" % (arguments,))


def score(folder, out, seed="1"):
    lab("score", folder / "texts.jsonl", "--prompts", folder / "prompts.jsonl",
        "--out", out / "harm.csv", seed=seed)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tmp = tempfile.TemporaryDirectory(prefix="hlg-lab-")
        cls.addClassCleanup(tmp.cleanup)
        cls.tmp = Path(tmp.name)
        cls.folder = made.folder(cls.tmp / "smollm2")

    def fails(self, words, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(__main__.main([str(argument) for argument in arguments]), 1)
        self.assertRegex(said.getvalue(), r"\Ahlg: [^\n]*%s[^\n]*\n\Z" % re.escape(words))

    def write(self, name, text):
        (self.tmp / name).write_text(text)
        return self.tmp / name
