"""Select the measured points near a kernel's largest values, which show how the kernel grows beyond them.

At small values, overheads dominate. Points there reveal little about growth at large values, and kernels
deviate from their laws by other amounts.
"""

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

LARGEST_VALUES = 7
"""The number of largest values of each parameter that are selected."""

NEAR_FACTOR = 8.0
"""If more than `LARGEST_VALUES` values are within this factor of the largest one, values are selected from
all of these.
"""

MOST_VALUES = 24
"""The largest number of values selected within `NEAR_FACTOR`, if there is one parameter."""

FEWEST_POINTS = 64
"""The smallest number of selected points if there are several parameters. It matters for scattered designs,
in which no two points share a value.
"""

MOST_POINTS = 128
"""The largest number of selected points. Memory grows with the square of this number, and time with its cube.
"""


def near_points(points: FloatArray, measured: BoolArray, most: int = MOST_POINTS) -> IntArray:
    """Select at most `most` of the `measured` (P,) points (P, m) near the largest values. Return their
    numbers.

    With one parameter these are the points with its largest values. With several parameters these are the
    points that have one of the largest values of each parameter. If these are fewer than `FEWEST_POINTS`,
    further points are added.
    """
    rows = np.flatnonzero(measured)
    rank, selected = np.zeros(len(rows), dtype=int), np.ones(len(rows), dtype=bool)
    for x in points[rows].T:
        values, place = np.unique(x, return_inverse=True)
        rank = np.maximum(rank, len(values) - 1 - place.ravel())
        selected &= np.isin(place.ravel(), _largest_values(values, points.shape[1]))
    order = np.argsort(rank + len(rows) * ~selected, kind="stable")
    enough = 1 if points.shape[1] == 1 else FEWEST_POINTS
    count = max(int(selected.sum()), enough)
    return np.sort(rows[order[: min(count, most)]])


def representative_points(points: FloatArray, measured: BoolArray, most: int) -> IntArray:
    """Select at most `most` of the measured points (P, m) to represent all of them. Return their indices.

    The selection contains the `near_points`, and an even selection of all other points.
    """
    near = near_points(points, measured, most)
    others = np.setdiff1d(np.flatnonzero(measured), near)
    others = others[np.lexsort(points[others].T)]
    count = min(most - len(near), len(others))
    return np.union1d(near, others[np.linspace(0, len(others) - 1, count).astype(int)])


def _largest_values(values: FloatArray, parameters: int) -> IntArray:
    """Select the largest of a parameter's ascending values, and return their indices.

    If many values are close together, the selection is spread over all values within `NEAR_FACTOR`.
    """
    first = min(int(np.searchsorted(values, values[-1] / NEAR_FACTOR)), len(values) - 1)
    count = MOST_VALUES if parameters == 1 else LARGEST_VALUES
    if len(values) - first <= max(count, LARGEST_VALUES):
        return np.arange(max(min(first, len(values) - LARGEST_VALUES), 0), len(values))
    wanted = np.geomspace(values[first], values[-1], count)
    nearest = np.abs(np.log(values[first:, None] / wanted)).argmin(axis=0)
    return np.unique(first + nearest)
