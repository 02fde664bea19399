"""Cross the parameters that act together, and vary all others at the same time.

Parameters that are varied at the same time, step by step, form an *axis*. The points of a design are all
combinations of the steps of all axes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from math import prod

import numpy as np

from modeling.engine.design.deduced.profile import Insights
from modeling.engine.laws.partitions import partitions
from modeling.engine.validation import FloatArray, IntArray

SEARCHED = 8
"""Largest number of parameters for which all assignments to axes are tried."""

Axis = tuple[str, ...]
"""Parameters that are varied at the same time."""


def cheapest_axes(insights: Insights, values: Mapping[str, tuple[float, ...]]) -> list[Axis]:
    """Return the assignment of parameters to axes with the fewest points, and then with the fewest axes."""
    names = insights.parameters
    if len(names) > SEARCHED:
        return _greedy_axes(insights)
    allowed = ([*axes] for axes in partitions(names) if not any(_meets(axis, insights) for axis in axes))
    return min(allowed, key=lambda axes: (prod(_length(axis, values) for axis in axes), len(axes)))


def _meets(axis: Axis, insights: Insights) -> bool:
    return any(frozenset(pair) in insights.meeting for pair in combinations(axis, 2))


def _greedy_axes(insights: Insights) -> list[Axis]:
    axes: list[Axis] = []
    for name in insights.parameters:
        free = next((at for at, axis in enumerate(axes) if not _meets((*axis, name), insights)), None)
        if free is None:
            axes.append((name,))
        else:
            axes[free] = (*axes[free], name)
    return axes


def _length(axis: Axis, values: Mapping[str, tuple[float, ...]]) -> int:
    return max(len(values[name]) for name in axis)


def crossed(
    axes: Sequence[Axis],
    fixed: Mapping[str, float],
    values: Mapping[str, tuple[float, ...]],
    names: Sequence[str],
) -> FloatArray:
    """Return all combinations of the steps of all axes as points, with the values of `fixed` parameters."""
    rows = []
    for steps in product(*(range(_length(axis, values)) for axis in axes)):
        row = dict(fixed)
        for axis, step in zip(axes, steps, strict=True):
            row |= {name: _at(values[name], step, _length(axis, values)) for name in axis}
        rows.append([row[name] for name in names])
    points = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    return points[_by_rows(points)]


def _by_rows(points: FloatArray) -> IntArray:
    """Return the indices that sort points by the first parameter, then by the second, and so on."""
    return np.lexsort(points.T[::-1]) if points.shape[1] else np.arange(len(points))


def _at(series: Sequence[float], step: int, steps: int) -> float:
    """Return the value at a step of an axis. The axis may have more steps than the parameter has values."""
    last = len(series) - 1
    return series[step if steps == len(series) else round(step * last / max(steps - 1, 1))]


def bought(
    points: FloatArray, axes: Sequence[Axis], names: Sequence[str], meeting: Collection[frozenset[str]]
) -> Iterator[str]:
    """Yield the purpose of each point: the parameters that grow there, or those that meet in a function."""
    place = {name: at for at, name in enumerate(names)}
    smallest = points.min(axis=0, initial=np.inf)
    for point in points:
        moved = [axis for axis in axes if any(point[place[name]] > smallest[place[name]] for name in axis)]
        if not moved:
            yield "the smallest configuration, which all lines share"
        elif len(moved) == 1:
            yield f"growth with {' and, in other functions, '.join(moved[0])}"
        else:
            grown = list(chain.from_iterable(moved))
            pairs = [pair for pair in meeting if pair.issubset(grown)]
            together = [name for name in grown if any(name in pair for pair in pairs)]
            listed = " and ".join(together or grown)
            yield f"how {listed} act together" if together else f"growth with {listed}"
