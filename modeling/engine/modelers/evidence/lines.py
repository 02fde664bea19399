"""Which classes each parameter may have: what lines of points, along which it alone varies, tell of it.

Whatever the other parameters do, along such a line a law with one term per parameter is a + b·g(x). So
classes are compared by how well a ≥ 0 and b ≥ 0 of each line's own fit the values, all lines together.
"""

import numpy as np

from modeling.engine.modelers.evidence.basis import FEWEST_LINE_POINTS, PAIRS, Basis
from modeling.engine.modelers.evidence.laws import Located
from modeling.engine.validation import FloatArray, IntArray


def likely_classes(basis: Basis, located: Located, weights: FloatArray, count: int) -> IntArray:
    """The likeliest classes of every parameter, (m, count, K): first 0, then by falling likelihood."""
    found = []
    for parameter in range(basis.parameter_count):
        merit = _merit(basis, parameter, located.y, weights) + basis.log_prior[parameter][:, None]
        merit[0] = np.inf
        found.append(np.argsort(-merit, axis=0)[:count])
    return np.stack(found)


def _merit(basis: Basis, parameter: int, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Logarithm of the likelihood of every class with the best line of each line's own, (classes, K)."""
    merit = np.zeros((len(PAIRS), y.shape[1]))
    for lines in basis.lines[parameter]:
        table = basis.tables[parameter][:, lines[0]]
        merit += _gain(table, y[lines], weights[lines])
    return merit


def _gain(table: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Half of by how much a + b·table fits lines of values (L, n, K) better than a alone, (classes, K).

    Lines of which a kernel misses all points but a few tell nothing of it.
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
