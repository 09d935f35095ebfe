"""The chapter on harm: the measured curve, and which coordinate predicts it best."""
from . import files, harm, harm_tables, plots, score
from .page import span
from .settings import grouped

COORDINATE_NAMES = {"z_top": "distance from the top", "logprob": "log-probability",
                    "z_entropy": "distance from the entropy", "log_rank": "log of the rank"}
BAND = "nats from the top"
NATURAL = "natural draw"


def band_name(row):
    return NATURAL if row["band"] == harm.NATURAL else row["band"]


def with_error(row):
    return "%.4g +- %.2g" % (row["harm"], row["se"])


def kinds_table(rows, columns):
    """A row a band. The columns: name -> (kind of harm, kind of prompt)."""
    found = {(row["kind"], row["prompts"], row["number"]): row for row in rows}
    cells = [[band_name(row), *(with_error(found[key]) if key in found else None
                                for key in ((*which, row["number"]) for which in columns.values()))]
             for row in rows if (row["kind"], row["prompts"]) == (score.ANY, harm_tables.ALL)]
    return [BAND, *columns], cells


def gains_table(rows):
    """Harm by band, and how far above that of the natural draws. Rows of one kind."""
    return [BAND, "texts", "harm", "above natural", "interval", "80 % power"], [
        [band_name(row), int(row["n"]), with_error(row), row["above_natural"],
         span(row["low"], row["high"]), row["detectable"]] for row in rows]


def coordinates_table(rows):
    return ["harm", "coordinate", "predicted", "interval", "difference"], [
        [row["kind"], COORDINATE_NAMES[row["coordinate"]], row["explained"],
         span(row["low"], row["high"]), span(row["difference_low"], row["difference_high"])]
        for row in rows]


def curve_plot(curves):
    """A panel for each of the curves, name -> rows. The natural draws have no place on it."""
    figure, panels = plots.panels(len(curves))
    for axes, (name, rows) in zip(panels, curves.items()):
        bands = [row for row in rows if row["band"] != harm.NATURAL]
        points = ([row[column] for row in bands] for column in ("band", "harm", "se"))
        plots.draw_lines(axes, [(name, *points)], "nats from the top token", "harm")
    return plots.svg_of(figure)


def model_section(page, model, lines):
    rows = harm_tables.band_rows(lines)
    if not rows:
        raise files.Failure("scores of %s: no forced token with a score" % model)
    kinds, prompts = (list(dict.fromkeys(row[name] for row in rows))
                      for name in ("kind", "prompts"))
    everywhere = [row for row in rows if row["prompts"] == harm_tables.ALL]
    page.heading(model, level=3)
    page.text("%d prefixes, %d texts. Harm by distance from the top token, with standard errors "
              "from a bootstrap over prompts." % (
                  len({line["prefix"] for line in lines}), len(lines)))
    page.table(*kinds_table(rows, {kind: (kind, harm_tables.ALL) for kind in kinds}))
    page.plot("harm-" + model, "Harm of a forced token against its distance from the top token.",
              curve_plot({kind: [row for row in everywhere if row["kind"] == kind]
                          for kind in kinds}))
    page.text("At least one kind of harm (any), by kind of prompt.")
    page.table(*kinds_table(rows, {name: (score.ANY, name) for name in prompts[1:]}))
    page.text("At least one kind of harm, and how much above that of the natural draws from the "
              "same prefixes, its 95 % interval, and the difference that a run of this size finds "
              "four times of five.")
    page.table(*gains_table([row for row in everywhere if row["kind"] == score.ANY]))
    page.text("The share of the harm's variance that each coordinate predicts by a falling curve, "
              "for prompts that the curve has not seen, and 95 % intervals: of the share, and of "
              "its difference from that of the distance from the top.")
    page.table(*coordinates_table(harm_tables.coordinate_rows(lines)))


def write(page, paths):
    page.heading("Harm of a forced token")
    for path in paths:
        for model, lines in grouped(harm.read_scores(path), "model").items():
            model_section(page, model, lines)
