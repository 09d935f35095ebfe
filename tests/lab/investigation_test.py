"""From a run to small files, and from those to the tables and plots of a document."""
import json
import shutil
import unittest
from pathlib import Path

from cases import Case, files_of, lab, run, score
from hlg_lab import files, investigation, publish, report_kl

DOCUMENT = """# What was found

<!-- table: sweep-best share=1.0 model=smollm2 -->
<!-- end -->
Words stay.
<!-- table: coordinates model=smollm2 -->
old
<!-- end -->
"""


class Published(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_folder, cls.results = cls.tmp / "run", cls.tmp / "results"
        folder = cls.run_folder / "smollm2"
        (folder / "harm").mkdir(parents=True)
        for name in ("kl.csv", "record.json"):
            shutil.copy(cls.folder / name, folder)
        shutil.copy(cls.folder / "harm.json", folder / "harm")
        for name in ("sweep.csv", "fit.json"):
            shutil.copy(cls.folder / name, cls.run_folder)
        score(cls.folder, cls.run_folder)
        run("compare", cls.run_folder / "sweep.csv", cls.run_folder / "scores.jsonl", "--out",
            cls.run_folder / "compare.csv")
        run("publish", cls.run_folder, "--out", cls.results)


class Publish(Published):
    def test_exactly_the_files_of_the_tables(self):
        self.assertEqual(list(files_of(self.results)),
                         ["compare.csv", "coordinates.csv", "fit.json", "harm-bands.csv", "kl.csv",
                          "runs.json", "slopes.csv", "sweep.csv"])
        for name in publish.AS_THEY_ARE:
            self.assertEqual((self.results / name).read_bytes(),
                             (self.run_folder / name).read_bytes(), name)

    def test_kl_has_all_kinds_together_and_the_defaults_by_kind(self):
        expected = [{name: files.as_number(files.number(cell)) for name, cell in row.items()}
                    for row in files.read_csv(self.folder / "kl.csv", report_kl.COLUMNS)
                    if row["kind"] == "all" or row["knob"] == "pivot"]
        self.assertEqual(files.read_csv(self.results / "kl.csv", report_kl.COLUMNS), expected)

    def test_sweep_has_the_best_and_the_defaults(self):
        text = (self.results / "sweep.csv").read_text()
        self.assertNotIn("band_", text)
        at_one = [line.split(",") for line in text.splitlines()
                  if line.startswith("smollm2,") and ",1,2.5," in line]
        self.assertEqual([(line[1], line[9], line[11]) for line in at_one],
                         [("hlg", "4", "log"), ("hlg", "off", "log"), ("hlg", "4", "fade"),
                          ("hlg", "off", "fade"), ("temperature", "", ""), ("top_p", "", "")])
        self.assertEqual(at_one[-1][5], "0.9", "the better of two")

    def test_runs(self):
        runs = json.loads((self.results / "runs.json").read_text())
        (model,), (harm,) = runs["models"], runs["harm"]
        self.assertEqual((model["model"], model["sha256"], model["vocabulary"], model["rows"]),
                         ("smollm2", "b179" * 16, 49152, 8))
        self.assertEqual((harm["prefixes"], harm["program"], harm["judge"]["model"]),
                         (40, "0.2.0", "gemma"))

    def test_errors(self):
        self.fails("results: no folder with a record.json", "publish", self.results, "--out",
                   self.tmp / "out")
        limit, publish.LIMIT = publish.LIMIT, 1000
        self.addCleanup(setattr, publish, "LIMIT", limit)
        self.fails("bytes to publish, over 1000", "publish", self.run_folder, "--out",
                   self.tmp / "out")
        self.assertFalse((self.tmp / "out").exists())


class Tables(Published):
    def table(self, name, **arguments):
        return investigation.table(name, arguments, self.results).splitlines()

    def test_kl(self):
        self.assertIn("| smollm2 | top | fade | 2.5 | 2.51 | 0.01 | 0.004 | 0.5 | 0.375 | 0.125 |",
                      self.table("kl-defaults"))
        lines = self.table("kl-knob", knob="width", pivot="top", model="smollm2")
        self.assertEqual([line.split(" | ")[:3] for line in lines[2:]],
                         [["| " + value, "top", shape] for shape in ("log", "fade")
                          for value in ("1", "4", "off")])

    def test_leak(self):
        self.assertEqual(self.table("leak"), [
            "| model | vocabulary | plain | top, log | top, fade | entropy, log | entropy, fade |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| smollm2 | 49152 | 0.01 | 0.02 | 0.004 | 0.02 | 0.004 |"])

    def test_those_of_the_report_are_the_same(self):
        report = self.tmp / "report"
        run("report", self.run_folder, "--out", report)
        markdown = (report / "report.md").read_text()
        for name, arguments in (("harm-bands", {"kind": "any", "prompts": "all"}),
                                ("coordinates", {})):
            table = investigation.table(name, {"model": "smollm2", **arguments}, self.results)
            self.assertIn(table, markdown)
        for line in self.table("compare")[2:]:
            self.assertIn(line, markdown)
        for line in self.table("fit")[2:]:
            self.assertIn(line.removeprefix("| smollm2 "), markdown)

    def test_filters(self):
        lines = self.table("compare", model="smollm2", share="1.0")
        self.assertEqual(len(lines), 2 + 5)
        self.assertTrue(all(line.startswith("| smollm2 | 1 | ") for line in lines[2:]))

    def test_a_knob_over_models(self):
        self.assertEqual(self.table("knob", knob="width", values="1,off"), [
            "| model | width | entropy, log | entropy, fade | deep tail, log | deep tail, fade "
            "| top token, log | top token, fade |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| smollm2 | 1 | 2.51 | 2.51 | 0.02 | 0.004 | 0.375 | 0.375 |",
            "| smollm2 | off | 2.51 | 2.51 | 0.02 | 0.004 | 0.375 | 0.375 |"])
        self.fails("smollm2: no width 3", "fill", self.write(
            "knob.md", "<!-- table: knob knob=width values=3 -->\n<!-- end -->\n"),
            "--results", self.results)

    def test_kinds(self):
        self.assertEqual(self.table("kinds", model="smollm2")[2:],
                         ["| %s | 8 | 2.5 | 0.5 | 2.51 | 2.51 | 0.375 | 0.375 |" % kind
                          for kind in ("all", "text")])

    def test_pivots(self):
        names, _, *lines = [line.split(" | ") for line in self.table("pivots", share="1.0",
                                                                     model="all")]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([line[:3] for line in lines],
                         [["| all", "log", "top"], ["| all", "fade", "top"]])
        self.assertEqual([line[6] for line in lines], ["off", "off"])  # the shoulder of less harm

    def test_near_greedy(self):
        lines = [line.split(" | ") for line in self.table("near-greedy", model="smollm2")]
        self.assertEqual(lines[0], ["| entropy, 2 rows", "hlg default fade", "hlg default log",
                                    "hlg fade", "hlg log", "temperature", "top_p |"])
        self.assertEqual(lines[2][:2] + lines[2][5:6], ["| 0.85", "0.007", "0.005"])

    def test_knots(self):
        lines = self.table("knots", model="smollm2", toe_shape="fade", toe="6")
        self.assertEqual([line.split(" | ")[:5] for line in lines[2:]],
                         [["| 6", "4", "-2", "-10", "1.03"]])
        path = self.results / "sweep.csv"
        self.addCleanup(path.write_text, path.read_text())
        path.write_text(path.read_text().replace(",top,6,4,4,6,fade,", ",median,6,4,4,6,fade,"))
        with self.assertRaisesRegex(files.Failure, "no setting of smollm2 with a fade toe of 6"):
            self.table("knots", model="smollm2", toe_shape="fade", toe="6")

    def test_runs(self):
        line, = self.table("runs")[2:]
        self.assertTrue(line.startswith("| smollm2 | 49152 | "), line)

    def test_sweep_best(self):
        lines = self.table("sweep-best", share="1.0")
        self.assertEqual([line.split(" | ")[:2] for line in lines[2:]],
                         [["| " + model, arm] for model in ("smollm2", "all")
                          for arm in ("hlg log", "hlg fade", "temperature", "top_p")])
        self.assertIn("| smollm2 | hlg fade | 1.02 |  | top | 6 | 4 | off | 6 | fade | 0.01 | ",
                      lines[3])


class Docs(unittest.TestCase):
    def test_the_tables_are_those_of_the_files(self):
        docs = Path(__file__).parents[2] / "docs"
        run("fill", docs / "investigation.md", "--results", docs / "results/lab", "--check")


class Fill(Published):
    def setUp(self):
        self.document = self.write("doc.md", DOCUMENT)

    def command(self, *flags):
        return ("fill", self.document, "--results", self.results, *flags)

    def test_fill_then_check(self):
        self.fails("doc.md:3: <!-- table: sweep-best share=1.0 model=smollm2 -->: not what ",
                   *self.command("--check"))
        self.assertEqual(self.document.read_text(), DOCUMENT)
        run(*self.command())
        text = self.document.read_text()
        table = investigation.table("coordinates", {"model": "smollm2"}, self.results)
        self.assertIn("\nWords stay.\n<!-- table: coordinates model=smollm2 -->\n\n%s\n\n"
                      "<!-- end -->\n" % table, text)
        run(*self.command("--check"))
        before = files_of(self.results)
        lab(*self.command(), seed="2")
        self.assertEqual((self.document.read_text(), files_of(self.results)), (text, before))
        self.assertEqual([name for name in before if name.startswith("plots/")],
                         ["plots/cost.svg", "plots/harm.svg", "plots/knobs.svg"])

    def test_check_names_what_differs(self):
        run(*self.command())
        text = self.document.read_text()
        self.document.write_text(text.replace("log of the rank | 0.", "log of the rank | 1."))
        self.fails("<!-- table: coordinates model=smollm2 -->: not what ", *self.command("--check"))
        self.document.write_text(text)
        plot = self.results / "plots/harm.svg"
        plot.write_text(plot.read_text() + "\n")
        self.fails("plots/harm.svg: not what ", *self.command("--check"))

    def test_errors(self):
        for mark, words in (("leek", "no table leek: there are runs, kl-defaults, kl-knob"),
                            ("kl-knob knob=toe", "doc.md:1: table kl-knob: missing a required "
                                                 "argument: 'pivot'; it takes knob, pivot, model"),
                            ("leak model=x", "it takes no arguments"),
                            ("leak x", "is not <!-- table: NAME KEY=VALUE ... -->"),
                            ("fit model=x", "fit.json: no model x"),
                            ("sweep-best share=7", "sweep.csv: no row with entropy_share=7")):
            self.document.write_text("<!-- table: %s -->\n<!-- end -->\n" % mark)
            self.fails(words, *self.command())
        self.document.write_text("<!-- table: leak -->\n")
        self.fails("doc.md:1: no <!-- end --> after it", *self.command())


if __name__ == "__main__":
    unittest.main()
