"""Find wild values: single log values far from the line between their neighbours."""

import numpy as np

from modeling.engine.measured.layout import patterns
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FEWEST_VALUES = 6
"""Fewest values of a kernel with a wild value: a law needs five other values."""

LEAST_BEND = 0.2
"""Smallest distance of a wild value from the line between its neighbours, in logarithms. It means 22 %."""

LEAST_RATIO = 8.0
"""Smallest distance of a wild value from its line, as a multiple of the other values' distances. With normal
noise, at most 13 of 1,000 series of 6 values have a value that is wrongly called wild; with a ratio of 6, 27
have one. A value twice too large is found if the noise is at most about 5 %.
"""

OTHERS = 0.75
"""`LEAST_RATIO` refers to this quantile of the other values' distances. These may be wild, too."""

MOST_SHARE = 0.2
"""Largest share of a kernel's values that are called wild."""


def wild_points(points: FloatArray, values: FloatArray) -> BoolArray:
    """Return whether each value is wild, (K, P). With several parameters, no value is wild.

    A wild value is far from the line between its neighbours. Without the wild value, the series is smooth
    there. Steps and knees are therefore not wild. The first and the last value are never wild.

    Args:
        points: (P, m) positive values of m parameters at P points.
        values: (K, P, R) R repetitions of K kernels, NaN where missing. The value of a point is their median.
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
    """Return the ratio of each wild value to the line between its neighbours, (K, P), else NaN."""
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
    """Return the kernels with a wild value, and the position of each kernel's wildest value."""
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
    """Return the position of each kernel's wildest value, and its ratio (see `LEAST_RATIO`)."""
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
    """Return how far each inner value lies above the line between its neighbours."""
    share = ((x[1:-1] - x[:-2]) / (x[2:] - x[:-2]))[:, None]
    return np.asarray(y[1:-1] - (1 - share) * y[:-2] - share * y[2:])
