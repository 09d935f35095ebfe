"""The tables and plots of docs/investigation.md, from the files that `hlg_lab publish` writes.

A table: (folder, arguments as texts) -> columns, rows. A plot: (folder) -> SVG.
"""
import inspect
from pathlib import Path

from . import (
    compare,
    files,
    harm_tables,
    page,
    plots,
    report_compare,
    report_fit,
    report_harm,
    report_kl,
    report_sweep,
    score,
    settings,
    slopes,
)
from .files import COUNT, TEXT
from .settings import COSTS, SETTING, arm, grouped, least, measured_costs

DEFAULTS_COLUMNS = {"entropy_before": "entropy, plain", "entropy_after": "entropy",
                    "deep_tail_before": "deep tail, plain", "deep_tail_after": "deep tail",
                    "top_before": "top token, plain", "top_after": "top token",
                    "kl_hlg_temp": "KL(hlg, temp)"}
RUNS = {"models": [{"model": TEXT, "vocabulary": COUNT, "sha256": TEXT, "rows": COUNT}],
        "harm": [{"model": TEXT, "prefixes": COUNT, "tokens": COUNT,
                  "judge?": {"model": TEXT}}]}


def select(folder, name, columns, **wanted):
    """The rows of a file that have these values; None stands for any."""
    path = Path(folder) / name
    wanted = {key: value if columns[key] is TEXT else files.as_number(value)
              for key, value in wanted.items() if value is not None}
    rows = [row for row in files.read_csv(path, columns)
            if all(row[key] == value for key, value in wanted.items())]
    if not rows:
        raise files.Failure("%s: no row with %s" % (path, ", ".join(
            "%s=%s" % (key, files.number(value)) for key, value in wanted.items())))
    return rows


def kl_defaults(folder):
    rows = select(folder, "kl.csv", report_kl.COLUMNS, knob="pivot", kind="all")
    return ["model", "pivot", "toe", *DEFAULTS_COLUMNS.values()], [
        [row[name] for name in ("model", "pivot", "toe_shape", *DEFAULTS_COLUMNS)] for row in rows]


def knob_(folder, knob, values, pivot="top"):
    """What a knob does to every model at some of its values."""
    rows = select(folder, "kl.csv", report_kl.COLUMNS, kind="all", knob=knob, pivot=pivot)
    metrics = {"entropy_after": "entropy", "deep_tail_after": "deep tail", "top_after": "top token"}
    lines = []
    for model, some in grouped(rows, "model").items():
        for value in map(files.as_number, values.split(",")):
            found = {row["toe_shape"]: row for row in some if row["value"] == value}
            if not {"log", "fade"} <= set(found):
                raise files.Failure("%s: no %s %s with both toe shapes" % (
                    model, knob, files.number(value)))
            lines.append([model, value, *(found[shape][metric] for metric in metrics
                                          for shape in ("log", "fade"))])
    return ["model", knob, *("%s, %s" % (name, shape) for name in metrics.values()
                             for shape in ("log", "fade"))], lines


def kinds(folder, model):
    """Entropy and top token by kind of prompt, at default knobs with the fade toe."""
    rows = select(folder, "kl.csv", report_kl.COLUMNS, knob="pivot", model=model, toe_shape="fade")
    pivots = list(grouped(rows, "pivot"))
    lines = []
    for kind, some in grouped(rows, "kind").items():
        lines.append([kind, int(some[0]["rows"]),
                      *(some[0][name] for name in ("entropy_before", "top_before")),
                      *(row[name] for name in ("entropy_after", "top_after") for row in some)])
    return ["kind", "rows", "entropy, plain", "top, plain",
            *("%s, %s" % (name, pivot) for name in ("entropy", "top") for pivot in pivots)], lines


def kl_knob(folder, knob, pivot, model):
    return report_kl.knob_table(knob, select(folder, "kl.csv", report_kl.COLUMNS, kind="all",
                                             knob=knob, pivot=pivot, model=model))


def leak(folder):
    """The mass of the deep tail under each model's vocabulary."""
    rows = select(folder, "kl.csv", report_kl.COLUMNS, knob="pivot", kind="all")
    runs = files.read_json(Path(folder) / "runs.json", RUNS)["models"]
    words = {run["model"]: run["vocabulary"] for run in runs}
    curves = report_kl.combinations(rows)
    lines = []
    for model, some in grouped(rows, "model").items():
        found = {(row["pivot"], row["toe_shape"]): row["deep_tail_after"] for row in some}
        lines.append([model, words.get(model), some[0]["deep_tail_before"],
                      *(found.get(curve) for curve in curves)])
    return ["model", "vocabulary", "plain", *("%s, %s" % curve for curve in curves)], lines


def harm_bands(folder, model, kind, prompts):
    return report_harm.gains_table(select(folder, "harm-bands.csv", harm_tables.BAND_COLUMNS,
                                          model=model, kind=kind, prompts=prompts))


def coordinates(folder, model):
    return report_harm.coordinates_table(select(folder, "coordinates.csv",
                                                harm_tables.COORDINATE_COLUMNS, model=model))


def slopes_(folder, model=None, kind=None):
    return slopes.table(select(folder, "slopes.csv", slopes.COLUMNS, model=model, kind=kind))


def fit(folder, model=None):
    """All models' fits, or one's."""
    columns, lines = [], []
    for one in report_fit.read(Path(folder) / "fit.json"):
        if model in (None, one["model"]):
            columns, rows = report_fit.fits_table(one)
            lines += [[one["model"], *row] for row in rows]
    if not lines:
        raise files.Failure("%s: no model %s" % (Path(folder) / "fit.json", model))
    return ["model", *columns], lines


def compare_(folder, model=None, share=None):
    return report_compare.halves_table(select(folder, "compare.csv", compare.COLUMNS, model=model,
                                              entropy_share=share))


def sweep_best(folder, share, model=None):
    """The setting of each arm with the least harm, and the least deep tail of any of its
    settings."""
    rows = select(folder, "sweep.csv", settings.COLUMNS, entropy_share=share, model=model)
    names = (*SETTING, "top_lowered", *COSTS)
    lines = []
    for of_model in grouped(rows, "model").values():
        cost = measured_costs(of_model)[0]
        for name, tried in grouped(of_model, arm).items():
            best = least(tried, cost)
            lines.append([best["model"], name, *(best[column] for column in names),
                          least(tried, "deep_tail")["deep_tail"]])
    return ["model", "sampler", *SETTING, "top lowered", *COSTS.values(), "lowest deep tail"], lines


def pivots(folder, share, model=None):
    """The least harm under each pivot and toe shape."""
    rows = [row for row in select(folder, "sweep.csv", settings.COLUMNS, sampler="hlg",
                                  entropy_share=share, model=model)
            if "harm" in measured_costs([row])]
    names = ("temperature", "pivot_offset", "width", "shoulder", "toe", *COSTS)
    lines = []
    for key, tried in grouped(rows, lambda row: (row["model"], row["toe_shape"],
                                                 row["pivot"])).items():
        best = least(tried, "harm")
        lines.append([*key, *(best[name] for name in names)])
    return ["model", "toe", "pivot", "temperature", "offset", "width", "shoulder", "toe, nats",
            *COSTS.values()], lines


def near_greedy(folder, model):
    """What the top token loses where it had 0.99 or more: temperature, HLG's defaults, and the
    setting of least harm of each sampler."""
    rows = select(folder, "sweep.csv", settings.COLUMNS, model=model)
    found = {}  # share -> sampler -> its loss; a sampler may miss a share
    for share, some in sorted(grouped(rows, "entropy_share").items()):
        chosen = {"hlg default " + row["toe_shape"]: row for row in some
                  if settings.is_default(row)}
        chosen.update((name, least(tried, "harm")) for name, tried in grouped(some, arm).items())
        found[share] = {name: row["near_greedy_loss"] for name, row in chosen.items()}
    names = sorted({name for losses in found.values() for name in losses})
    return ["entropy, %d rows" % rows[0]["near_greedy_rows"], *names], [
        [share, *(losses.get(name) for name in names)] for share, losses in found.items()]


def knots(folder, model, toe_shape, toe):
    """Offset and width at one toe: what counts is where the knots lie."""
    rows = [row for row in select(folder, "sweep.csv", settings.COLUMNS, model=model, toe=toe,
                                  toe_shape=toe_shape) if settings.is_knot(row)]
    if not rows:
        raise files.Failure("sweep.csv: no setting of %s with a %s toe of %s has the default pivot "
                            "and shoulder" % (model, toe_shape, toe))
    costs = measured_costs(rows)
    return ["offset", "width", "shoulder begins", "toe begins", "temperature", "top lowered",
            *(COSTS[cost] for cost in costs)], [
        [row["pivot_offset"], row["width"], row["width"] - row["pivot_offset"],
         -row["width"] - row["pivot_offset"], row["temperature"], row["top_lowered"],
         *(row[cost] for cost in costs)] for row in rows]


def runs(folder):
    """What was recorded, and where tokens were forced."""
    found = files.read_json(Path(folder) / "runs.json", RUNS)
    harms = {one["model"]: one for one in found["harm"]}
    lines = []
    for one in found["models"]:
        harm_ = harms.get(one["model"])
        lines.append([one["model"], one["vocabulary"], one["sha256"][:12], one["rows"],
                      harm_ and harm_["prefixes"], harm_ and harm_["tokens"],
                      harm_ and harm_.get("judge", {}).get("model")])
    return ["model", "vocabulary", "sha256", "rows", "prefixes", "tokens after", "judge"], lines


def knob_plot(folder):
    """Entropy and deep tail of each model against each knob, top pivot, fade toe."""
    rows = select(folder, "kl.csv", report_kl.COLUMNS, kind="all", pivot="top", toe_shape="fade")
    names = report_kl.knobs(rows)
    figure, panels = plots.panels(2 * len(names))
    for i, name in enumerate(names):
        for axes, metric in zip(panels[2 * i:], ("entropy_after", "deep_tail_after")):
            series = []
            for model, some in grouped([r for r in rows if r["knob"] == name], "model").items():
                series.append((model, *report_kl.points(some, metric), None))
            plots.draw_lines(axes, series, name, report_kl.METRICS[metric],
                             "y" if metric == "deep_tail_after" else "")
            axes.set_xscale("symlog" if name != "temperature" else "linear")
    return plots.svg_of(figure)


def harm_plot(folder):
    rows = select(folder, "harm-bands.csv", harm_tables.BAND_COLUMNS, kind=score.ANY,
                  prompts=harm_tables.ALL)
    return report_harm.curve_plot(grouped(rows, "model"))


def cost_plot(folder):
    """Of the mean over models, which comes last."""
    rows = select(folder, "sweep.csv", settings.COLUMNS)
    *_, last = grouped(rows, "model").values()
    return report_sweep.cost_plot(last, [c for c in measured_costs(last) if c in settings.KEPT])


TABLES = {"runs": runs, "kl-defaults": kl_defaults, "kl-knob": kl_knob, "knob": knob_,
          "kinds": kinds, "leak": leak, "harm-bands": harm_bands, "coordinates": coordinates,
          "slopes": slopes_, "fit": fit, "sweep-best": sweep_best, "pivots": pivots, "knots": knots,
          "near-greedy": near_greedy, "compare": compare_}
PLOTS = {"knobs": ("kl.csv", knob_plot), "harm": ("harm-bands.csv", harm_plot),
         "cost": ("sweep.csv", cost_plot)}


def table(name, arguments, folder):
    """As Markdown. The arguments: a dictionary of texts."""
    if name not in TABLES:
        raise files.Failure("no table %s: there are %s" % (name, ", ".join(TABLES)))
    parameters = inspect.signature(TABLES[name])
    try:
        parameters.bind(folder, **arguments)
    except TypeError as error:
        takes = [str(p) for p in parameters.parameters.values()][1:]
        raise files.Failure("table %s: %s; it takes %s" % (
            name, error, ", ".join(takes) or "no arguments")) from error
    return page.markdown_table(*TABLES[name](folder, **arguments))


def all_plots(folder):
    """Name -> SVG. Without its file a plot is left out."""
    return {name: plot(folder) for name, (file, plot) in PLOTS.items()
            if (Path(folder) / file).exists()}
