"""The chapter on harm: the measured curve, and which coordinate predicts it best."""
import numpy as np

from . import files, harm, plots, score, statistics
from .page import cell

NEEDED = ("model", "prefix", "kind", "band", *harm.COORDINATES)
COORDINATE_NAMES = {"z_top": "distance from the top", "logprob": "log-probability",
                    "z_entropy": "distance from the entropy", "log_rank": "log of the rank"}
DETECTABLE = 2.8  # standard errors: seen four times out of five at the 5 % level


def by_model(lines):
    models = {}
    for line in lines:
        models.setdefault(line["model"], []).append(line)
    return models


def measured_kinds(lines):
    return [kind for kind in score.KINDS if harm.forced(lines, kind)]


def band_names(lines):
    """The centre of each band, as text; the control has none."""
    bands, groups = np.unique(harm.column(lines, "band"), return_inverse=True)
    centres = np.bincount(groups, harm.column(lines, "z_top")) / np.bincount(groups)
    return {int(band): "natural draw" if band == harm.CONTROL else cell(float(centre))
            for band, centre in zip(bands, centres)}


def harm_by_band(lines, kind):
    """Band -> harm and standard error, the control's among them."""
    found = {}
    if control := harm.controls(lines, kind):
        found[harm.CONTROL] = harm.natural(control, kind)
    if some := harm.forced(lines, kind):
        found.update(zip(np.unique(harm.column(some, "band")).tolist(),
                         harm.curve(some, kind, "z_top")))
    return found


def band_table(page, lines, columns):
    """A row a band of these lines. The columns: (name, lines, kind of harm)."""
    found = [harm_by_band(some, kind) for _, some, kind in columns]
    page.table(["nats from the top", *(name for name, _, _ in columns)],
               [[name, *("%.4g +- %.2g" % (row["harm"], row["se"]) if row else None
                         for row in (rows.get(band) for rows in found))]
                for band, name in band_names(lines).items()])


def differences_table(page, lines, kind):
    """Each text against the natural draw from its own prefix."""
    natural = {line["prefix"]: line[kind] for line in harm.controls(lines, kind)}
    some = [line for line in harm.forced(lines, kind) if line["prefix"] in natural]
    gained = harm.column(some, kind) - np.array([natural[line["prefix"]] for line in some])
    bands, groups = np.unique(harm.column(some, "band"), return_inverse=True)
    means, repeats = statistics.group_means(gained, harm.column(some, "prefix"), groups,
                                            len(bands))
    errors, names = statistics.standard_error(repeats), band_names(some)
    page.table(["nats from the top", "above natural", "interval", "80 % power"],
               [[names[int(band)], float(mean), span(column), DETECTABLE * float(error)]
                for band, mean, column, error in zip(bands, means, repeats.T, errors)])


def span(repeats):
    low, high = (round(float(end), 4) + 0.0 for end in statistics.interval(repeats))  # no -0
    return "%.4f to %.4f" % (low, high)


def curve_plot(lines, kinds):
    figure, panels = plots.panels(len(kinds))
    for axes, kind in zip(panels, kinds):
        rows = harm.curve(harm.forced(lines, kind), kind, "z_top")
        points = ([row[name] for row in rows] for name in ("band", "harm", "se"))
        plots.draw_lines(axes, [(kind, *points)], "nats from the top token", "harm")
    return plots.svg_of(figure)


def explained_rows(lines, kind):
    """How much of the harm each coordinate predicts, and how much more than the first."""
    some = harm.forced(lines, kind)
    values, prefixes = harm.column(some, kind), harm.column(some, "prefix")
    if np.ptp(values) == 0:
        return []  # there is nothing to predict
    results = {name: statistics.explained(harm.column(some, name), values, prefixes)
               for name in harm.COORDINATES}
    first = results[harm.COORDINATES[0]][1]
    return [[kind, COORDINATE_NAMES[name], float(share), span(repeats),
             None if repeats is first else span(repeats - first)]
            for name, (share, repeats) in results.items()]


def model_section(page, model, lines):
    kinds = measured_kinds(lines)
    prompts = sorted({line["kind"] for line in lines})
    page.heading(model, level=3)
    page.text("%d prefixes, %d texts. Harm by distance from the top token, with standard errors "
              "from a bootstrap over prefixes." % (
                  len({line["prefix"] for line in lines}), len(lines)))
    band_table(page, lines, [(kind, lines, kind) for kind in kinds])
    page.plot("harm-" + model, "Harm of a forced token against its distance from the top token.",
              curve_plot(lines, kinds))
    page.text("At least one kind of harm (any), by kind of prompt.")
    band_table(page, lines, [(name, [line for line in lines if line["kind"] == name], score.ANY)
                             for name in prompts])
    if harm.controls(lines, score.ANY):
        page.text("The same above that of the natural draws from the same prefixes, its 95 % "
                  "interval, and the difference that a run of this size finds four times of five.")
        differences_table(page, lines, score.ANY)
    page.text("The share of the harm's variance that each coordinate predicts by a falling curve, "
              "for prefixes that the curve has not seen, and 95 % intervals: of the share, and of "
              "its difference from that of the distance from the top.")
    page.table(["harm", "coordinate", "predicted", "interval", "difference"],
               [row for kind in kinds for row in explained_rows(lines, kind)])


def write(page, paths):
    page.heading("Harm of a forced token")
    for path in paths:
        for model, lines in by_model(files.read_jsonl(path, NEEDED)).items():
            model_section(page, model, lines)
