"""slopes.csv: how fast harm grows where the curve has its shoulder, its middle and its toe.

The sampler with the most entropy for its harm has the slope of the harm, turned around, as its own.
So a toe that fades suits a harm that grows faster there than in the middle, and a log toe one that
grows slower.
"""
import numpy as np

from . import harm, harm_tables, statistics
from .files import CELL, NUMBER, TEXT, word
from .page import span

REGIONS = {"shoulder": (0, 2), "middle": (2, 10), "toe": (10, np.inf)}  # nats, default knobs
LOST = 0.01  # of the repeats
COLUMNS = {"model": TEXT, "kind": TEXT, "region": word(*REGIONS), "n": NUMBER,
           **dict.fromkeys(("slope", "low", "high", "of_middle", "of_middle_low",
                            "of_middle_high"), CELL)}  # an empty cell: not known


def rows_of(lines, kind):
    """A row a region. Harm a nat further from the top token."""
    some = harm.forced(lines, kind)
    distance, values = -harm.column(some, "z_top"), harm.column(some, kind)
    groups = np.searchsorted([low for low, _ in REGIONS.values()], distance, side="right") - 1
    found, repeats = statistics.slopes(distance, values, harm.column(some, "prompt"), groups,
                                       len(REGIONS))
    middle = list(REGIONS).index("middle")
    times = statistics.ratio(found, found[middle])
    times_repeats = statistics.ratio(repeats, repeats[:, [middle]])
    rows = []
    for i, name in enumerate(REGIONS):
        n = int((groups == i).sum())
        rows.append(dict(zip(COLUMNS, (
            some[0]["model"], kind, name, n, *(known(repeats[:, i], found[i])),
            *(known(times_repeats[:, i], times[i]))))))
    return rows


def known(repeats, value):
    """The value and its interval; None each where it is not known. No interval where more than a
    few repeats have no value, for those that have one would not stand for all, nor where all have
    the same: nothing was harmed."""
    if not np.isfinite(value):
        return None, None, None
    if np.isnan(repeats).mean() > LOST or np.nanmax(repeats) - np.nanmin(repeats) < statistics.TINY:
        return float(value), None, None
    return (float(value), *statistics.interval(repeats))


def slope_rows(lines):
    """All rows of slopes.csv for the scored lines of one model."""
    return [row for kind in harm_tables.measured_kinds(lines) for row in rows_of(lines, kind)]


def table(rows):
    """For a page: the rows of one or more kinds."""
    return ["model", "harm", "region", "nats from the top", "slope, a nat", "interval",
            "times that of the middle", "interval"], [
        [row["model"], row["kind"], row["region"], "%g to %g" % REGIONS[row["region"]],
         row["slope"], span(row["low"], row["high"]), row["of_middle"],
         span(row["of_middle_low"], row["of_middle_high"])] for row in rows]
