"""The chapter on `hlg harm fit`: which knobs suit the measured harm, and how well."""
from . import files, plots
from .files import Failure

KNOBS = ("pivot_offset", "width", "shoulder", "toe", "cut")
QUALITY = ("lambda", "residual", "chi2", "dof")


def fits_table(page, fits):
    page.table(["shape", *KNOBS, *QUALITY],
               [[fit["shape"], *(fit.get(name) for name in (*KNOBS, *QUALITY))] for fit in fits])


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
              "and a line with a cut-off; lambda is the dial that is left.")
    for path in paths:
        try:
            for model in files.read_json(path):
                page.heading(model["model"], level=3)
                fits_table(page, model["fits"])
                page.plot("fit-" + model["model"], "Measured harm and the fits.",
                          fits_plot(model["points"], model["fits"]))
        except (KeyError, TypeError) as error:
            raise Failure("%s: not made by hlg harm fit --json" % path) from error
