"""scripts/lab with a program that only says what it was asked and gives made-up results."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import made

ROOT = Path(__file__).parents[2]
PROGRAM = '''#!/usr/bin/env bash
set -e
echo "$*" >>"$MADE/calls"
take() { mkdir -p "$2" && cp -p "$MADE/$1" "$2/$1"; }
option() { local name=$1; shift; while [ "$1" != "$name" ]; do shift; done; echo "$2"; }
case "$1 $2" in
  "record "*) to=$(option --out "$@"); take rows.jsonl "$to"; take record.json "$to" ;;
  "kl "*) cat "$MADE/kl.csv" ;;
  "harm fit") cat "$MADE/fit.json" ;;
  "harm "*) to=$(option --out "$@"); take texts.jsonl "$to"; take harm.json "$to" ;;
  "sweep "*) cat "$MADE/sweep.csv" ;;
esac
'''


class Pipeline(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory(prefix="hlg-lab-")
        self.addCleanup(tmp.cleanup)
        self.made = made.folder(Path(tmp.name) / "made")
        (self.made / "rows.jsonl").touch()
        self.program, self.out = Path(tmp.name) / "hlg", Path(tmp.name) / "out"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def lab(self, *arguments):
        """The commands that the program was given."""
        calls = self.made / "calls"
        calls.write_text("")
        env = {**os.environ, "HLG_BIN": str(self.program), "MADE": str(self.made),
               "HLG_PROMPTS": str(self.made / "prompts.jsonl")}
        subprocess.run([ROOT / "scripts/lab", "--out", self.out, *arguments], check=True, env=env,
                       stderr=subprocess.PIPE)
        return [line.split() for line in calls.read_text().splitlines()]

    def test_steps(self):
        """Every step runs; again: only what goes on by itself; then what a newer file asks for."""
        first = self.lab("--threads", "3", "--rows", "5", "--prefixes", "7")
        self.assertEqual([" ".join(call[:2]) if call[1] == "fit" else call[0] for call in first],
                         ["record", "kl", "harm", "harm fit", "sweep"])
        for call in first:
            self.assertEqual(" ".join(call).count("--threads 3"), 1, call)
        self.assertIn("--rows 5 ", " ".join(first[0]))
        self.assertIn("--prefixes 7 ", " ".join(first[2]))
        for name in ("smollm2/kl.csv", "harm.csv", "fit.json", "sweep.csv", "compare.csv",
                     "report/report.html"):
            self.assertTrue((self.out / name).is_file(), name)
        self.assertEqual((self.out / "report/report.md").read_text().count("\n## "), 6)
        self.assertEqual([call[0] for call in self.lab()], ["record", "harm"])
        (self.made / "rows.jsonl").touch()
        self.assertEqual([call[0] for call in self.lab()], ["record", "kl", "harm", "sweep"])

    def test_too_few_prefixes(self):
        done = subprocess.run([ROOT / "scripts/lab", "--prefixes", "3"], check=False, text=True,
                              stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "hlg: --prefixes: 3 is not allowed: give 4 or more\n"))


if __name__ == "__main__":
    unittest.main()
