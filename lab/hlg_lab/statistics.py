"""Means with errors from a bootstrap over clusters, and how much of a harm a coordinate explains.

Texts of one prompt are not independent, so whole prompts are drawn, not texts. `clusters` names
the prompt of each value, `groups` numbers its group from 0 to n_groups - 1; both, like the values,
are (n,).
"""
import functools

import numpy as np
from scipy.optimize import isotonic_regression

REPEATS = 2000
SEED = 1
FOLDS = 5
INTERVAL = (2.5, 97.5)  # percent
TINY = 1e-9  # rounding, where repeats are equal


@functools.cache
def weights(n_clusters):
    """How often each cluster is drawn: an array (REPEATS, n_clusters), the same in every call.
    NaN for a single one: how clusters differ cannot be told from it."""
    if n_clusters < 2:
        return np.full((REPEATS, n_clusters), np.nan)
    rng = np.random.default_rng(SEED)
    equal = np.full(n_clusters, 1 / n_clusters)
    return rng.multinomial(n_clusters, equal, size=REPEATS).astype(float)


def by_cluster(values, clusters, groups, n_groups):
    """Sums and counts of the values: two arrays (n_clusters, n_groups)."""
    names, index = np.unique(clusters, return_inverse=True)
    sums, counts = np.zeros((2, len(names), n_groups))
    np.add.at(sums, (index, groups), values)
    np.add.at(counts, (index, groups), 1)
    return sums, counts


def ratio(sums, counts):
    """Of arrays of one shape. Where nothing was counted there is no mean: NaN."""
    return np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0)


def group_means(values, clusters, groups, n_groups):
    """The mean of each group, (n_groups,), and of each bootstrap repeat, (REPEATS, n_groups)."""
    sums, counts = by_cluster(values, clusters, groups, n_groups)
    drawn = weights(len(sums))
    return ratio(sums.sum(0), counts.sum(0)), ratio(drawn @ sums, drawn @ counts)


def slopes(x, y, clusters, groups, n_groups):
    """The least-squares slope of y over x in each group, (n_groups,), and in each repeat,
    (REPEATS, n_groups). NaN where x does not vary."""
    products = [by_cluster(values, clusters, groups, n_groups)[0]
                for values in (np.ones(len(x)), x, y, x * x, x * y)]
    drawn = weights(len(products[0]))

    def slope(n, x, y, xx, xy):
        spread = n * xx - x * x
        return ratio(n * xy - x * y, np.where(spread > TINY, spread, 0))
    return (slope(*(part.sum(0) for part in products)),
            slope(*(drawn @ part for part in products)))


def standard_error(repeats):
    """Of each column. Repeats in which a group was empty do not count."""
    usable = np.isfinite(repeats).sum(0) > 1
    errors = np.full(repeats.shape[1], np.nan)
    errors[usable] = np.nanstd(repeats[:, usable], axis=0, ddof=1)
    return errors


def smoothed_error(share, n):
    """The standard error of a share of n by Laplace's rule of succession, (k + 1) / (n + 2).

    It is never 0, as that of a bootstrap is where all values are equal.
    """
    smoothed = (share * n + 1) / (n + 2)
    return np.sqrt(smoothed * (1 - smoothed) / n)


def group_errors(values, groups, means, repeats):
    """The standard error of each group's mean, (n_groups,), from its bootstrap repeats.

    Where they do not vary, or are NaN, it is Laplace's if the group's values are 0 or 1 (or
    differences of such), 0 otherwise.
    """
    counts = np.bincount(groups, minlength=len(means))
    others = np.bincount(groups, ~np.isin(values, (-1, 0, 1)), minlength=len(means))
    errors = standard_error(repeats)
    equal = ~(errors >= TINY) & (others == 0)
    errors[equal] = smoothed_error(np.abs(means[equal]), counts[equal])
    errors[~(errors >= TINY)] = 0
    return errors


def interval(repeats):
    """The 95 % interval of one number from its bootstrap repeats; (None, None) without any."""
    if np.isnan(repeats).all():
        return None, None
    return tuple(map(float, np.nanpercentile(repeats, INTERVAL)))


def predicted(coordinate, harm, at):
    """Harm at other coordinates, the shape of `at`, by the best curve that only falls as the
    coordinate rises. Texts of one coordinate count as their mean."""
    places, index, counts = np.unique(coordinate, return_inverse=True, return_counts=True)
    means = np.bincount(index, harm) / counts
    fit = isotonic_regression(means, weights=counts.astype(float), increasing=False).x
    return np.interp(at, places, fit)


def errors_of(coordinate, harm, clusters):
    """Squared errors of the prediction and of the plain mean, (n,) each, from other prompts."""
    fold = np.unique(clusters, return_inverse=True)[1] % FOLDS
    by_curve, by_mean = np.zeros((2, len(harm)))
    for held in range(FOLDS):
        test = fold == held
        if test.any() and not test.all():
            guess = predicted(coordinate[~test], harm[~test], coordinate[test])
            by_curve[test] = (harm[test] - guess) ** 2
            by_mean[test] = (harm[test] - harm[~test].mean()) ** 2
    return by_curve, by_mean


def explained(coordinate, harm, clusters):
    """The share of the harm's variance that the coordinate predicts, and its repeats, (REPEATS,).

    Cross-validated over prompts: 0 is what the mean does, and a useless coordinate is below it.
    """
    parts = [by_cluster(errors, clusters, 0, 1)[0][:, 0]
             for errors in errors_of(coordinate, harm, clusters)]
    drawn = weights(len(parts[0]))
    curve, mean = ((part.sum(), drawn @ part) for part in parts)
    return tuple(1 - ratio(a, b) for a, b in zip(curve, mean))
