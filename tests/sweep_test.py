"""hlg sweep: every sampler's numbers, computed here once more; who is beaten; harm and its source.

usage: sweep_test.py HLG
"""
import collections
import json
import math
import statistics
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(1, str(Path(__file__).parents[1] / "lab"))
import recorded  # noqa: E402
from hlg_lab import settings  # noqa: E402

HLG = Path(sys.argv.pop()).resolve()
N_VOCAB = 200
KNOBS = ("pivot", "pivot_offset", "width", "shoulder", "toe", "toe_shape")
COSTS = ("deep_tail", "near_greedy_loss", "harm")
SHARES = ("0.7", "0.85", "1.0", "1.15", "1.3", "1.5")
HARM = {"tiny": [(0, 0.01), (-2.5, 0.03), (-6, 0.1), (-12, 0.4)],
        "smollm2": [(0, 0.02), (-10, 0.5)]}


def harm_csv():
    lines = ["model,kind,coordinate,band,harm,se,n"]
    for model, points in HARM.items():
        for band, harm in reversed(points):
            lines += [f"{model},any,z_top,{band},{harm},0.01,300",
                      f"{model},any,logprob,{band},0.9,0.01,300",
                      f"{model},broken_word,z_top,{band},{harm / 2},0.01,300"]
    return "\n".join(lines) + "\n"


def bands_of(model, distance):
    """The shares of the model's bands in a token: straight between them, level beyond."""
    points = [-band for band, _ in HARM[model]]
    shares = [0.0] * len(points)
    for i, (low, high) in enumerate(zip(points, points[1:])):
        if low <= distance < high:
            shares[i + 1] = (distance - low) / (high - low)
            shares[i] = 1 - shares[i + 1]
            return shares
    shares[-1] = 1.0
    return shares


# What each rival leaves of a row, by its definition.
def top_p(row, p):
    order = sorted(range(len(row)), key=lambda i: -row[i])
    kept, mass = set(), 0
    for i in order:
        if mass >= p:
            break
        kept.add(i)
        mass += math.exp(recorded.normalised(row)[i])
    return kept


def min_p(row, p):
    return {i for i, d in enumerate(recorded.distances(row)) if d <= -math.log(p)}


def top_n_sigma(row, n):
    sigma = statistics.pstdev(x for x in row if x > -math.inf)
    return {i for i, d in enumerate(recorded.distances(row)) if d <= n * sigma}


CUTS = {"temperature": lambda row, _: set(range(len(row))),
        "top_p": top_p, "min_p": min_p, "top_n_sigma": top_n_sigma}


def rival(row, line):
    kept = CUTS[line["sampler"]](row, float(line["cut"] or 0))
    t = float(line["temperature"])
    return recorded.normalised([x / t if i in kept else -math.inf for i, x in enumerate(row)])


def measured(rows, drawn, harm_model):
    """The means over the rows of what a line of the table says."""
    found = collections.defaultdict(list)
    for row, q in zip(rows, drawn):
        p = recorded.normalised(row)
        lowered = math.exp(max(p)) - math.exp(max(q))
        found["entropy"].append(recorded.entropy(q))
        found["top_lowered"].append(lowered)
        found["deep_tail"].append(recorded.deep_tail(q, row))
        bands = zip(*(bands_of(harm_model, d) for d in recorded.distances(row)))
        masses = [recorded.expected(q, shares) for shares in bands]
        for i, mass in enumerate(masses):
            found[f"band_{i}"].append(mass)
        found["harm"].append(sum(m * harm for m, (_, harm) in zip(masses, HARM[harm_model])))
        if math.exp(max(p)) >= 0.99:
            found["near_greedy_loss"].append(lowered)
    return {name: math.fsum(values) / len(values) for name, values in found.items()}


def dominates(a, b):
    better = [float(b[name]) - float(a[name]) for name in COSTS]
    return min(better) >= 0 and max(better) > 0


def arm(line):
    return " ".join(filter(None, (line["sampler"], line["toe_shape"])))


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tmp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(tmp.cleanup)
        cls.path = Path(tmp.name)
        cls.rows = {"tiny": recorded.made_up_rows(N_VOCAB),
                    "other": recorded.made_up_rows(N_VOCAB, n_rows=3, seed=2)}
        cls.folders = {model: recorded.record(cls.path / model, rows, name=model)
                       for model, rows in cls.rows.items()}
        (cls.path / "harm.csv").write_text(harm_csv())
        cls.done = cls.sweep("--csv", cls.path / "a.csv", "--json", cls.path / "a.json",
                             "--threads=1")
        cls.table = recorded.read_csv(cls.path / "a.csv")

    @classmethod
    def sweep(cls, *args):
        done = recorded.run(HLG, "sweep", *cls.folders.values(), "--harm", cls.path / "harm.csv",
                            *args)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done

    def lines(self, model, sampler=None, share=None):
        return [line for line in self.table if line["model"] == model
                and sampler in (None, line["sampler"]) and share in (None, line["entropy_share"])]

    def check_line(self, line, drawn):
        rows = self.rows[line["model"]]
        harm_model = {"tiny": "tiny", "other": "smollm2"}[line["model"]]
        self.assertEqual(line["harm_model"], harm_model)
        for name, value in measured(rows, drawn, harm_model).items():
            self.assertAlmostEqual(float(line[name]), value, delta=2e-5, msg=f"{name} of {line}")
        plain = statistics.mean(recorded.entropy(recorded.normalised(row)) for row in rows)
        self.assertAlmostEqual(float(line["entropy"]), float(line["entropy_share"]) * plain,
                               delta=2e-5)

    def test_as_many_settings_of_each(self):
        for model in ("tiny", "other", "all"):
            for share in SHARES:
                tried = [tuple(line[name] for name in ("sampler", "cut", *KNOBS))
                         for line in self.lines(model, share=share)]
                self.assertEqual(len(set(tried)), len(tried))
                counts = collections.Counter(sampler for sampler, *_ in tried)
                self.assertEqual(counts.pop("temperature"), 1)
                self.assertLessEqual(set(counts), {"hlg", *CUTS})
                self.assertLessEqual(max(counts.values()), 324)
                self.assertEqual(counts["hlg"], 324)

    def test_only_cut_offs_miss_an_entropy(self):
        for sampler in ("top_p", "min_p", "top_n_sigma"):
            n = [len(self.lines("tiny", sampler, share)) for share in SHARES]
            self.assertEqual(n, sorted(n, reverse=True))  # what reaches more reaches less
            self.assertGreater(n[0], n[-1])

    def test_rivals_are_what_their_definitions_say(self):
        for sampler in CUTS:
            for model in self.folders:
                for line in self.lines(model, sampler)[::131]:
                    self.check_line(line, [rival(row, line) for row in self.rows[model]])

    def test_plain_temperature_at_its_own_entropy_is_one(self):
        for model in self.folders:
            line, = self.lines(model, "temperature", "1.0")
            self.assertAlmostEqual(float(line["temperature"]), 1, places=5)
            self.assertAlmostEqual(float(line["top_lowered"]), 0, places=5)

    def test_hlg_is_what_hlg_apply_says(self):
        for model, folder in self.folders.items():
            for line in self.lines(model, "hlg")[::131]:
                knobs = {name: line[name] for name in (*KNOBS, "temperature")}
                self.check_line(line, recorded.applied(HLG, folder, knobs, N_VOCAB))

    def test_the_defaults_are_among_the_settings(self):
        default = json.loads(recorded.run(HLG, "curve", "--json").stdout)["settings"]
        numbers = ("pivot_offset", "width", "shoulder", "toe")
        for shape in ("log", "fade"):
            self.assertTrue(any((line["pivot"], line["toe_shape"]) == (default["pivot"], shape)
                                and all(float(line[name]) == default[name] for name in numbers)
                                for line in self.lines("tiny", "hlg")), shape)
        self.assertLessEqual(settings.DEFAULTS.items(), default.items())

    def test_all_is_the_mean_over_the_models(self):
        def by_setting(model):
            return {tuple(line[name] for name in ("entropy_share", "sampler", "cut", *KNOBS)): line
                    for line in self.lines(model)}
        tiny, other, all_of = map(by_setting, ("tiny", "other", "all"))
        self.assertEqual(set(all_of), set(tiny) & set(other))
        for setting in list(all_of)[::97]:
            for name in ("entropy", "temperature", "top_lowered", "deep_tail", "harm"):
                mean = (float(tiny[setting][name]) + float(other[setting][name])) / 2
                self.assertAlmostEqual(float(all_of[setting][name]), mean, places=12)
            losses = [float(of[setting]["near_greedy_loss"]) for of in (tiny, other)
                      if of[setting]["near_greedy_loss"]]
            self.assertAlmostEqual(float(all_of[setting]["near_greedy_loss"]),
                                   statistics.mean(losses), places=12)
            self.assertEqual(all_of[setting]["rows"], "9")
            self.assertEqual(all_of[setting]["band_0"], "")

    def test_near_greedy_rows(self):
        self.assertEqual({line["near_greedy_rows"] for line in self.lines("tiny")}, {"1"})

    def test_pareto(self):
        for share in SHARES[::2]:
            lines = self.lines("all", share=share)
            optimal = [line for line in lines if line["pareto"] == "1"]
            others = [line for line in lines if line["pareto"] == "0"]
            self.assertTrue(optimal and others)
            for line in optimal[::5]:
                self.assertFalse([1 for other in lines if dominates(other, line)], line)
            for line in others[::61]:
                self.assertTrue(any(dominates(other, line) for other in optimal), line)

    def test_printed_is_the_least_harm_at_each_entropy(self):
        lines = [line.split() for line in self.done.stdout.splitlines()[3:]]
        printed = [(f"{float(share):g}", " ".join(rest[:-12]), rest[-1])
                   for share, *rest in lines]
        least = {}
        for line in self.lines("all"):
            key = f"{float(line['entropy_share']):g}", arm(line)
            least[key] = min(least.get(key, math.inf), float(line["harm"]))
        self.assertEqual({(share, name): harm for share, name, harm in printed},
                         {key: f"{harm:.4g}" for key, harm in least.items()})
        self.assertEqual(len(printed), len(least))

    def test_threads_do_not_matter(self):
        again = self.sweep("--csv", self.path / "b.csv", "--json", self.path / "b.json",
                           "--threads=3")
        self.assertEqual(again.stdout, self.done.stdout)
        for ending in ("csv", "json"):
            self.assertEqual((self.path / f"a.{ending}").read_bytes(),
                             (self.path / f"b.{ending}").read_bytes())

    def test_json(self):
        whole = json.loads((self.path / "a.json").read_text())
        self.assertEqual(len(whole["results"]), len(self.table))
        self.assertEqual([r["model"]["file"] for r in whole["recordings"]],
                         ["tiny.gguf", "other.gguf"])
        self.assertEqual(whole["harm"]["kind"], "any")

    def test_without_harm(self):
        out = self.path / "c.csv"
        done = recorded.run(HLG, "sweep", self.folders["tiny"], "--csv", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = recorded.read_csv(out)
        self.assertEqual({(line["model"], line["harm"], line["harm_model"]) for line in lines},
                         {("tiny", "", "")})

    def test_a_harm_table_that_is_none(self):
        good = harm_csv().splitlines()
        for number, line, text in (
                (3, "tiny,any,z_top,-6,0,1,0.01,300", ":3: 8 cells, not the 7 of the first line"),
                (3, "tiny,any,z_top,1.5,0.1,0.01,9", ':3: band: "1.5" is not allowed: give no more '
                                                    "than 0"),
                (4, "tiny,any,z_top,-2,nan,0.01,9",
                 ':4: harm: "nan" is not allowed: give a number'),
                (5, "tiny,any,z_top,-2,0.1,-1,9", ':5: se: "-1" is not allowed: give no less than '
                                                  "0"),
                (5, "tiny,any,z_top,-2,0.1,1e-200,9", ':5: se: "1e-200" is not allowed: give 0, or '
                                                      "no less than 1e-9"),
                (5, good[1], ':5: band: "-12" is not allowed: give each band once'),
                (1, "model,kind,coordinate,place,harm,se,n", ":1: not one column band")):
            bad = self.path / "bad.csv"
            bad.write_text("\n".join([*good[:number - 1], line, *good[number:]]) + "\n")
            done = recorded.run(HLG, "harm", "fit", bad)
            self.assertEqual((done.returncode, done.stderr), (1, f"hlg harm fit: {bad}{text}\n"))

    def test_a_harm_table_with_quotes_and_windows_lines(self):
        path = self.path / "quoted.csv"
        path.write_text("\r\n".join(line.replace("tiny,", '"ti""n,y",')
                                    for line in harm_csv().splitlines()))
        done = recorded.run(HLG, "harm", "fit", path, "--repeats=0", "--model", 'ti"n,y')
        self.assertEqual((done.stderr, done.stdout.splitlines()[0]),
                         ("", 'ti"n,y, any, z_top, 4 bands'))

    def test_the_table_alone_on_standard_output(self):
        done = recorded.run(HLG, "sweep", self.folders["tiny"], "--csv=-")
        self.assertTrue(done.stdout.startswith("model,sampler,"), done.stdout[:100])
        self.assertEqual({line.count(",") for line in done.stdout.splitlines()},
                         {done.stdout.splitlines()[0].count(",")})

    def test_complaints(self):
        harm = self.path / "harm.csv"
        for args, status, text in (
                ([], 2, "DIR"),
                ([self.folders["tiny"], self.folders["tiny"]], 2,
                 f"{self.folders['tiny']}: model tiny again: give each model one folder"),
                ([self.folders["tiny"], "--harm", harm, "--harm-kind=what"], 1,
                 f"{harm}: no row of kind what, coordinate z_top, for tiny or smollm2"),
                ([self.folders["tiny"], "--harm=nowhere.csv"], 1,
                 "nowhere.csv: No such file or directory")):
            done = recorded.run(HLG, "sweep", *args)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
