"""Find wild values: single values far from the straight line between their neighbours, as from a disturbed
node.

Both the values and the parameter are logarithms here. The distance of a value from the line is vertical.
"""

import numpy as np

from modeling.engine.measured.layout import patterns
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FEWEST_VALUES = 6
"""Smallest number of values of a kernel of which one may be wild: a law needs five values without it."""

LEAST_BEND = 0.2
"""Smallest distance of a wild value from the line between its neighbours. 0.2 in logarithms is 22 %."""

LEAST_RATIO = 8.0
"""Smallest ratio of a wild value's distance, from the line between its neighbours, to the distances of other
values.

With normal noise of any size, at most 13 of 1,000 series of 6 values have a value that is wrongly called
wild; if the ratio were 6, 27 would have one. A larger ratio would miss more wild values: now, a value that is
twice too large is found if the noise is at most about 5 %.
"""

OTHERS = 0.75
"""`LEAST_RATIO` refers to this quantile of the other values' distances. It is not the largest distance,
because other values may be wild, too.
"""

MOST_SHARE = 0.2
"""Largest share of a kernel's values that are called wild."""


def wild_points(points: FloatArray, values: FloatArray) -> BoolArray:
    """Return whether each value is wild, (K, P). With several parameters, no value is called wild.

    A value is wild if its distance from the line between its neighbours is far larger than the distances of
    most other values, and if the series is smooth around it when it is left out. A step or a knee is
    therefore not wild. The first and the last value have only one neighbour, so they are never called wild.

    Args:
        points: (P, m) positive parameter values.
        values: (K, P, R) repetitions, NaN where missing. The value of a point is their median.
    """
    wild = np.zeros(values.shape[:2], dtype=bool)
    if points.shape[1] > 1 or len(points) < FEWEST_VALUES:
        return wild
    order = np.argsort(points[:, 0], kind="stable")
    x = np.log(points[order, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(aggregate(runs_first(values[:, order]), "median").T)
    y[~np.isfinite(y)] = np.nan
    may_lose = (MOST_SHARE * np.isfinite(y).sum(axis=1)).astype(int)
    kernels = np.arange(len(y))
    while len(kernels := kernels[wild[kernels].sum(axis=1) < may_lose[kernels]]):
        kernels, wildest = _wildest(x, y, kernels)
        wild[kernels, order[wildest]] = True
        y[kernels, wildest] = np.nan
    return wild


def wild_ratios(points: FloatArray, values: FloatArray) -> FloatArray:
    """Return the ratio of each wild value to the value on the line between its neighbours, (K, P).

    The ratio is NaN for values that are not wild. See `wild_points` for the arguments.
    """
    order = np.argsort(points[:, 0], kind="stable")
    wild, x = wild_points(points, values)[:, order], np.log(points[order, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(aggregate(runs_first(values[:, order]), "median").T)
    others, place = np.isfinite(y) & ~wild, np.arange(len(x))
    before = np.maximum.accumulate(np.where(others, place, 0), axis=1)
    after = np.minimum.accumulate(np.where(others, place, len(x) - 1)[:, ::-1], axis=1)[:, ::-1]
    kernel, at = np.nonzero(wild)
    low, high = before[kernel, at], after[kernel, at]
    share = (x[at] - x[low]) / (x[high] - x[low])
    suggested = (1 - share) * y[kernel, low] + share * y[kernel, high]
    ratios = np.full(wild.shape, np.nan)
    ratios[kernel, order[at]] = np.exp(y[kernel, at] - suggested)
    return ratios


def _wildest(x: FloatArray, y: FloatArray, kernels: IntArray) -> tuple[IntArray, IntArray]:
    """Return those of the `kernels` that have a wild value, and the position of the wildest value of each.

    x (P,) are the logarithms of the parameter, ascending. y (K, P) are those of the values, NaN where a
    kernel has no value.
    """
    places = np.full(len(kernels), -1)
    for pattern, those in patterns(np.isfinite(y[kernels]).T):
        rows = np.flatnonzero(pattern)
        if len(rows) >= FEWEST_VALUES:
            wildest, ratio = _ratios(x[rows], y[np.ix_(kernels[those], rows)].T)
            wild = ratio >= LEAST_RATIO
            places[those[wild]] = rows[wildest[wild]]
    wild = places >= 0
    return kernels[wild], places[wild]


def _ratios(x: FloatArray, y: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the position of the wildest value of each kernel, (K,), and its ratio, (K,).

    The ratio is that of `LEAST_RATIO`. x (P,) are the logarithms of the parameter, ascending, and y (P, K)
    those of the values; no value is missing.
    """
    bend = np.abs(_bends(x, y))
    ratios = np.zeros_like(y)
    for place in range(1, len(x) - 1):
        some = np.flatnonzero(bend[place - 1] >= LEAST_BEND)
        if len(some):
            left = np.abs(_bends(np.delete(x, place), np.delete(y[:, some], place, axis=0)))
            around = left[max(place - 2, 0) : place].max(axis=0)
            usual = np.maximum(around, np.quantile(left, OTHERS, axis=0, method="higher"))
            with np.errstate(divide="ignore"):
                ratios[place, some] = bend[place - 1, some] / usual
    wildest = ratios.argmax(axis=0)
    return wildest, ratios[wildest, np.arange(y.shape[1])]


def _bends(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the distances of the inner values from the lines between their neighbours, (P − 2, K).

    x (P,) and y (P, K) are as in `_ratios`. A distance is positive if the value is above the line.
    """
    share = ((x[1:-1] - x[:-2]) / (x[2:] - x[:-2]))[:, None]
    return np.asarray(y[1:-1] - (1 - share) * y[:-2] - share * y[2:])
