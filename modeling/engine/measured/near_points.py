"""Which of a kernel's measured points tell how it goes on: those near its largest values.

What happens at small values, where overheads reign, tells little of that, and deviations are of another
size there.
"""

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

LARGEST_VALUES = 7
"""Values of each parameter, its largest, that tell how a kernel goes on."""

NEAR_FACTOR = 8.0
"""Below the largest value: where more values than that lie within this factor, some of all these tell it."""

MOST_VALUES = 24
"""How many of these, of the only parameter."""

FEWEST_POINTS = 64
"""Points that are weighed where each is at other values, as in scattered designs of many parameters."""

MOST_POINTS = 128
"""Points that are weighed: their covariance is as many squared."""


def near_points(points: FloatArray, measured: BoolArray, most: int = MOST_POINTS) -> IntArray:
    """Numbers of the points (P, m), of those `measured` (P,), that tell how a kernel goes on, `most` at most.

    In one parameter, its largest values. In more, points with one of the largest values of each, and more
    where those are fewer than `FEWEST_POINTS`.
    """
    rows = np.flatnonzero(measured)
    rank, telling = np.zeros(len(rows), dtype=int), np.ones(len(rows), dtype=bool)
    for x in points[rows].T:
        values, place = np.unique(x, return_inverse=True)
        rank = np.maximum(rank, len(values) - 1 - place.ravel())
        telling &= np.isin(place.ravel(), _telling(values, points.shape[1]))
    order = np.argsort(rank + len(rows) * ~telling, kind="stable")
    enough = 1 if points.shape[1] == 1 else FEWEST_POINTS
    count = max(int(telling.sum()), enough)
    return np.sort(rows[order[: min(count, most)]])


def points_that_stand_for_all(points: FloatArray, measured: BoolArray, most: int) -> IntArray:
    """Numbers of the measured points (P, m) that tell what a kernel does everywhere, at most so many.

    Those that tell how it goes on, and some of all others, evenly.
    """
    near = near_points(points, measured, most)
    others = np.setdiff1d(np.flatnonzero(measured), near)
    others = others[np.lexsort(points[others].T)]
    count = min(most - len(near), len(others))
    return np.union1d(near, others[np.linspace(0, len(others) - 1, count).astype(int)])


def _telling(values: FloatArray, parameters: int) -> IntArray:
    """Numbers of a parameter's values, in order, that tell how a kernel goes on.

    The largest few, or where they lie close together some of all within a factor.
    """
    first = min(int(np.searchsorted(values, values[-1] / NEAR_FACTOR)), len(values) - 1)
    count = MOST_VALUES if parameters == 1 else LARGEST_VALUES
    if len(values) - first <= max(count, LARGEST_VALUES):
        return np.arange(max(min(first, len(values) - LARGEST_VALUES), 0), len(values))
    wanted = np.geomspace(values[first], values[-1], count)
    nearest = np.abs(np.log(values[first:, None] / wanted)).argmin(axis=0)
    return np.unique(first + nearest)
