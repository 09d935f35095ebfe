"""compare.csv: is the best setting of a sampler less harmful than temperature, or the luckiest?

Of hundreds of settings the one with the least measured harm owes some of that to chance. So the
prefixes of the harm run are split in two: the harm curve of one half chooses the setting, that of
the other half judges it, beside temperature at the same entropy. Then the halves change places.
"""
from typing import NamedTuple

import numpy as np

from . import files, harm, score, settings, statistics
from .files import CELL, NUMBER, TEXT, word
from .settings import SETTING, TEMPERATURE, arm, grouped, is_default

HALVES = ("even", "odd")  # numbers of the prefixes; the half that judges
COLUMNS = {"model": TEXT, "harm_model": TEXT, "entropy_share": NUMBER, "arm": TEXT,
           "half": word(*HALVES), **SETTING, **dict.fromkeys((
               "harm", "harm_temperature", "difference", "low", "high", "deep_tail"), NUMBER),
           "near_greedy_loss": CELL}
TOLERANCE = 1e-4  # of the sweep's own harm: files have six digits


class Curve(NamedTuple):
    """Harm by band of some prefixes, for the n bands in which they have texts, of m in all."""
    mean: np.ndarray     # (n,)
    repeats: np.ndarray  # (REPEATS, n), NaN where a repeat has no text of the band
    shares: np.ndarray   # (m, n): how the mass of a band is shared among the n

    def expected(self, masses):
        """Of masses (..., m) by band: the expected harm, (...)."""
        return masses @ self.shares @ self.mean

    def interval(self, difference):
        """Of the expected harm of a difference of masses, (m,)."""
        by_band = difference @ self.shares
        moved = by_band != 0  # elsewhere a repeat may be NaN
        return statistics.interval(self.repeats[:, moved] @ by_band[moved])


def curve_of(lines, bands, centres):
    """The harm curve of the lines. A band without any gives its mass to the nearest others,
    linearly in the distance from the top token, as the sweep does between bands."""
    groups = np.searchsorted(bands, harm.column(lines, "band"))
    mean, repeats = statistics.group_means(harm.column(lines, score.ANY),
                                           harm.column(lines, "prompt"), groups, len(bands))
    there = np.isfinite(mean)
    shares = np.stack([np.interp(-centres, -centres[there], one) for one in np.eye(there.sum())],
                      axis=1)
    return Curve(mean[there], repeats[:, there], shares)


def curves_of(lines):
    """All bands' curve, and one for each half. The lines: of one model."""
    model, lines = lines[0]["model"], harm.forced(lines, score.ANY)
    halves = [[line for line in lines if line["prefix"] % 2 == parity] for parity in (0, 1)]
    for name, half in zip(HALVES, halves):
        n_prompts = len({line["prompt"] for line in half})
        if n_prompts < 2:
            raise files.Failure("scores of %s: each half of the prefixes needs two prompts, and "
                                "the %s ones have %d" % (model, name, n_prompts))
    bands, groups = np.unique(harm.column(lines, "band"), return_inverse=True)
    centres = np.bincount(groups, harm.column(lines, "z_top")) / np.bincount(groups)
    return [curve_of(some, bands, centres) for some in (lines, *halves)]


def masses_of(rows, n_bands):
    """By setting and band, (n_settings, n_bands)."""
    names = ["band_%d" % k for k in range(n_bands)]
    files.check_fields(rows[0], names, "sweep of %s" % rows[0]["model"])
    masses = [[row[name] for name in names] for row in rows]
    wrong = next((name for row in masses for name, cell in zip(names, row)
                  if not isinstance(cell, float)), None)
    if wrong:
        raise files.Failure("sweep of %s: %s is empty" % (rows[0]["model"], wrong))
    return np.array(masses)


def check_harm(rows, masses, curve):
    """The sweep was made with the harm curve of these scores."""
    for row, harm_ in zip(rows, curve.expected(masses)):
        if abs(row["harm"] - harm_) > TOLERANCE:
            raise files.Failure("sweep of %s: harm %.6g, but %.6g by the scores of %s: made from "
                                "another harm.csv, or another kind" % (
                                    row["model"], row["harm"], harm_, row["harm_model"]))


def arms_of(rows):
    """Arm -> indices of its settings; last the defaults, which leave no choice."""
    arms = {}
    for i, row in enumerate(rows):
        if row["sampler"] != TEMPERATURE:
            arms.setdefault(arm(row), []).append(i)
    fixed = {"hlg default " + row["toe_shape"]: [i] for i, row in enumerate(rows)
             if is_default(row)}
    return {**arms, **fixed}


def judged(row, masses, plain, curve):
    """What the judging half's curve says of a setting's masses beside temperature's."""
    here, there = curve.expected(masses), curve.expected(plain)
    low, high = curve.interval(masses - plain)
    return {**row, "harm": here, "harm_temperature": there, "difference": here - there,
            "low": low, "high": high}


def rows_of(rows, masses, halves):
    """The rows of compare.csv for the settings of one model at one entropy."""
    plain = next((m for row, m in zip(rows, masses) if row["sampler"] == TEMPERATURE), None)
    if plain is None:
        return []
    found = []
    for name, indices in arms_of(rows).items():
        for half, judge, chooser in zip(HALVES, halves, reversed(halves)):
            best = indices[int(np.argmin(chooser.expected(masses[indices])))]
            found.append({**judged(rows[best], masses[best], plain, judge), "arm": name,
                          "half": half})
    return found


def rows_of_model(rows, lines):
    whole, *halves = curves_of(lines)
    masses = masses_of(rows, len(whole.mean))
    check_harm(rows, masses, whole)
    index = grouped(range(len(rows)), lambda i: rows[i]["entropy_share"])
    return [line for i in index.values()
            for line in rows_of([rows[j] for j in i], masses[i], halves)]


def table(sweep, scores):
    """All rows of compare.csv. A model without a harm curve has none, nor has the mean of all."""
    lines = grouped(harm.read_scores(scores), "model")
    found = []
    for rows in grouped(settings.read(sweep), "model").values():
        harm_model = rows[0]["harm_model"]
        if rows[0]["model"] == settings.ALL or not harm_model:
            continue
        if harm_model not in lines:
            raise files.Failure("%s: no line of model %s" % (scores, harm_model))
        found += rows_of_model(rows, lines[harm_model])
    if not found:
        raise files.Failure("%s: no setting with harm beside temperature" % sweep)
    return files.csv_text(COLUMNS, found)
