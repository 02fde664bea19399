"""The measured points that show how a kernel continues: those near its largest values.

At small values, where overheads dominate, kernels show little of that, and deviations are of another size.
"""

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

LARGEST_VALUES = 7
"""The number of largest values of each parameter that show how a kernel continues."""

NEAR_FACTOR = 8.0
"""Factor below the largest value: if more than `LARGEST_VALUES` lie within it, a selection of all these is
used."""

MOST_VALUES = 24
"""The largest number of values that are selected there, if there is one parameter."""

FEWEST_POINTS = 64
"""The smallest number of points that are weighed with several parameters, for scattered designs in which no
two points share a value."""

MOST_POINTS = 128
"""The largest number of points that are weighed: memory grows with its square, and time with its cube."""


def near_points(points: FloatArray, measured: BoolArray, most: int = MOST_POINTS) -> IntArray:
    """Numbers of the points (P, m), among those `measured` (P,), that show how a kernel continues, at most
    `most`.

    With one parameter these are its largest values. With several they are the points with one of the largest
    values of each, and further points if those are fewer than `FEWEST_POINTS`.
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
    """Numbers of the measured points (P, m) that represent a kernel everywhere, at most `most`.

    These are the points that show how it continues, and an even selection of all others.
    """
    near = near_points(points, measured, most)
    others = np.setdiff1d(np.flatnonzero(measured), near)
    others = others[np.lexsort(points[others].T)]
    count = min(most - len(near), len(others))
    return np.union1d(near, others[np.linspace(0, len(others) - 1, count).astype(int)])


def _telling(values: FloatArray, parameters: int) -> IntArray:
    """Numbers of a parameter's rising values that show how a kernel continues.

    These are the largest few or, where values lie close together, a selection of all within `NEAR_FACTOR`.
    """
    first = min(int(np.searchsorted(values, values[-1] / NEAR_FACTOR)), len(values) - 1)
    count = MOST_VALUES if parameters == 1 else LARGEST_VALUES
    if len(values) - first <= max(count, LARGEST_VALUES):
        return np.arange(max(min(first, len(values) - LARGEST_VALUES), 0), len(values))
    wanted = np.geomspace(values[first], values[-1], count)
    nearest = np.abs(np.log(values[first:, None] / wanted)).argmin(axis=0)
    return np.unique(first + nearest)
