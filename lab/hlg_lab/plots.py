"""Plots as SVG text. Equal data give equal bytes: no date, ids from a fixed salt."""
import io

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "hlg", "svg.fonttype": "none", "font.size": 9, "axes.grid": True,
    "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False,
    "figure.constrained_layout.use": True})
from matplotlib import pyplot  # noqa: E402

PANEL = (4.2, 3.0)  # inches
IN_A_ROW = 3
MARKED = 40  # points of a line, at most
NO_METADATA = {"Date": None, "Creator": None}


def svg_of(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata=NO_METADATA)
    pyplot.close(figure)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def panels(n):
    """A figure of n panels, and their axes."""
    n_rows, n_columns = -(-n // IN_A_ROW), min(n, IN_A_ROW)
    figure, axes = pyplot.subplots(n_rows, n_columns, squeeze=False,
                                   figsize=(PANEL[0] * n_columns, PANEL[1] * n_rows))
    for unused in axes.flat[n:]:
        unused.set_axis_off()
    return figure, axes.flat[:n]


def draw_lines(axes, series, x_label, y_label, log=""):
    """Each of the series: (label, x, y, half-width of its error bars or None)."""
    for label, x, y, error in series:
        marker = "." if len(x) <= MARKED else None
        axes.errorbar(x, y, yerr=error, label=label, marker=marker, linewidth=1, capsize=2)
    axes.set(xlabel=x_label, ylabel=y_label)
    if "x" in log:
        axes.set_xscale("log")
    if "y" in log:
        axes.set_yscale("log")
    axes.legend(fontsize=7, frameon=False)


def draw_points(axes, label, x, y, error):
    """Measured points, to be drawn before the lines that explain them."""
    axes.errorbar(x, y, yerr=error, label=label, fmt="o", color="black", markersize=3, capsize=2)
