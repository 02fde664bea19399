"""Wild values: single measured values far from the line between their neighbours, as from a run on a
disturbed node.
"""

import numpy as np

from modeling.engine.measured.layout import patterns
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FEWEST_VALUES = 6
"""Smallest number of values of a kernel of which one may be wild. Without the wild value, five remain, the
number that a law needs.
"""

LEAST_BEND = 0.2
"""Smallest distance of a wild value from the line between its neighbours, as a logarithm: 22 %."""

LEAST_RATIO = 8.0
"""A wild value lies at least this many times as far from the line between its neighbours as the other values
lie from the lines between theirs.

With normal noise of any size, a value is wrongly called wild in at most 13 of 1,000 series of 6 values, in 8
of 1,000 series of 8 values, and in fewer than 1 of 1,000 longer series. With a ratio of 6, these numbers are
27, 22 and 5. A run that took twice as long is found if the noise is at most about 5 %.
"""

OTHERS = 0.75
"""Share of the other values whose distances `LEAST_RATIO` refers to. This share is not 1, because a series
may have several wild values.
"""

MOST_SHARE = 0.2
"""Largest share of wild values. A kernel with more is irregular, and none of its values is called wild."""


def wild_points(points: FloatArray, values: FloatArray) -> BoolArray:
    """Return which values of kernels with one parameter are wild, (K, P).

    A value is wild if it lies off the line between its neighbours by far more than all other values do, and
    if the series is smooth without it. The first and the last value are never wild, because nothing shows
    what comes before or after them. Because the series must be smooth without the value, a step or a knee is
    not wild. With several parameters, no value is called wild.

    Args:
        points: (P, m) positive parameter values.
        values: (K, P, R) repetitions of K kernels, NaN where missing. Each point counts by its median.
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
    ratios = np.full(wild.shape, np.nan)
    ratios[kernel, order[at]] = np.exp(y[kernel, at] - suggested)
    return ratios


def _wildest(x: FloatArray, y: FloatArray, kernels: IntArray) -> tuple[IntArray, IntArray]:
    """Return which of the `kernels` have a wild value, and the position of the wildest value of each.

    y (K, P) are the logarithms of the values, NaN where a kernel has no value. x (P,) are the logarithms of
    the parameter.
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
    """Return the position of the wildest value of each kernel, (K,), and the ratio of its distance to the
    other distances, (K,).

    y (K, P) are logarithms of values that are all known, at all x (P,).
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
