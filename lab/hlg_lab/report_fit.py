"""The chapter on `hlg harm fit`: which knobs suit the measured harm, and how well."""
from . import files, plots
from .files import COUNT, LIST, NULL, NUMBER, TEXT, Failure, Kind, at_least, either
from .page import cell

KNOBS = ("pivot_offset", "width", "shoulder", "toe", "cut")
QUALITY = ("lambda", "residual", "chi2", "dof")
PAIR = Kind("pair of numbers", lambda value: LIST.holds(value) and len(value) == 2 and all(
    map(NUMBER.holds, value)))
FIT = {"shape": TEXT, "harm": [NUMBER],
       **{name + "?": either(NUMBER, NULL) for name in (*KNOBS, *QUALITY)},
       "intervals?": {name + "?": PAIR for name in KNOBS}}
MODEL = {"model": TEXT, "repeats": COUNT, "fits": [FIT],
         "points": [{"z": NUMBER, "harm": NUMBER, "se": at_least(0, NUMBER)}],
         **dict.fromkeys(("fade_better?", "log_better?"), either(NUMBER, NULL))}


def read(path):
    """The models of the file, as hlg harm fit --json makes it."""
    models = files.read_json(path, [MODEL])
    if not models:
        raise Failure("%s: no models" % path)
    for model in models:
        for fit in model["fits"]:
            if len(fit["harm"]) != len(model["points"]):
                raise Failure("%s: %s: %d points, but %d harms of %s" % (
                    path, model["model"], len(model["points"]), len(fit["harm"]), fit["shape"]))
    return models


def knob_cell(fit, name):
    """The knob, and its bootstrap interval where there is one."""
    value = fit.get(name)
    if name not in fit.get("intervals", ()):
        return value
    return "%s (%s to %s)" % tuple(map(cell, (value, *map(float, fit["intervals"][name]))))


def better(model, fit):
    """In how many of the repeats this toe fits better than the other; they may be equal."""
    share = model.get(fit["shape"] + "_better")
    return None if share is None else "%d of %d" % (round(share * model["repeats"]),
                                                    model["repeats"])


def fits_table(model):
    """A row a shape."""
    return ["shape", *KNOBS, *QUALITY, "better"], [
        [fit["shape"], *(knob_cell(fit, name) for name in KNOBS),
         *(fit.get(name) for name in QUALITY), better(model, fit)] for fit in model["fits"]]


def fits_plot(points, fits):
    z, harm, error = ([point[name] for point in points] for name in ("z", "harm", "se"))
    figure, (axes,) = plots.panels(1)
    plots.draw_points(axes, "measured", z, harm, error)
    plots.draw_lines(axes, [(fit["shape"], z, fit["harm"], None) for fit in fits],
                     "nats from the top token", "harm")
    return plots.svg_of(figure)


def write(page, paths):
    page.heading("Knobs that fit the harm")
    page.text("The best sampler for a harm draws from the softmax of -lambda times it. So the "
              "curve was fitted to the measured harm, and so were a straight line (temperature) "
              "and a line with a cut-off; lambda is the dial that is left. In brackets, where "
              "the fit was repeated on harms redrawn by their standard errors, 95 % intervals; "
              "last, in how many of the repeats this toe fits better than the other.")
    for path in paths:
        for model in read(path):
            page.heading(model["model"], level=3)
            page.table(*fits_table(model))
            page.plot("fit-" + model["model"], "Measured harm and the fits.",
                      fits_plot(model["points"], model["fits"]))
