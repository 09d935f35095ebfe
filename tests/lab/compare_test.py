"""The half that judges is not the half that chose, and what was planted is found."""
import csv
import io
import random
import unittest

import numpy as np

import made
from cases import Case, score
from hlg_lab import compare

ARMS = ["hlg log", "hlg fade", "top_p", "hlg default log", "hlg default fade"]


class Made(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        score(cls.folder, cls.folder)
        cls.text = compare.table(cls.folder / "sweep.csv", cls.folder / "scores.jsonl")
        cls.rows = list(csv.DictReader(io.StringIO(cls.text)))

    def test_lines(self):
        """Each arm twice at each share that it reaches; not temperature, not the mean of all."""
        self.assertEqual(list(self.rows[0]), list(compare.COLUMNS))
        for share in made.SHARES:
            found = [(row["arm"], row["half"]) for row in self.rows
                     if float(row["entropy_share"]) == share]
            arms = [name for name in ARMS if (name, share) != made.UNREACHED]
            self.assertEqual(found, [(name, half) for name in arms for half in ("even", "odd")])
        self.assertEqual({(row["model"], row["harm_model"]) for row in self.rows},
                         {("smollm2", "smollm2")})

    def test_difference_is_by_the_judging_half(self):
        halves = {"even": made.band_harm(0), "odd": made.band_harm(1)}
        self.assertNotEqual(halves["even"], halves["odd"])
        deep = {"hlg log": 0.06, "hlg fade": 0.02, "hlg default log": 0.08,
                "hlg default fade": 0.03, "top_p": 0.04}
        for row in self.rows:
            share, harm = float(row["entropy_share"]), halves[row["half"]]
            expected = [sum(m * h for m, h in zip(made.masses(d, share), harm))
                        for d in (deep[row["arm"]], 0.05)]
            self.assertAlmostEqual(float(row["harm"]), expected[0], places=5)
            self.assertAlmostEqual(float(row["harm_temperature"]), expected[1], places=5)
            difference = float(row["difference"])
            self.assertAlmostEqual(difference, expected[0] - expected[1], places=5)
            self.assertTrue(float(row["low"]) < difference < float(row["high"]), row)
            self.assertAlmostEqual(float(row["deep_tail"]), deep[row["arm"]] * share / 10, places=6)

    def test_errors(self):
        sweep, scores = made.sweep(), self.folder / "scores.jsonl"

        def fails(words, rows):
            self.fails(words, "compare", self.write("sweep.csv", made.csv(rows)), scores)
        fails("sweep of smollm2: no band_3",
              [{k: v for k, v in row.items() if k != "band_3"} for row in sweep])
        fails("sweep of smollm2: band_3 is empty", [{**row, "band_3": ""} for row in sweep])
        fails("made from another harm.csv", [{**row, "harm": row["harm"] + 0.01} for row in sweep])
        fails("scores.jsonl: no line of model gemma", [{**row, "harm_model": "gemma"}
                                                       for row in sweep])
        fails("sweep.csv: no setting with harm", [{**row, "harm_model": ""} for row in sweep])
        fails("sweep.csv: no setting with harm", [row for row in sweep
                                                  if row["sampler"] != "temperature"])
        texts = scores.read_text().splitlines(keepends=True)
        even = self.write("scores.jsonl", "".join(t for t in texts if '"prefix": 4,' in t))
        self.fails("scores of smollm2: each half of the prefixes needs two prompts, and the even "
                   "ones have 1", "compare", self.folder / "sweep.csv", even)


def line(prefix, band, harm):
    return {"model": "m", "prefix": prefix, "prompt": "p%d" % prefix, "band": band,
            "z_top": -2.0 * band, "any": harm}


class Curve(unittest.TestCase):
    BANDS, CENTRES = np.arange(4), np.array([0.0, -2, -4, -6])

    def test_an_empty_band_gives_its_mass_to_its_neighbours(self):
        lines = [line(p, band, harm) for p in range(6)
                 for band, harm in ((0, 0), (1, 1), (3, p % 2))]
        curve = compare.curve_of(lines, self.BANDS, self.CENTRES)
        np.testing.assert_allclose(curve.expected(np.eye(4)), [0, 1, 0.75, 0.5])
        low, high = curve.interval(np.array([0, 0, 1.0, 0]))
        self.assertTrue(0.5 <= low < 0.75 < high <= 1, (low, high))

    def test_a_band_that_repeats_lack_poisons_only_itself(self):
        """Band 3 has one prompt, which a third of the repeats do not draw."""
        lines = [line(p, band, (p + band) % 2) for p in range(8) for band in range(3)]
        curve = compare.curve_of([*lines, line(0, 3, 1)], self.BANDS, self.CENTRES)
        self.assertTrue(np.isnan(curve.repeats[:, 3]).any())
        with_it = compare.curve_of([*lines, *(line(p, 3, 1) for p in range(8))], self.BANDS,
                                   self.CENTRES)
        for difference in ([-1.0, 1, 0, 0], [-0.5, 0, 0.5, 0]):
            self.assertEqual(curve.interval(np.array(difference)),
                             with_it.interval(np.array(difference)))
        low, high = curve.interval(np.array([-1.0, 0, 0, 1]))
        self.assertTrue(0 <= low < high <= 1, (low, high))

    def test_paired(self):
        """A prompt that is bad in all bands does not blur their difference."""
        lines = [line(p, band, harm + p % 2) for p in range(20) for band, harm in ((0, 0), (1, 1))]
        curve = compare.curve_of(lines, self.BANDS[:2], self.CENTRES[:2])
        np.testing.assert_allclose(curve.interval(np.array([-0.5, 0.5])), (0.5, 0.5))


class Choice(unittest.TestCase):
    def rows(self, lines, masses):
        """Settings of min_p after one of temperature."""
        _, *halves = compare.curves_of(lines)
        settings = [{"sampler": "temperature" if i == 0 else "min_p", "toe_shape": "",
                     "pivot": "", "number": i} for i in range(len(masses))]
        return compare.rows_of(settings, masses, halves)

    def test_what_is_only_luck_does_not_last(self):
        """Even prefixes are harmed in band 1 alone, odd ones in band 2: what one half would choose
        is the worst by the other."""
        lines = [line(p, band, int(band == 1 + p % 2)) for p in range(8) for band in range(3)]
        masses = np.array([[0.4, 0.3, 0.3], [0.4, 0.1, 0.5], [0.4, 0.5, 0.1]])
        found = self.rows(lines, masses)
        self.assertEqual([(row["half"], row["number"]) for row in found], [("even", 2), ("odd", 1)])
        for row in found:
            self.assertAlmostEqual(row["difference"], 0.2)

    def test_what_is_better_stays_so(self):
        values = random.Random(3)
        lines = [line(p, band, int(values.random() < 0.2 + 0.25 * band)) for p in range(100)
                 for band in range(4)]
        masses = np.random.default_rng(5).dirichlet([60, 30, 20, 10], size=300)
        for row in self.rows(lines, np.vstack([np.full((1, 4), 0.25), masses])):
            self.assertLess(row["high"], 0, row)


if __name__ == "__main__":
    unittest.main()
