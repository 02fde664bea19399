"""Select measured points near the largest parameter values: they show how a kernel grows beyond these values.

At small parameter values, overheads dominate. Points there say little about growth at large values, and the
deviations of kernels from their laws have another size.
"""

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

LARGEST_VALUES = 7
"""The number of largest values of each parameter that are selected."""

NEAR_FACTOR = 8.0
"""Values within this factor of the largest value are near it. If more than `LARGEST_VALUES` values are near,
the selected values are spread over all of them.
"""

MOST_VALUES = 24
"""The largest number of near values that are selected if there is only one parameter."""

FEWEST_POINTS = 64
"""The smallest number of selected points if there are several parameters. It matters for designs in which no
two points have the same value of a parameter.
"""

MOST_POINTS = 128
"""The largest number of selected points. Memory grows with the square of this number, and time with its cube.
"""


def near_points(points: FloatArray, measured: BoolArray, most: int = MOST_POINTS) -> IntArray:
    """Return the indices of at most `most` measured points near the largest values, ascending.

    A point is near if the value of every parameter is one of the selected largest values. With several
    parameters, the next largest points are added until there are `FEWEST_POINTS`.

    Args:
        points: (P, m).
        measured: (P,), marks the measured points.
        most: the largest number of points.
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
    """Return the indices of at most `most` measured points that represent all of them.

    These are the `near_points`, and an even selection of the other points. Arguments are as in `near_points`.
    """
    near = near_points(points, measured, most)
    others = np.setdiff1d(np.flatnonzero(measured), near)
    others = others[np.lexsort(points[others].T)]
    count = min(most - len(near), len(others))
    return np.union1d(near, others[np.linspace(0, len(others) - 1, count).astype(int)])


def _largest_values(values: FloatArray, parameters: int) -> IntArray:
    """Return the indices of the selected largest values, out of the ascending `values` (X,) of a parameter.

    `parameters` is the number of parameters.
    """
    first = min(int(np.searchsorted(values, values[-1] / NEAR_FACTOR)), len(values) - 1)
    count = MOST_VALUES if parameters == 1 else LARGEST_VALUES
    if len(values) - first <= max(count, LARGEST_VALUES):
        return np.arange(max(min(first, len(values) - LARGEST_VALUES), 0), len(values))
    wanted = np.geomspace(values[first], values[-1], count)
    nearest = np.abs(np.log(values[first:, None] / wanted)).argmin(axis=0)
    return np.unique(first + nearest)
