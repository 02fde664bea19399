"""Single measured values that lie far off the line through their neighbours, such as a run on a disturbed
node."""

import numpy as np

from modeling.engine.measured.layout import patterns
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FEWEST_VALUES = 6
"""The smallest number of values of a kernel among which one can be called wild. Without it, five remain, the
number that a law needs."""

LEAST_BEND = 0.2
"""Smallest distance of a wild value from the line between its neighbours, as a logarithm: 22 %."""

LEAST_RATIO = 8.0
"""Smallest ratio of that distance to the distances of the other values from the lines between theirs.

Of series with normal noise of any size, at most 13 in 1,000 with 6 values lose a value, 8 with 8 values, and
fewer than 1 with 10 values or more. With a ratio of 6 these are 27, 22 and 5. A run that took twice as long
is found up to a noise of about 5 %.
"""

OTHERS = 0.75
"""Share of the other distances that must be smaller than that. It is not 1, because a series may have several
wild values.
"""

MOST_SHARE = 0.2
"""Largest share of a kernel's values that may be wild. If there are more, its values are irregular."""


def wild_points(points: FloatArray, values: FloatArray) -> BoolArray:
    """Return which values of kernels with one parameter are wild, (K, P).

    A value is wild if it bends the series by far more than all the rest, and the series is smooth around it
    once it is left out. The first and the last value are never wild, because nothing shows what comes before
    or after them. So a step or a knee in the series is not wild either. With several parameters nothing is.

    Parameters
    ----------
    points : (P, m) positive parameter values.
    values : (K, P, R) repetitions of K kernels, NaN where missing. Each point counts by its median.

    """
    found = np.zeros(values.shape[:2], dtype=bool)
    if points.shape[1] > 1 or len(points) < FEWEST_VALUES:
        return found
    order = np.argsort(points[:, 0], kind="stable")
    x = np.log(points[order, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(aggregate(runs_first(values[:, order]), "median").T)
    y[~np.isfinite(y)] = np.nan
    may_lose = (MOST_SHARE * np.isfinite(y).sum(axis=1)).astype(int)
    some = np.arange(len(y))
    while len(some := some[found[some].sum(axis=1) < may_lose[some]]):
        some, wildest = _wildest(x, y, some)
        found[some, order[wildest]] = True
        y[some, wildest] = np.nan
    return found


def wild_ratios(points: FloatArray, values: FloatArray) -> FloatArray:
    """Return the ratios of wild values to the values that their neighbours suggest, (K, P); NaN where a value
    is not wild.

    See `wild_points` for the arguments.
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
    found = np.full(wild.shape, np.nan)
    found[kernel, order[at]] = np.exp(y[kernel, at] - suggested)
    return found


def _wildest(x: FloatArray, y: FloatArray, kernels: IntArray) -> tuple[IntArray, IntArray]:
    """Return which of the `kernels` have a wild value, and the place of the wildest of each.

    The logarithms of the values, y (K, P), are NaN where a kernel has no value; x (P,) are those of the
    parameter.
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
    """Return the number of the wildest value of each kernel, (K,), and how many times farther it lies from
    its neighbours than the other values, (K,).

    All kernels have values y (P, K), whose logarithms are given, at all x (P,).
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
    """Return the distances of inner values from the lines between their neighbours, (P - 2, K)."""
    share = ((x[1:-1] - x[:-2]) / (x[2:] - x[:-2]))[:, None]
    return np.asarray(y[1:-1] - (1 - share) * y[:-2] - share * y[2:])
