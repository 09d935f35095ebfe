"""The benchmark runs and reports every name; its report computes what it says.

usage: bench_test.py HLG_BENCH HLG_RECORD_ROWS
"""

import array
import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
import report  # noqa: E402

RECORD = sys.argv.pop()
BENCH = sys.argv.pop()

NAMES = [
    "read", "hlg-top-log", "hlg-top-fade", "hlg-entropy-fade", "hlg-median-fade",
    "hlg-top-fade-bf16", "hlg-top-fade-batch",
    "llama-fill-greedy", "llama-default", "llama-temp-dist", "llama-min-p", "llama-top-p",
    "llama-top-n-sigma", "llama-typical",
]
VOCABS = [1003, 4096]


def run(*args):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False)


def result(name, index, cpu_time, kind="iteration"):
    return {"run_name": name + "/100/cached", "name": name + "/100/cached", "run_type": kind,
            "rows": 16.0, "family_index": index, "cpu_time": cpu_time}


class Bench(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = Path(tmp.name)

    def rows(self, n_vocab):
        path = self.tmp / ("%d.f32" % n_vocab)
        values = random.Random(1)
        path.write_bytes(array.array("f", (values.gauss(0, 4) for _ in range(16 * n_vocab))))
        return path

    def test_every_name_is_measured(self):
        runs, out = self.tmp / "runs.json", self.tmp / "bench.json"
        done = run(BENCH, "--benchmark_min_time=0.001", "--benchmark_repetitions=3",
                   "--benchmark_enable_random_interleaving=true", "--benchmark_out=%s" % runs,
                   "--benchmark_out_format=json", *map(self.rows, VOCABS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report.main([str(runs), str(out)]), 0)
        found = json.loads(out.read_text())
        self.assertEqual([(r["name"], r["vocab"], r["rows"]) for r in found],
                         [(name, vocab, rows) for rows in ("cached", "memory")
                          for vocab in VOCABS for name in NAMES])
        for record in found:
            self.assertEqual(list(record), ["name", "vocab", "rows", "median_us", "over_read"])
            self.assertGreater(record["median_us"], 0, record)
            self.assertEqual(record["over_read"] == 1, record["name"] == "read", record)
        self.assertFalse(list(self.tmp.glob("*.part")))

    def test_report(self):
        runs = [result("llama-default", 2, 16 * 6), result("read", 0, 16 * 3),
                result("llama-default", 2, 16 * 8), result("read", 0, 16 * 2),
                result("llama-default", 2, 16 * 5), result("read", 0, 16 * 90),
                result("read", 0, 1, kind="aggregate"), result("llama-temp-dist", 1, 16 * 24)]
        times = report.times_per_row({"benchmarks": runs})
        self.assertEqual([tuple(record.values()) for record in report.records(times)], [
            ("read", 100, "cached", 3, 1), ("llama-temp-dist", 100, "cached", 24, 8),
            ("llama-default", 100, "cached", 6, 2)])
        self.assertRegex(report.table(times), r"llama-default +6\.0 +\d+% +2\.00 +4\.00x +1\.00x")

    def test_a_failed_run_is_no_figure(self):
        failed = dict(result("read", 0, 1), error_occurred=True, error_message="no token")
        with self.assertRaisesRegex(ValueError, "read/100/cached: no token"):
            report.times_per_row({"benchmarks": [failed]})

    def test_bad_files(self):
        short = self.tmp / "short.f32"
        short.write_bytes(bytes(4 * 15))
        for path in (short, self.tmp / "none.f32"):
            done = run(BENCH, path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("%s does not hold 16 rows" % path, done.stderr)
        done = run(RECORD, self.tmp / "none.gguf", self.tmp / "rows.f32")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot load", done.stderr)
        self.assertFalse((self.tmp / "rows.f32").exists())


if __name__ == "__main__":
    unittest.main()
