"""harm-bands.csv and coordinates.csv: harm by band, and which coordinate predicts it.

The report prints the same rows. A row is a dictionary; None is an empty cell.
"""
import numpy as np

from . import harm, score, statistics
from .files import CELL, NUMBER, TEXT, at_least, either, word

ALL = "all"  # kinds of prompt
GAIN = ("above_natural", "low", "high", "detectable")
BAND_COLUMNS = {"model": TEXT, "kind": TEXT, "prompts": TEXT,
                "band": either(NUMBER, word(harm.NATURAL)), "n": NUMBER, "harm": NUMBER,
                "se": at_least(0, NUMBER), **dict.fromkeys(GAIN, CELL)}
COORDINATE_COLUMNS = {"model": TEXT, "kind": TEXT, "coordinate": word(*harm.COORDINATES),
                      "explained": NUMBER, **dict.fromkeys((
                          "low", "high", "difference_low", "difference_high"), CELL)}
DETECTABLE = 2.8  # standard errors: seen four times out of five at the 5 % level
HALF_INTERVAL = 1.96  # standard errors


def measured_kinds(lines):
    return [kind for kind in score.KINDS if harm.forced(lines, kind)]


def gain(mean, error, repeats, n_prompts):
    """The harm above that of natural draws: its 95 % interval, and what this size can find."""
    if n_prompts < 2 or not error:  # a single prompt says nothing of others
        return dict(zip(GAIN, (float(mean), None, None, None)))
    low, high = statistics.interval(repeats)
    if low == high:  # the bootstrap saw nothing but equal values
        low, high = mean - HALF_INTERVAL * error, mean + HALF_INTERVAL * error
    return dict(zip(GAIN, map(float, (mean, low, high, DETECTABLE * error))))


def gains(lines, kind):
    """Band -> its gain: each text against the natural draw from its own prefix."""
    natural = {line["prefix"]: line[kind] for line in harm.controls(lines, kind)}
    some = [line for line in harm.forced(lines, kind) if line["prefix"] in natural]
    if not some:
        return {}
    gained = harm.column(some, kind) - np.array([natural[line["prefix"]] for line in some])
    bands, groups = np.unique(harm.column(some, "band"), return_inverse=True)
    prompts = harm.column(some, "prompt")
    n_prompts = [len(set(prompts[groups == group])) for group in range(len(bands))]
    means, repeats = statistics.group_means(gained, prompts, groups, len(bands))
    errors = statistics.group_errors(gained, groups, means, repeats)
    return dict(zip(bands.tolist(), map(gain, means, errors, repeats.T, n_prompts)))


def harm_by_band(lines, kind):
    """Band -> its row of harm.csv, the control's first."""
    found = {}
    if control := harm.controls(lines, kind):
        found[harm.CONTROL] = {**harm.natural(control, kind), "band": harm.NATURAL}
    if some := harm.forced(lines, kind):
        found.update(zip(np.unique(harm.column(some, "band")).tolist(),
                         harm.curve(some, kind, "z_top")))
    return found


def rows_of(lines, kind, prompts):
    """The rows of a kind of harm and of prompt. `number` is the band's; the file has its centre."""
    some = [line for line in lines if prompts in (ALL, line["kind"])]
    above = gains(some, kind)
    return [{**row, **above.get(number, dict.fromkeys(GAIN)), "prompts": prompts, "number": number}
            for number, row in harm_by_band(some, kind).items()]


def band_rows(lines):
    """All rows of harm-bands.csv for the scored lines of one model."""
    prompts = [ALL, *sorted({line["kind"] for line in lines})]
    return [row for kind in measured_kinds(lines) for name in prompts
            for row in rows_of(lines, kind, name)]


def coordinates_of(lines, kind):
    """The share of a harm's variance that each coordinate predicts, and less that of the first."""
    some = harm.forced(lines, kind)
    values, prompts = harm.column(some, kind), harm.column(some, "prompt")
    if np.ptp(values) == 0 or len(set(prompts)) < 2:
        return []  # there is nothing to predict, or nothing to predict from
    rows, first = [], None
    for name in harm.COORDINATES:
        share, repeats = statistics.explained(harm.column(some, name), values, prompts)
        ends = statistics.interval(repeats)
        ends += (None, None) if first is None else statistics.interval(repeats - first)
        first = repeats if first is None else first
        rows.append(dict(zip(COORDINATE_COLUMNS, (some[0]["model"], kind, name, float(share),
                                                  *ends))))
    return rows


def coordinate_rows(lines):
    """All rows of coordinates.csv for the scored lines of one model."""
    return [row for kind in measured_kinds(lines) for row in coordinates_of(lines, kind)]
