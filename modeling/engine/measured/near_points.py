"""Select measured points near the largest parameter values. At small values, overheads dominate."""

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

LARGEST_VALUES = 7
"""Number of largest values that are selected for each parameter."""

NEAR_FACTOR = 8.0
"""Values within this factor of a parameter's largest value are near it."""

MOST_VALUES = 24
"""Largest number of values that are selected if there is only one parameter."""

FEWEST_POINTS = 64
"""Smallest number of selected points with several parameters."""

MOST_POINTS = 128
"""Largest number of selected points. Memory grows with its square, and time with its cube."""


def near_points(points: FloatArray, measured: BoolArray, most: int = MOST_POINTS) -> IntArray:
    """Return the ascending indices of at most `most` measured points near the largest values.

    Each parameter of a near point has one of its selected largest values. With several parameters, the next
    largest points are added up to `FEWEST_POINTS`.

    Args:
        points: (P, m) P points of m parameters.
        measured: (P,) whether each point was measured.
        most: the largest number of points.
    """
    rows = np.flatnonzero(measured)
    rank, selected = np.zeros(len(rows), dtype=int), np.ones(len(rows), dtype=bool)
    for x in points[rows].T:
        values, place = np.unique(x, return_inverse=True)
        rank = np.maximum(rank, len(values) - 1 - place)
        large = np.zeros(len(values), dtype=bool)
        large[_largest_values(values, points.shape[1])] = True
        selected &= large[place]
    order = np.argsort(rank + len(rows) * ~selected, kind="stable")
    enough = 1 if points.shape[1] == 1 else FEWEST_POINTS
    count = max(int(selected.sum()), enough)
    return np.sort(rows[order[: min(count, most)]])


def representative_points(points: FloatArray, measured: BoolArray, most: int) -> IntArray:
    """Return the indices of at most `most` measured points that represent all measured points.

    These are the `near_points` and an even selection of the other points. Arguments: see `near_points`.
    """
    near = near_points(points, measured, most)
    others = np.setdiff1d(np.flatnonzero(measured), near, assume_unique=True)
    if not len(others):
        return near
    others = others[np.lexsort(points[others].T)]
    count = min(most - len(near), len(others))
    return np.union1d(near, others[np.linspace(0, len(others) - 1, count).astype(int)])


def _largest_values(values: FloatArray, parameters: int) -> IntArray:
    """Return the indices of the selected largest values among the ascending `values` of one parameter."""
    first = min(int(np.searchsorted(values, values[-1] / NEAR_FACTOR)), len(values) - 1)
    count = MOST_VALUES if parameters == 1 else LARGEST_VALUES
    if len(values) - first <= max(count, LARGEST_VALUES):
        return np.arange(max(min(first, len(values) - LARGEST_VALUES), 0), len(values))
    wanted = np.geomspace(values[first], values[-1], count)
    nearest = np.abs(np.log(values[first:, None] / wanted)).argmin(axis=0)
    return np.unique(first + nearest)
