"""Bad input: one line that names the file, the place and the value, and nothing is written."""
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import unittest
import warnings
from pathlib import Path

import made
from cases import Case, files_of, run
from hlg_lab import files


class Score(Case):
    def setUp(self):
        self.lines, self.out = made.texts(), self.tmp / "out/harm.csv"
        self.texts = self.folder / "texts.jsonl"
        self.addCleanup(self.texts.write_text, self.texts.read_text())

    def command(self, prompts=None, out=None):
        return ("score", self.texts, "--prompts", prompts or self.folder / "prompts.jsonl", "--out",
                self.out if out is None else out)

    def fails_with(self, words, **changes):
        self.texts.write_text(made.jsonl([self.lines[0], {**self.lines[1], **changes}]))
        self.fails(words, *self.command())
        self.assertFalse(self.out.parent.exists())

    def test_fields(self):
        for kind, names, values in (
                ("number", ("z_top", "logprob", "z_entropy"),
                 (None, "x", True, [], float("nan"), 1e200, 10 ** 30)),
                ("number or null", ("judge_nll_forced",), ("x", False, -float("inf"))),
                ("whole number from 0", ("rank", "prefix"), (None, "5", True, -1, 0.5, 1.0)),
                ("whole number from -1", ("band",), (None, "natural", False, -2, 0.5)),
                ("text", ("kind", "prompt", "text", "before", "forced_text"),
                 (None, 5, ["x"], {}, "\ud800")),
                ("boolean", ("ended",), (None, 0, "x"))):
            for name in names:
                for value in values:
                    self.fails_with("texts.jsonl:2: %s: %s is no %s" % (
                        name, files.shown(value), kind), **{name: value})

    def test_the_same_place_twice(self):
        self.fails_with("texts.jsonl:2: prefix 0, band 0 is in line 1 already", band=0)

    def test_files(self):
        for text, words in (("[" * 100000, "texts.jsonl:1: JSON is nested too deep"),
                            ("\ufeff" + self.texts.read_text(), "texts.jsonl:1: begins with a byte "
                                                                "order mark (BOM)")):
            self.texts.write_text(text)
            self.fails(words, *self.command())

    def test_other_ends_of_lines(self):
        run(*self.command())
        expected = files_of(self.out.parent)
        self.texts.write_bytes(self.texts.read_bytes().replace(b"\n", b"\r\n \t\r\n"))
        run(*self.command())
        self.assertEqual(files_of(self.out.parent), expected)
        shutil.rmtree(self.out.parent)

    def test_prompts(self):
        for changes, words in (
                ({"text": None}, "text: null is no text"), ({"text": 5}, "text: 5 is no text"),
                ({"id": ["a"]}, "id: a list is no text"),
                ({"chat": "x"}, 'chat: "x" is no boolean'),
                *(({"answer": answer}, "answer: %s is no text or number or list of those" % shown)
                  for answer, shown in (({}, "an object"), (None, "null"), (True, "true"),
                                        ([None], "a list"))),
                ({"id": "text-0"}, 'id "text-0" is in line 1 already')):
            prompts = self.write("prompts.jsonl", made.jsonl(
                [made.PROMPTS[0], {**made.PROMPTS[1], **changes}]))
            self.fails("prompts.jsonl:2: " + words, *self.command(prompts))

    def test_out(self):
        for out in ("", "/", "new/", self.tmp, *(self.tmp / "out" / name for name in (
                "scores.jsonl", "harm-bands.csv", "coordinates.csv", "slopes.csv"))):
            self.fails("--out %s: give a file's name" % json.dumps(str(out)),
                       *self.command(out=out))

    def test_header(self):
        header = self.folder / "harm.json"
        self.addCleanup(header.write_text, header.read_text())
        for changes, words in (
                ({"complete": False}, "complete: false: the run is not complete: the same hlg harm "
                                      "goes on where it stopped"),
                ({"complete": None}, "complete: null is no boolean"),
                ({"model": None}, "model: null is no JSON object"),
                ({"model": "x"}, 'model: "x" is no JSON object'), ({"model": {}}, "model: no file"),
                ({"model": {"file": 5}}, "model: file: 5 is no text")):
            header.write_text(json.dumps({**made.HARM, **changes}))
            self.fails("harm.json: " + words, *self.command())
        header.write_text(json.dumps({**made.HARM, "complete": False}))
        self.fails("the run is not complete", *self.command(), "--model", "x")

    def test_a_single_prefix(self):
        self.texts.write_text(made.jsonl(self.lines[:5]))
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            run(*self.command())
        shutil.rmtree(self.out.parent)


class Run(Case):
    """A whole run and what is published of it; each test spoils a file and puts it back."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.results = cls.tmp / "results"
        (cls.folder / "of_model/harm").mkdir(parents=True)
        for name in ("record.json", "kl.csv"):
            shutil.copy(cls.folder / name, cls.folder / "of_model")
        shutil.copy(cls.folder / "harm.json", cls.folder / "of_model/harm")
        run("score", cls.folder / "texts.jsonl", "--prompts", cls.folder / "prompts.jsonl",
            "--out", cls.folder / "harm.csv")
        run("compare", cls.folder / "sweep.csv", cls.folder / "scores.jsonl", "--out",
            cls.folder / "compare.csv")
        run("publish", cls.folder, "--out", cls.results)

    def spoil(self, path, text):
        self.addCleanup(path.write_bytes, path.read_bytes())
        path.write_text(text)

    def spoil_cell(self, path, column, value, line=2):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        rows[line - 1][rows[0].index(column)] = value
        self.spoil(path, "".join(",".join(row) + "\n" for row in rows))

    def fails_with_cells(self, path, cells, *command):
        """Each of the cells of line 2, in turn, with what it should be."""
        before = path.read_bytes()
        for column, value, kind in cells:
            self.spoil_cell(path, column, value)
            self.fails('%s:2: %s: "%s" is no %s' % (path.name, column, value, kind), *command)
            path.write_bytes(before)

    def compare(self):
        return ("compare", self.folder / "sweep.csv", self.folder / "scores.jsonl", "--out",
                self.tmp / "out/compare.csv")

    def test_sweep(self):
        self.fails_with_cells(self.folder / "sweep.csv", (
            ("harm", "", "number"), ("harm", "x", "number"), ("harm", "nan", "number"),
            ("band_3", "x", "number or empty"), ("entropy", "1_000", "number"),
            ("width", "on", "number or off or empty"), ("rows", " 8", "number")), *self.compare())

    def test_a_cost_is_known_of_all_settings_or_none(self):
        self.spoil_cell(self.folder / "sweep.csv", "near_greedy_loss", "", line=4)
        self.fails("near_greedy_loss of model smollm2 is empty in some", *self.compare())

    def test_scores(self):
        path = self.folder / "scores.jsonl"
        line, *others = path.read_text().splitlines()
        for name, value, words in (("any", "x", 'any: "x" is no number or null'),
                                   ("prefix", 0.5, "prefix: 0.5 is no whole number from 0"),
                                   ("band", None, "band: null is no whole number from -1"),
                                   ("z_top", [], "z_top: a list is no number"),
                                   ("model", 5, "model: 5 is no text")):
            self.spoil(path, "\n".join([json.dumps({**json.loads(line), name: value}), *others]))
            self.fails("scores.jsonl:1: " + words, *self.compare())

    def test_csv(self):
        path = self.folder / "sweep.csv"
        for text, words in (("a,b\n1," + "x" * 140000, "field larger than field limit"),
                            ('a,b\n1,"2', "unexpected end of data")):
            self.spoil(path, text)
            self.fails("sweep.csv:2: " + words, *self.compare())

    def test_a_full_device(self):
        words = [str(word) for word in self.compare()[:3]]
        self.fails("/dev/full: No space left on device", *words, "--out", "/dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([sys.executable, "-B", "-m", "hlg_lab", *words], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "hlg: standard output: No space left on device\n"))

    def alone(self, name):
        """A copy of the file in a folder of its own, and the command that reports on it."""
        folder = self.tmp / "alone"
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        return (Path(shutil.copy(self.folder / name, folder)),
                ("report", folder, "--out", folder / "out"))

    def test_cells_that_report_reads(self):
        for name, cells in (
                ("kl.csv", (("rows", "", "number"), ("entropy_after", "nan", "number"),
                            ("mass_0_1", "x", "number or empty"))),
                ("sweep.csv", (("pareto", "x", "number"), ("harm", "", "number"))),
                ("compare.csv", (("low", "", "number"), ("half", "third", "even or odd"),
                                 ("difference", "x", "number")))):
            path, command = self.alone(name)
            self.fails_with_cells(path, cells, *command)
            self.doCleanups()
        path, command = self.alone("kl.csv")
        path.write_text(path.read_text().replace(",width,off,", ",width,top,", 1))
        self.fails('value: "top" is no number or off', *command)

    def test_json(self):
        fit, point = made.FIT[0], made.FIT[0]["points"][0]
        for name, text, words in (
                ("scores.jsonl", "", "scores.jsonl: no lines"),
                ("scores.jsonl", "null\n", "scores.jsonl:1: null is no JSON object"),
                ("fit.json", "{}", "fit.json: an object is no list"),
                ("fit.json", "[]", "fit.json: no models"),
                ("fit.json", json.dumps([{**fit, "points": [{**point, "se": -1}]}]),
                 "fit.json: 1: points: 1: se: -1 is no number from 0"),
                ("fit.json", json.dumps([{**fit, "points": [point]}]),
                 "fit.json: smollm2: 1 points, but 3 harms of fade"),
                ("record.json", json.dumps({**made.RECORD, "complete": False}),
                 "record.json: complete: false: the run is not complete: the same hlg record")):
            with self.subTest(words):
                path, command = self.alone(name)
                path.write_text(text)
                self.fails(words, *command)
                self.assertFalse((path.parent / "out").exists())
                self.doCleanups()

    def test_several_models_in_one_file(self):
        rows = made.kl()
        dust = [{**row, "model": "350", "kl_hlg_temp": -8.7e-17} for row in rows]
        folder = self.tmp / "two"
        folder.mkdir()
        (folder / "kl.csv").write_text(made.csv([*rows, *dust]))
        run("report", folder, "--out", folder)
        one, two = (folder / "report.md").read_text().split("\n### ")[1:]
        self.assertTrue(one.startswith("smollm2\n") and two.startswith("350\n"))
        self.assertEqual(one.count("\n| "), two.count("\n| "))
        self.assertIn("| 0.375 | 12.5 | 0.125 | ", one)
        self.assertIn("| 0.375 | 12.5 | 0 | ", two)

    def publish(self):
        return ("publish", self.folder, "--out", self.tmp / "out")

    def test_headers(self):
        for name, header, changes, words in (
                ("record.json", made.RECORD, {"complete": False}, "the run is not complete"),
                ("record.json", made.RECORD, {"prompts": None}, "prompts: null is no JSON object"),
                ("harm/harm.json", made.HARM, {"complete": False}, "the run is not complete"),
                ("harm/harm.json", made.HARM, {"judge": "x"}, 'judge: "x" is no JSON object')):
            with self.subTest(words):
                self.spoil(self.folder / "of_model" / name, json.dumps({**header, **changes}))
                self.fails(words, *self.publish())
                self.doCleanups()

    def test_empty_files(self):
        for name in ("compare.csv", "slopes.csv", "coordinates.csv", "harm-bands.csv", "fit.json"):
            with self.subTest(name):
                self.spoil(self.folder / name, "")
                self.fails(name + ": ", *self.publish())
                self.doCleanups()
        self.assertFalse((self.tmp / "out").exists())

    def test_the_bytes_stay(self):
        path = self.folder / "slopes.csv"
        self.spoil(path, "")
        path.write_bytes((self.results / "slopes.csv").read_bytes().replace(b"\n", b"\r\n"))
        run("publish", self.folder, "--out", self.tmp / "same")
        self.assertEqual((self.tmp / "same/slopes.csv").read_bytes(), path.read_bytes())

    def test_cells_that_fill_reads(self):
        for name, table, cells in (
                ("harm-bands.csv", "harm-bands model=smollm2 kind=any prompts=all",
                 (("n", "x", "number"), ("band", "top", "number or natural"),
                  ("se", "-1", "number from 0"))),
                ("sweep.csv", "sweep-best share=1", (("deep_tail", "", "number"),)),
                ("slopes.csv", "slopes", (("region", "knee", "shoulder or middle or toe"),
                                          ("slope", "x", "number or empty"))),
                ("coordinates.csv", "coordinates model=smollm2",
                 (("coordinate", "rank", "z_top or logprob or z_entropy or log_rank"),)),
                ("compare.csv", "compare", (("harm", "inf", "number"),))):
            document = self.write("doc.md", "<!-- table: %s -->\n<!-- end -->\n" % table)
            for column, value, kind in cells:
                self.spoil_cell(self.results / name, column, value)
                self.fails("%s:2: %s: %s is no %s" % (
                    name, column, files.shown(files.as_number(value)), kind), "fill", document,
                    "--results", self.results)
                self.doCleanups()
        path = self.results / "kl.csv"
        self.spoil(path, path.read_text().replace(",width,1,top,log,", ",width,1,top,soft,"))
        document.write_text("<!-- table: knob knob=width values=1 -->\n<!-- end -->\n")
        self.fails("smollm2: no width 1 with both toe shapes", "fill", document, "--results",
                   self.results)
        self.assertFalse((self.results / "plots").exists())

    def test_a_model_of_digits_stays_text(self):
        """A model called 350.gguf, through all commands."""
        folder = shutil.copytree(self.folder, self.tmp / "350")
        for path in folder.rglob("*.*"):
            path.write_text(path.read_text().replace("smollm2", "350"))
        run("score", folder / "texts.jsonl", "--prompts", folder / "prompts.jsonl", "--out",
            folder / "harm.csv")
        run("compare", folder / "sweep.csv", folder / "scores.jsonl", "--out",
            folder / "compare.csv")
        run("report", folder, "--out", self.tmp / "report")
        self.assertEqual((self.tmp / "report/report.md").read_text().count("\n### 350\n"), 4)
        run("publish", folder, "--out", self.tmp / "of_350")
        document = self.write("doc.md", "".join(
            "<!-- table: %s -->\n<!-- end -->\n" % table for table in (
                "coordinates model=350", "sweep-best share=1 model=350", "compare model=350",
                "kl-knob knob=width pivot=top model=350", "fit model=350")))
        run("fill", document, "--results", self.tmp / "of_350")
        self.assertIn("\n| 350 | hlg log | ", document.read_text())


class Output(Case):
    def test_a_link_stays_one(self):
        folder = self.tmp / "kept"
        folder.mkdir()
        link = self.tmp / "link"
        link.symlink_to("kept/file")
        for text in ("new", "other"):
            files.write_text(link, text)
            self.assertTrue(link.is_symlink())
            self.assertEqual(files_of(folder), {"file": text.encode()})

    def test_a_pipe_is_written_into(self):
        pipe, found = self.tmp / "pipe", []
        os.mkfifo(pipe)
        reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
        reader.start()
        files.write_text(pipe, "text")
        reader.join(10)
        self.assertEqual((found, pipe.is_fifo()), (["text"], True))

    def test_an_open_file_keeps_what_is_in_it(self):
        script = "import sys; from hlg_lab import files; files.write_text(sys.argv[1], 'text ')"
        path = self.tmp / "open"
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/dev/fd/3"):
            shell = "exec 3>&1; echo head; %s -Bc \"%s\" %s; echo tail" % (
                sys.executable, script, name)
            path.write_text("old\n")
            for redirect, before in ((">>", "old\n"), (">", "")):
                subprocess.run(["bash", "-c", "(%s) %s %s" % (shell, redirect, path)], check=True)
                self.assertEqual(path.read_text(), before + "head\ntext tail\n")

    def test_nothing_is_left_behind(self):
        folder = self.tmp / "taken"
        (folder / "file").mkdir(parents=True)
        with self.assertRaisesRegex(files.Failure, "file: Is a directory"):
            files.write_text(folder / "file", "text")
        with self.assertRaisesRegex(files.Failure, "surrogates not allowed"):
            files.write_text(folder / "other", "\udcff")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
        with self.assertRaisesRegex(files.Failure, "large: File too large"):
            files.write_text(folder / "large", "text" * 10)
        self.assertEqual([path.name for path in Path(folder).iterdir()], ["file"])


if __name__ == "__main__":
    unittest.main()
