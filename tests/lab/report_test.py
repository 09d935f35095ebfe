"""score and report on made-up results: what they say, and the same bytes every time."""
import base64
import contextlib
import csv
import io
import json
import math
import re
import unittest

import numpy as np

import made
from cases import Case, files_of, lab, score
from hlg_lab import __main__, harm, harm_tables, slopes, statistics


class Score(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        score(cls.folder, cls.tmp)
        with open(cls.tmp / "harm.csv", newline="") as file:
            cls.rows = list(csv.DictReader(file))

    def curve(self, kind, coordinate):
        return [row for row in self.rows
                if (row["kind"], row["coordinate"]) == (kind, coordinate)]

    def test_columns_and_kinds(self):
        self.assertEqual(list(self.rows[0]),
                         ["model", "kind", "coordinate", "band", "harm", "se", "n"])
        self.assertEqual({row["model"] for row in self.rows}, {"smollm2"})
        self.assertEqual({row["kind"] for row in self.rows},
                         {"any", "broken_word", "wrong_answer", "repeated", "judge_forced",
                          "judge_rest"})

    def test_the_curve_is_the_mean_of_the_texts(self):
        texts = [line for line in made.texts() if line["band"] == 2]
        row = self.curve("broken_word", "z_top")[2]
        broken = [line["forced_text"] == made.WORDS[True] for line in texts]
        self.assertAlmostEqual(float(row["harm"]), sum(broken) / len(texts), places=5)
        centre = sum(line["z_top"] for line in texts) / len(texts)
        self.assertAlmostEqual(float(row["band"]), centre, places=4)
        self.assertEqual(int(row["n"]), made.N_PREFIXES)
        share = float(row["harm"])
        self.assertAlmostEqual(float(row["se"]), (share * (1 - share) / len(texts)) ** 0.5,
                               delta=0.01)

    def test_curves_run_from_the_top_down(self):
        for coordinate in ("z_top", "logprob", "z_entropy", "log_rank"):
            bands = [float(row["band"]) for row in self.curve("any", coordinate)]
            self.assertEqual(len(bands), len(made.BANDS))
            self.assertEqual(bands, sorted(bands, reverse=True), coordinate)
        self.assertEqual(self.curve("any", "z_top")[0]["band"], "0")

    def test_the_control_is_no_band(self):
        (row,) = self.curve("any", "natural")
        self.assertEqual((row["band"], row["harm"], row["n"]), ("0", "0.1", str(made.N_PREFIXES)))

    def table(self, name):
        with open(self.tmp / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_harm_bands(self):
        """The curve of harm.csv, and each text above the natural draw of its prefix."""
        rows = [row for row in self.table("harm-bands.csv")
                if (row["kind"], row["prompts"]) == ("any", "all")]
        self.assertEqual([row["band"] for row in rows][:2], ["natural", "0"])
        self.assertEqual([[row[name] for name in ("band", "harm", "se", "n")] for row in rows[1:]],
                         [[row[name] for name in ("band", "harm", "se", "n")]
                          for row in self.curve("any", "z_top")])
        self.assertEqual((rows[0]["harm"], rows[0]["above_natural"]), ("0.1", ""))
        for row in rows[1:]:
            above, low, high = (float(row[name]) for name in ("above_natural", "low", "high"))
            self.assertAlmostEqual(above, float(row["harm"]) - 0.1, places=5)
            self.assertTrue(low < above < high, row)
            self.assertAlmostEqual(float(row["detectable"]), 2.8 * (high - low) / 3.92, delta=0.03)

    def test_harm_bands_by_kind_of_prompt(self):
        rows = self.table("harm-bands.csv")
        counts = {name: [int(row["n"]) for row in rows
                         if (row["kind"], row["prompts"]) == ("broken_word", name)]
                  for name in ("all", "maths", "text")}
        self.assertEqual(counts, {"all": [40] * 5, "maths": [20] * 5, "text": [20] * 5})
        self.assertFalse([row for row in rows if row["prompts"] == "text"
                          and row["kind"] == "wrong_answer"])

    def test_coordinates(self):
        rows = [row for row in self.table("coordinates.csv") if row["kind"] == "broken_word"]
        self.assertEqual([row["coordinate"] for row in rows],
                         ["z_top", "logprob", "z_entropy", "log_rank"])
        self.assertEqual([row["difference_low"] == "" for row in rows], [True] + [False] * 3)
        for row in rows:
            self.assertTrue(float(row["low"]) < float(row["explained"]) < float(row["high"]), row)
        blurred = rows[2]  # by chance, see made.py
        self.assertLess(float(blurred["difference_high"]), 0)

    def test_slopes(self):
        """Planted: a word is broken with probability z / 12 (made.py)."""
        rows = {row["region"]: row for row in self.table("slopes.csv")
                if row["kind"] == "broken_word"}
        self.assertEqual({name: int(row["n"]) for name, row in rows.items()},
                         {"shoulder": 80, "middle": 40, "toe": 40})
        middle = float(rows["middle"]["slope"])
        for row in rows.values():
            low, slope, high = (float(row[key]) for key in ("low", "slope", "high"))
            self.assertTrue(low <= slope <= high, row)
            self.assertAlmostEqual(float(row["of_middle"]), slope / middle, delta=1e-4)
        for name in ("shoulder", "middle"):  # in the toe nearly all are broken
            self.assertTrue(float(rows[name]["low"]) < 1 / 12 < float(rows[name]["high"]), name)

    def test_intervals_are_over_prompts(self):
        """Each line 5 times says nothing new; as so many prompts it would."""
        lines = [json.loads(line) for line in (self.tmp / "scores.jsonl").read_text().splitlines()]
        again = [{**line, "prefix": line["prefix"] + 100 * i} for i in range(5) for line in lines]
        others = [{**line, "prompt": "%s, %d" % (line["prompt"], line["prefix"])}
                  for line in again]
        for rows_of, *arguments in ((harm_tables.rows_of, "any", "all"), (slopes.rows_of, "any"),
                                    (harm_tables.coordinates_of, "any")):
            one, five, many = (rows_of(some, *arguments)[2] for some in (lines, again, others))
            width = [row["high"] - row["low"] for row in (one, five, many)]
            self.assertAlmostEqual(width[1] / width[0], 1, places=6)
            self.assertLess(width[2], 0.8 * width[0])
        errors = [harm.curve(harm.forced(some, "any"), "any", "z_top")[2]["se"]
                  for some in (lines, again, others)]
        self.assertAlmostEqual(errors[1], errors[0])
        self.assertLess(errors[2], 0.8 * errors[0])

    def test_one_prompt_says_nothing_of_others(self):
        lines = [json.loads(line) for line in (self.tmp / "scores.jsonl").read_text().splitlines()]
        alone = [line for line in lines if line["prompt"] == "text-0"]
        for kind, error in (("judge_forced", 0),
                            ("broken_word", math.sqrt(0.25 * 0.75 / 2))):
            for row in harm_tables.rows_of(alone, kind, "all")[2:]:
                self.assertEqual([row[name] for name in ("n", "low", "high", "detectable")],
                                 [2, None, None, None])
                self.assertAlmostEqual(row["se"], error)
            self.assertEqual(harm_tables.coordinates_of(alone, kind), [])

    def test_a_band_of_one_prompt_among_others(self):
        lines = [json.loads(line) for line in (self.tmp / "scores.jsonl").read_text().splitlines()]
        some = [line for line in lines if line["band"] != 3 or line["prompt"] == "text-0"]
        for kind in ("judge_forced", "broken_word"):
            *others, last = harm_tables.rows_of(some, kind, "all")[2:]
            self.assertEqual([last[name] for name in ("n", "low", "high", "detectable")],
                             [2, None, None, None])
            self.assertFalse([row for row in others if row["low"] is None])

    def test_no_interval_of_what_few_repeats_have(self):
        repeats = np.linspace(1, 2, 1000)
        self.assertEqual(slopes.known(repeats, 1.5), (1.5, *statistics.interval(repeats)))
        repeats[:20] = np.nan
        self.assertEqual(slopes.known(repeats, 1.5), (1.5, None, None))
        self.assertEqual(slopes.known(np.zeros(9), 0.0), (0.0, None, None))

    def test_scores_of_each_text(self):
        lines = [json.loads(line) for line in (self.tmp / "scores.jsonl").read_text().splitlines()]
        self.assertEqual(len(lines), len(made.texts()))
        for line, text in zip(lines, made.texts()):
            self.assertEqual(line["broken_word"], int(text["forced_text"] == made.WORDS[True]))
            self.assertEqual(line["wrong_answer"], None if line["kind"] == "text" else 0)

    def test_again_the_same_bytes(self):
        again = self.tmp / "again"
        score(self.folder, again, seed="2")
        for name in ("harm.csv", "scores.jsonl", "harm-bands.csv", "coordinates.csv",
                     "slopes.csv"):
            self.assertEqual((again / name).read_bytes(), (self.tmp / name).read_bytes(), name)


class Report(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        score(cls.folder, cls.folder)
        lab("compare", cls.folder / "sweep.csv", cls.folder / "scores.jsonl", "--out",
            cls.folder / "compare.csv", seed="1")
        lab("report", cls.folder, "--out", cls.tmp / "out", seed="1")
        cls.files = files_of(cls.tmp / "out")
        cls.markdown = cls.files["report.md"].decode()
        cls.html = cls.files["report.html"].decode()

    def test_again_the_same_bytes(self):
        lab("report", self.folder, "--out", self.tmp / "again", seed="2")
        self.assertEqual(files_of(self.tmp / "again"), self.files)

    def test_each_plot_is_in_both_pages(self):
        plots = re.findall(r"\]\((plots/\S+)\)", self.markdown)
        self.assertEqual(sorted(plots), sorted(n for n in self.files if n.startswith("plots/")))
        self.assertEqual(plots, ["plots/kl-smollm2-width.svg", "plots/kl-smollm2-toe.svg",
                                 "plots/harm-smollm2.svg", "plots/fit-smollm2.svg",
                                 "plots/sweep-smollm2.svg", "plots/sweep-all.svg"])
        inline = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', self.html)
        self.assertEqual([base64.b64decode(data) for data in inline],
                         [self.files[name] for name in plots])

    def test_the_html_needs_nothing_else(self):
        self.assertFalse(re.findall(r'<script|<link|\shref=|@import|\ssrc="(?!data:)', self.html))

    def test_recordings(self):
        self.assertIn("| smollm2 | b179b179b179b179 | 49152 | 8 | 1 | 2 | 0.2.0 |", self.markdown)

    def test_kl(self):
        self.assertIn("| top | fade | 2.51 | 0.004 | 0.375 | 12.5 | 0.125 | 0.25 | 0.0625 | 2.5 | "
                      "0.01 | 0.5 |", self.markdown)
        self.assertIn("| off | top | log | 2.51 | 0.02 |", self.markdown)
        self.assertIn("| pivot | toe | 0 1 | over 20 |", self.markdown)

    def test_harm(self):
        self.assertIn("40 prefixes, 200 texts", self.markdown)
        self.assertRegex(self.markdown, r"\| natural draw \| 0\.1 \+- \S+ \| 0\.1 \+- ")
        share, error = re.search(r"\n\| -1[01]\.\d+ \| (\S+) \+- (\S+) \|", self.markdown).groups()
        broken = [line["forced_text"] == made.WORDS[True] for line in made.texts()
                  if line["band"] == 3]
        self.assertAlmostEqual(float(share), sum(broken) / len(broken), places=4)
        expected = (float(share) * (1 - float(share)) / len(broken)) ** 0.5
        self.assertAlmostEqual(float(error), expected, delta=0.01)
        above = re.findall(r"\n\| -1[01]\.\d+ \| 40 \| \S+ \+- \S+ \| (\S+) \| \S+ to \S+ \|",
                           self.markdown)
        self.assertAlmostEqual(float(above[0]), float(share) - 0.1, places=4)
        shares = dict(re.findall(r"\| broken_word \| ([\w -]+) \| (-?\d\S*) \|", self.markdown))
        self.assertEqual(list(shares), ["distance from the top", "log-probability",
                                        "distance from the entropy", "log of the rank"])
        self.assertGreater(float(shares["distance from the top"]),
                           float(shares["distance from the entropy"]))

    def test_fit(self):
        self.assertIn("| fade | 5.5 (4.5 to 6) | 2 | 1000 | 3.25 (2.125 to 7.5) |  | 30.5 | "
                      "0.001 | 2.25 | 0 | 185 of 200 |", self.markdown)
        self.assertIn("| line with cut-off |  |  |  |  | -7.25 |  | 0.002 | 4.5 | 0 |  |",
                      self.markdown)

    def test_sweep(self):
        self.assertIn("| hlg fade | 2 of 2 | 2 of 2 | 2 of 2 |", self.markdown)
        self.assertIn("| top_p | 0 of 2 | 0 of 2 |  |", self.markdown)
        smollm2 = self.markdown.split("### smollm2")[-1].split("### all")[0]
        titles = re.findall(r"Mean entropy (\S+) nats, (\S+) of that.*lowest expected harm",
                            smollm2)
        self.assertEqual(titles, [("2.125", "0.85"), ("2.5", "1"), ("3.25", "1.3")])
        at_one = smollm2.split("Mean entropy 2.5 ")[1].split("Mean entropy")[0]
        lines = [line.split(" | ") for line in at_one.splitlines() if line.startswith("| ")][2:]
        self.assertEqual([line[0] for line in lines],
                         ["| hlg log", "| hlg fade", "| temperature", "| top_p"])
        fade = lines[1]
        self.assertEqual(fade[1:9], ["1.02", "", "top", "6", "4", "off", "6", "fade"])
        harm = sum(m * h for m, h in zip(made.masses(0.02, 1), made.band_harm()))
        self.assertEqual(fade[9:], ["0.01", "%.4g" % harm, "0.002", "0.008", "0.002", "0.007 |"])

    def test_compare(self):
        self.assertRegex(self.markdown, r"\| smollm2 \| 1 \| hlg default log \| "
                         r"0\.0\d+ \(-?0\.\d+ to 0\.\d+\) \| 0\.0\d+ \(")


class Errors(Case):
    def test_score(self):
        prompts, out = self.folder / "prompts.jsonl", self.tmp / "harm.csv"

        def score_fails(words, text, *more):
            self.fails(words, "score", self.write("texts.jsonl", text), "--prompts", prompts,
                       "--out", out, *more)
        line = made.texts()[0]
        score_fails("texts.jsonl: no harm.json or record.json beside it", made.jsonl([line]))
        named = ("--model", "smollm2")
        score_fails("texts.jsonl: no lines", "\n", *named)
        score_fails("texts.jsonl:2: ", made.jsonl([line]) + "{", *named)
        score_fails("texts.jsonl:1: a list is no JSON object", "[]\n", *named)
        score_fails("texts.jsonl:1: no prompt, z_top",
                    made.jsonl([{k: v for k, v in line.items() if k not in ("prompt", "z_top")}]),
                    *named)
        score_fails('texts.jsonl: prefix 0: no prompt "chat-99"',
                    made.jsonl([{**line, "prompt": "chat-99"}]), *named)
        self.fails("no such file: ", "score", self.tmp / "none", "--prompts", prompts,
                   "--out", out)
        texts = self.folder / "texts.jsonl"
        self.fails("two files of texts are of one model", "score", texts, texts, "--prompts",
                   prompts, "--out", out)
        self.assertFalse(out.exists())

    def test_report(self):
        out = self.tmp / "out"
        self.fails("no such folder: ", "report", self.tmp / "none", "--out", out)
        empty = self.tmp / "empty"
        empty.mkdir()
        self.fails("no kl.csv or ", "report", empty, "--out", out)
        for text, words in (("model\n", "kl.csv: no rows"), ("a,b\n1\n", "kl.csv:2: not as many"),
                            ("a,b\n1,2\n", "kl.csv: no model, knob")):
            (empty / "kl.csv").write_text(text)
            self.fails(words, "report", empty, "--out", out)
        (empty / "kl.csv").unlink()
        (empty / "fit.json").write_text('[{"model": "smollm2"}]')
        self.fails("fit.json: 1: no repeats, fits, points", "report", empty, "--out", out)
        self.assertFalse(out.exists())

    def test_wrong_usage(self):
        for arguments in ([], ["score"], ["report", "x"]):
            with self.assertRaises(SystemExit) as stop, contextlib.redirect_stderr(io.StringIO()):
                __main__.main(arguments)
            self.assertEqual(stop.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
