"""Test whether points lie farther from a law than the scatter of their repetitions explains."""

from itertools import combinations_with_replacement
from math import comb

import numpy as np
from scipy.special import fdtrc

from modeling.engine.joining import equal_rows
from modeling.engine.measured.layout import patterns
from modeling.engine.modelers.evidence.noise.runs import RESOLUTION, Runs
from modeling.engine.validation import FloatArray, IntArray

MOST_POLYNOMIALS = 200
"""The largest number of polynomials that are fitted to residuals."""

SMOOTH_SHARE = 0.5
"""Residuals are rough if polynomials leave more than this share of their mean square per degree of freedom.
Otherwise, another law may fit.
"""

POLYNOMIALS_A_POINT = 2 / 3
"""The largest number of polynomials, as a share of the number of points: 3 polynomials for 5 points, and 4
for 6.

With 3 polynomials for 6 points, 9 of 10 kernels that follow b/p + c·p up to p = 32 with noise of 0.5 % would
count as rough, so that their law would not be found.
"""

STEPS = 20
"""Steps of Newton's method in `variances_around`."""


def explained_by_scatter(runs: Runs, classes: IntArray, law: FloatArray) -> FloatArray:
    """Return p values for K kernels, (K,), by the F test for lack of fit. A p value is the probability that
    the scatter of repetitions causes at least such distances of points from the law.

    Distances are log ratios, without a factor common to all points. The laws have T terms of m parameters
    with `classes` (T, m, K), and the values `law` (P, K) at P points.
    """
    count, total = runs.count, runs.total
    off = np.where(count > 0, runs.log_mean - np.log(law), 0.0)
    off -= (count * off).sum(axis=0) / total
    seen = (count > 0).sum(axis=0)
    freedom = np.maximum(seen - 2 - (classes != 0).any(axis=1).sum(axis=0), 1)
    repetitions = np.maximum(total - seen, 1)
    within = runs.log_spread.sum(axis=0) / repetitions + RESOLUTION**2
    ratio = (count * off**2).sum(axis=0) / freedom / within
    return np.asarray(np.nan_to_num(fdtrc(freedom, repetitions, ratio)))


def rough(points: FloatArray, law: FloatArray, runs: Runs) -> FloatArray:
    """Return p values for K kernels, (K,), of the residuals without their smooth part, by an F test.

    The smooth part is fitted by polynomials in the logarithms of the parameters, because a missing term looks
    like such a polynomial. The p value is 1 if there are too few points, or if the smooth part explains much
    of the residuals (`SMOOTH_SHARE`). `points` (P, m) has m parameters at P points, and `law` (P, K) the
    values of the laws.
    """
    found = np.ones(law.shape[1])
    within = runs.log_spread.sum(axis=0) / np.maximum(runs.total - (runs.count > 0).sum(axis=0), 1)
    for pattern, kernels in patterns(runs.count > 0):
        rows = np.flatnonzero(pattern)
        smooth = _polynomials(np.log(points[rows]))
        if smooth is None:
            continue
        freedom = len(rows) - smooth.shape[1]
        precision = runs.relative_count[np.ix_(rows, kernels)]
        first, which = equal_rows(precision.T)
        for number, one in enumerate(first):
            some = kernels[which == number]
            place, root = np.ix_(rows, some), np.sqrt(precision[:, [one]])
            own = smooth if (root == 1).all() else np.linalg.qr(root * smooth)[0]
            off = root * (runs.log_mean[place] - np.log(law[place]))
            before = (off**2).mean(axis=0)
            off -= own @ (own.T @ off)
            ratio = (runs.count[place] * (off / root) ** 2).sum(axis=0) / freedom
            ratio /= within[some] + RESOLUTION**2
            said = fdtrc(freedom, runs.total[some] - len(rows), ratio)
            found[some] = np.where((off**2).sum(axis=0) / freedom > SMOOTH_SHARE * before, said, 1.0)
    return np.nan_to_num(found, nan=1.0)


def variances_around(squares: FloatArray, own: FloatArray, freedom: IntArray) -> FloatArray:
    """Return the variances of points around laws, (P, K): those of their errors plus one variance for each of
    K kernels.

    The variance is chosen such that the squared distances, each divided by its variance, sum to the degrees
    of freedom (Paule and Mandel 1982). Where even errors alone give a smaller sum, all variances are those of
    the errors times one factor.

    Args:
        squares: (P, K) squared distances of P points from the laws.
        own: (P, K) variances of the points' errors, infinite for points that are not used.
        freedom: (K,) degrees of freedom.
    """
    ratio = (squares / own).sum(axis=0) / freedom
    between = np.zeros(len(freedom))
    for _ in range(STEPS):
        precision = 1 / (own + between)
        total = (squares * precision).sum(axis=0)
        slope = (squares * precision**2).sum(axis=0)
        # Newton's method for the reciprocal of the sum, which is concave, so that it converges from below.
        between += np.where(ratio > 1, total * (total / freedom - 1) / slope, 0.0)
    return np.asarray(np.where(ratio > 1, own + between, own * ratio + RESOLUTION**2))


def _polynomials(logs: FloatArray) -> FloatArray | None:
    """Return orthonormal columns that span polynomials of degree 3 or 2; None if the points are too few."""
    points, parameters = logs.shape
    most = min(POLYNOMIALS_A_POINT * points, MOST_POLYNOMIALS)
    degree = next((degree for degree in (3, 2) if comb(parameters + degree, degree) <= most), None)
    if degree is None:
        return None
    unit = (logs - logs.min(axis=0)) / np.maximum(np.ptp(logs, axis=0), 1e-9) - 0.5
    factors = np.column_stack([np.ones(points), unit])
    terms = combinations_with_replacement(range(parameters + 1), degree)  # the variable 1 gives lower degrees
    columns = np.stack([factors[:, list(term)].prod(axis=1) for term in terms], axis=1)
    left, size, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, size > 1e-9 * size[0]])
