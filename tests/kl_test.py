"""hlg kl: its numbers are those computed here from the output of hlg apply; its errors are a line.

usage: kl_test.py HLG
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import recorded  # noqa: E402

HLG = Path(sys.argv.pop()).resolve()
N_VOCAB = 300
BANDS = {"0_1": (0, 1), "1_2": (1, 2), "2_4": (2, 4), "4_6": (4, 6), "6_8": (6, 8), "8_10": (8, 10),
         "10_14": (10, 14), "14_20": (14, 20), "over_20": (20, math.inf)}


def divergence(p, q):
    return recorded.expected(p, [a - b if a > -math.inf else 0 for a, b in zip(p, q)])


def metrics(row, hlg, temp):
    """What a line of the table says, for one row."""
    found = {
        "kl_hlg_temp": divergence(hlg, temp), "kl_temp_hlg": divergence(temp, hlg),
        "total_variation": math.fsum(abs(math.exp(a) - math.exp(b)) for a, b in zip(hlg, temp)) / 2,
        "entropy_before": recorded.entropy(temp), "entropy_after": recorded.entropy(hlg),
        "effective_after": math.exp(recorded.entropy(hlg)),
        "deep_tail_before": recorded.deep_tail(temp, row),
        "deep_tail_after": recorded.deep_tail(hlg, row),
        "top_before": math.exp(max(temp)), "top_after": math.exp(max(hlg))}
    for name, (low, high) in BANDS.items():
        inside = [low <= d < high or d == high for d in recorded.distances(row)]
        found["mass_" + name] = recorded.expected(hlg, inside)
    return found


class Kl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tmp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.tmp.cleanup)
        cls.path = Path(cls.tmp.name)
        cls.rows = recorded.made_up_rows(N_VOCAB)
        cls.folder = recorded.record(cls.path / "recording", cls.rows)
        cls.csv, cls.json = cls.path / "kl.csv", cls.path / "kl.json"
        done = recorded.run(HLG, "kl", cls.folder, "--csv", cls.csv, "--json", cls.json,
                            "--threads=1")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        cls.table = recorded.read_csv(cls.csv)

    def rows_of(self, kind):
        return [i for i in range(len(self.rows)) if kind in ("all", recorded.KINDS[i])]

    def check_line(self, line):
        settings = {name: line[name] for name in ("pivot", "toe_shape", "temperature")}
        settings[line["knob"]] = line["value"]
        plain = {"temperature": settings["temperature"], "width": "off"}
        hlg = recorded.applied(HLG, self.folder, settings, N_VOCAB)
        temp = recorded.applied(HLG, self.folder, plain, N_VOCAB)
        of_rows = [metrics(self.rows[i], hlg[i], temp[i]) for i in self.rows_of(line["kind"])]
        self.assertEqual(int(line["rows"]), len(of_rows))
        for name in of_rows[0]:
            mean = math.fsum(one[name] for one in of_rows) / len(of_rows)
            self.assertAlmostEqual(float(line[name]), mean, delta=1e-7 + 1e-5 * abs(mean),
                                   msg=f"{name} of {line}")

    def test_numbers_are_those_of_hlg_apply(self):
        """But for groups that are 1/256 nats wide here, and float32 there."""
        for line in self.table[::61]:
            with self.subTest(knob=line["knob"], value=line["value"], kind=line["kind"]):
                self.check_line(line)

    def test_every_knob_under_every_pivot_and_shape(self):
        found = {(line["knob"], line["pivot"], line["toe_shape"]) for line in self.table}
        for knob in ("pivot", "pivot_offset", "width", "shoulder", "toe", "toe_shape",
                     "temperature"):
            for pivot in ("top", "entropy", "median"):
                for shape in ("log", "fade"):
                    self.assertIn((knob, pivot, shape), found)
        values = {line["value"] for line in self.table if line["knob"] == "shoulder"}
        self.assertLessEqual({"0.05", "1000.0", "off", "4.0"}, values)

    def test_a_straight_curve_is_plain_temperature(self):
        straight = [line for line in self.table
                    if (line["knob"], line["value"]) == ("width", "off")]
        self.assertEqual(len(straight), 6 * 4)
        for line in straight:
            self.assertEqual(float(line["kl_hlg_temp"]), 0)
            self.assertEqual(float(line["total_variation"]), 0)
            self.assertEqual(line["entropy_before"], line["entropy_after"])

    def test_masses_sum_to_one_and_divergences_are_positive(self):
        for line in self.table:
            self.assertAlmostEqual(sum(float(line["mass_" + name]) for name in BANDS), 1, places=12)
            for name in ("kl_hlg_temp", "kl_temp_hlg"):
                self.assertGreater(float(line[name]), -1e-15)

    def test_threads_do_not_matter(self):
        done = recorded.run(HLG, "kl", self.folder, "--threads=4")
        self.assertEqual(done.stdout, self.csv.read_text())

    def test_json_has_the_same_and_its_origin(self):
        whole = json.loads(self.json.read_text())
        self.assertEqual(whole["recording"], json.loads((self.folder / "record.json").read_text()))
        self.assertEqual(len(whole["results"]), len(self.table))
        for line, same in zip(self.table, whole["results"]):
            self.assertEqual({name: cell if isinstance(same[name], str) else json.loads(cell)
                              for name, cell in line.items()}, same)


    def test_what_is_no_regular_file_stays_what_it_is(self):
        target, link, fifo = (self.folder / name for name in ("target", "link", "fifo"))
        target.write_text("old")
        link.symlink_to("target")
        os.mkfifo(fifo)
        self.assertEqual(recorded.run(HLG, "kl", self.folder, "--csv", link).stderr, "")
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text(), self.csv.read_text())
        with open(self.folder / "read", "wb") as out, subprocess.Popen(["cat", fifo], stdout=out):
            self.assertEqual(recorded.run(HLG, "kl", self.folder, "--csv", fifo).stderr, "")
        self.assertEqual((self.folder / "read").read_text(), self.csv.read_text())
        self.assertTrue(fifo.is_fifo())
        later = self.folder / "later"
        later.symlink_to("not-there-yet")
        self.assertEqual(recorded.run(HLG, "kl", self.folder, "--csv", later).stderr, "")
        self.assertTrue(later.is_symlink())
        self.assertEqual((self.folder / "not-there-yet").read_text(), self.csv.read_text())
        self.assertFalse(list(self.folder.glob("*.part")))

    def test_a_table_that_cannot_go_there(self):
        for args, status, line in (
                (["--csv", "-", "--json", "-"], 2, "--csv - and --json -: give one of them a file"),
                (["--csv", "no/where.csv"], 1, "no/where.csv: no folder no"),
                (["--json", self.folder], 1, f"{self.folder}: Is a directory")):
            done = recorded.run(HLG, "kl", self.folder, *args)
            self.assertEqual((done.returncode, done.stderr), (status, f"hlg kl: {line}\n"))


class BadFolders(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.folder = Path(tmp.name) / "bad"
        self.rows = recorded.made_up_rows(8)

    def complaint(self, status=1):
        done = recorded.run(HLG, "kl", self.folder, "--threads=1")
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(f"hlg kl: {self.folder}/"), done.stderr)
        return done.stderr.removeprefix(f"hlg kl: {self.folder}/").rstrip("\n")

    def test_no_folder(self):
        self.assertEqual(self.complaint(), "record.json: No such file or directory")

    def test_values_of_the_header(self):
        for changes, line in (
                ({"format": 2}, "record.json: format: 2 is not allowed: give 1"),
                ({"rows": 0}, "record.json: rows: 0 is not allowed: give 1 to 2147483647"),
                ({"rows": "6"}, 'record.json: rows: "6" is not allowed: give 1 to 2147483647'),
                ({"rows": 7}, "rows.jsonl: 6 lines, not the 7 rows of record.json"),
                ({"model": {"file": "m.gguf"}},
                 "record.json: model: n_vocab: null is not allowed: give 1 to 2147483647"),
                ({"model": {"file": "m.gguf", "n_vocab": 9}},
                 "rows.f32: 192 bytes, not the 216 of 6 rows of 9 float32"),
                ({"model": 3},
                 "record.json: model: file: null is not allowed: give a text that is not empty"),
                ({"complete": False}, "record.json: complete: false is not allowed: give true: the "
                                      "same hlg record goes on where it stopped")):
            with self.subTest(changes=changes):
                recorded.record(self.folder, self.rows, **changes)
                self.assertEqual(self.complaint(), line)

    def test_a_header_that_is_no_json(self):
        recorded.record(self.folder, self.rows)
        (self.folder / "record.json").write_text('{"format": 1')
        self.assertEqual(self.complaint(), "record.json: this is not an object in JSON")

    def test_rows_out_of_order(self):
        recorded.record(self.folder, self.rows)
        path = self.folder / "rows.jsonl"
        path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
        self.assertEqual(self.complaint(), "rows.jsonl: line 1: row: 5 is not allowed: give 0")

    def test_rows_that_no_model_gives(self):
        for bad in (math.nan, math.inf):
            with self.subTest(bad=bad):
                self.rows[4][2] = bad
                recorded.record(self.folder, self.rows)
                self.assertEqual(self.complaint(),
                                 "rows.f32: row 4: a logit is NaN or inf: give numbers or -inf")

    def test_a_row_without_a_live_token(self):
        self.rows[5] = [-math.inf] * 8
        recorded.record(self.folder, self.rows)
        self.assertEqual(self.complaint(status=3), "rows.f32: row 5: no live token")

    def test_usage(self):
        for args in ([], [self.folder, "--threads=0"], [self.folder, "--what"]):
            done = recorded.run(HLG, "kl", *args)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
