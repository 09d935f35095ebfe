"""The chapter on `hlg kl`: what each knob does to the distribution, over recorded rows."""
from . import files, plots
from .files import NUMBER, TEXT, either, word
from .settings import grouped

METRICS = {"entropy_after": "entropy", "deep_tail_after": "deep tail",
           "top_after": "top token", "effective_after": "effective tokens",
           "kl_hlg_temp": "KL(hlg, temp)", "kl_temp_hlg": "KL(temp, hlg)",
           "total_variation": "total variation"}
PLAIN = {"entropy_before": "entropy, plain", "deep_tail_before": "deep tail, plain",
         "top_before": "top token, plain"}
CHOICES = ("pivot", "toe_shape")
COLUMNS = {**dict.fromkeys(("model", "knob", "kind", *CHOICES), TEXT),
           **dict.fromkeys(("temperature", "rows", *METRICS, *PLAIN), NUMBER),
           "value": lambda row: TEXT if row["knob"] in CHOICES else either(NUMBER, word("off"))}


def bases(rows):
    """The rows with every number at its default: one for each pivot, toe shape and kind."""
    return [row for row in rows if row["knob"] == "pivot"]


def knobs(rows):
    """The numeric knobs, in the order of the file."""
    return [name for name in dict.fromkeys(row["knob"] for row in rows) if name not in CHOICES]


def defaults_table(page, model, rows):
    page.text("%s, every knob at its default, temperature 1, all kinds of prompt. The last columns "
              "are plain temperature 1." % model)
    columns = {**METRICS, **PLAIN}
    page.table(["pivot", "toe", *columns.values()],
               [[row["pivot"], row["toe_shape"], *(row[name] for name in columns)]
                for row in bases(rows) if row["kind"] == "all"])


def bands_table(page, rows):
    bands = [name for name in rows[0] if name.startswith("mass_")]
    page.text("Mass by distance from the top token, nats.")
    page.table(["pivot", "toe", *(name.removeprefix("mass_").replace("_", " ") for name in bands)],
               [[row["pivot"], row["toe_shape"], *(row[name] for name in bands)]
                for row in bases(rows) if row["kind"] == "all"])


def kinds_table(page, rows):
    columns = {"entropy_before": "entropy, plain", "entropy_after": "entropy",
               "deep_tail_before": "deep tail, plain", "deep_tail_after": "deep tail",
               "top_before": "top token, plain", "top_after": "top token"}
    page.text("The same by kind of prompt, for the top pivot.")
    page.table(["kind", "rows", "toe", *columns.values()],
               [[row["kind"], int(row["rows"]), row["toe_shape"], *(row[n] for n in columns)]
                for row in bases(rows) if row["pivot"] == "top"])


def knob_rows(rows, knob, pivot, shape):
    return [row for row in rows if (row["knob"], row["kind"], row["pivot"], row["toe_shape"]) == (
        knob, "all", pivot, shape)]


def combinations(rows):
    return dict.fromkeys((row["pivot"], row["toe_shape"]) for row in rows)


def points(rows, metric):
    """x and y. "off" has no place on the axis."""
    some = [row for row in rows if isinstance(row["value"], float)]
    return [row["value"] for row in some], [row[metric] for row in some]


def knob_plot(rows, knob):
    figure, panels = plots.panels(2)
    for axes, metric in zip(panels, ("entropy_after", "deep_tail_after")):
        series = []
        for pivot, shape in combinations(rows):
            series.append(("%s, %s" % (pivot, shape), *points(
                knob_rows(rows, knob, pivot, shape), metric), None))
        values = [value for _, x, _, _ in series for value in x]
        wide = min(values, default=0) > 0 and max(values) / min(values) > 100
        plots.draw_lines(axes, series, knob, METRICS[metric],
                         ("x" if wide else "") + ("y" if metric == "deep_tail_after" else ""))
    return plots.svg_of(figure)


def knob_table(knob, rows):
    return [knob, "pivot", "toe", *METRICS.values()], [
        [row["value"], row["pivot"], row["toe_shape"], *(row[name] for name in METRICS)]
        for row in rows]


def knob_section(page, model, rows, knob):
    page.heading("%s: %s" % (model, knob), level=4)
    page.plot("kl-%s-%s" % (model, knob),
              "Entropy and deep-tail mass against %s, by pivot and toe shape." % knob,
              knob_plot(rows, knob))
    page.table(*knob_table(knob, [row for pivot, shape in combinations(rows) if pivot == "top"
                                  for row in knob_rows(rows, knob, pivot, shape)]))


def write(page, paths):
    page.heading("What each knob does")
    page.text("Means over recorded rows, in nats or as shares of the mass. The deep tail: tokens "
              "of less than 1e-4 of the top token's probability, by the model.")
    for path in paths:
        for model, rows in grouped(files.read_csv(path, COLUMNS), "model").items():
            page.heading(model, level=3)
            defaults_table(page, model, rows)
            bands_table(page, rows)
            kinds_table(page, rows)
            for knob in knobs(rows):
                knob_section(page, model, rows, knob)
