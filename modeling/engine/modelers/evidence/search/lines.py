"""The likeliest classes of each parameter, from lines of points that differ in this parameter only. If a law
has the parameter x in one term only, it has the form a + b·g(x) on each line. Here g is the factor of x. A
class is judged by its fit to all lines, with separate a ≥ 0 and b ≥ 0 for each line.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import FEWEST_LINE_POINTS, PAIRS
from modeling.engine.modelers.evidence.hypotheses.laws import Located
from modeling.engine.validation import FloatArray, IntArray

NUMBERS_AT_ONCE = 40_000
"""The largest number of elements of one temporary array. Many such arrays fit into the processor's cache."""


def likely_classes(basis: Basis, located: Located, weights: FloatArray, count: int) -> IntArray:
    """Return the `count` most probable classes of m parameters for K kernels, (m, count, K): class 0 first,
    the others by falling posterior probability.
    """
    found = []
    for parameter in range(basis.parameter_count):
        merit = _merit(basis, parameter, located.y, weights) + basis.log_prior[parameter][:, None]
        merit[0] = np.inf
        found.append(np.argsort(-merit, axis=0)[:count])
    return np.stack(found)


def _merit(basis: Basis, parameter: int, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the log likelihood of every class minus that of class 0, (classes, kernels)."""
    merit = np.zeros((len(PAIRS), y.shape[1]))
    for lines in basis.lines[parameter]:
        table = basis.tables[parameter][:, lines[0]]
        step = max(1, NUMBERS_AT_ONCE // (len(PAIRS) * len(lines)))
        for part in (slice(first, first + step) for first in range(0, y.shape[1], step)):
            merit[:, part] += _gain(table, y[lines, part], weights[lines, part])
    return merit


def _gain(table: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return by how much each class raises the log likelihood, compared with a constant, summed over lines.
    `table` has the values of g at the points of a line, (classes, points). `y` and `weights` are the values
    and their precision, (lines, points, kernels).
    """
    lines, n, kernels = y.shape
    w = weights.transpose(1, 0, 2).reshape(n, -1)
    wy = (weights * y).transpose(1, 0, 2).reshape(n, -1)
    total, moment = w.sum(axis=0), wy.sum(axis=0)
    by_class, squares, moments = table @ w, table**2 @ w, table @ wy
    covariance = moments - by_class * (moment / total)
    variance = squares - by_class * (by_class / total)
    variance = np.maximum(variance, 1e-12 * squares)
    slope = covariance / variance
    both = covariance * slope
    through_zero = moments * (moments / squares) - moment * (moment / total)
    gain = np.where(moment < slope * by_class, through_zero, both)
    long = (weights > 0).sum(axis=1).reshape(-1) >= FEWEST_LINE_POINTS
    gain = np.where((slope > 0) & long, gain, 0.0)
    return np.asarray(gain.reshape(len(table), lines, kernels).sum(axis=1) / 2)
