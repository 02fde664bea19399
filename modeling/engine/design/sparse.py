"""A first design if nothing is known: a line of values for each parameter, and the cheapest points off the
lines.

Source: Ritter et al., Learning cost-effective sampling strategies for empirical performance modeling, IPDPS
2020: lines through one point and one more point distinguish sums from products of parameters.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

LINE = 5
"""Points of a line: with fewer, Extra-P models nothing, and the evidence modeler determines the growth of
few kernels.
"""

FEWEST = 3
"""Smallest number of values of a parameter for which the evidence modeler has laws."""


New = Callable[[FloatArray, str], "Iterator[Step]"]
"""Returns the step to a point (m,), unless it was taken or measured, or may not be measured."""


@dataclass(frozen=True)
class Step:
    """A candidate by its index, and its purpose."""

    candidate: int
    buys: str


def first_steps(
    candidates: FloatArray, measured: FloatArray, costs: FloatArray, names: Sequence[str]
) -> Iterator[Step]:
    """Return candidates (C, m) of a first design in the order of their use, without measured ones, (P, m).

    Lines go through the cheapest point and grow from their cheap ends, all together, up to five points. Then
    come points off the lines: for each pair of parameters, and for all of them, the cheapest one.
    """
    base = candidates[int(np.argmin(costs))]
    if len(measured):
        base = measured[int(np.argmin(np.log(measured).sum(axis=1)))]
    known = {tuple(row) for row in measured.tolist()}
    place = {tuple(row): at for at, row in enumerate(candidates.tolist())}
    taken: set[int] = set()

    def new(point: FloatArray, buys: str) -> Iterator[Step]:
        at = place.get(tuple(point.tolist()))
        if at is not None and at not in taken and tuple(point.tolist()) not in known:
            taken.add(at)
            yield Step(at, buys)

    yield from new(base, "the cheapest configuration, which all lines share")
    lines = [_line(candidates, measured, base, axis) for axis in range(len(base))]
    for length in range(2, LINE + 1):
        for axis, line in enumerate(lines):
            for value in line[:length]:
                point = base.copy()
                point[axis] = value
                yield from new(point, f"growth with {names[axis]}: value {length} of its line")
    yield from _crossings(candidates, base, costs, names, new)


def _line(candidates: FloatArray, measured: FloatArray, base: FloatArray, axis: int) -> list[float]:
    """Return values of a parameter in the order of their use: the measured ones, then the smallest ones."""
    values = np.unique(candidates[:, axis])
    done = set(measured[:, axis].tolist()) | {float(base[axis])}
    return sorted(values.tolist(), key=lambda value: (value not in done, value))[:LINE]


def _crossings(
    candidates: FloatArray, base: FloatArray, costs: FloatArray, names: Sequence[str], new: New
) -> Iterator[Step]:
    """Return the cheapest point that changes each pair of parameters, and the cheapest that changes all."""
    moved = candidates != base
    for count in sorted({2, len(base)}):
        if count > len(base) or len(base) < 2:
            continue
        for chosen in _patterns(moved, count):
            rows = np.flatnonzero((moved == chosen).all(axis=1))
            which = [name for name, moves in zip(names, chosen, strict=True) if moves]
            yield from new(
                candidates[rows[np.argmin(costs[rows])]], f"whether {' and '.join(which)} add or multiply"
            )


def _patterns(moved: FloatArray, count: int) -> FloatArray:
    """Return the different ways in which `count` parameters differ from the base, (N, m)."""
    rows = moved[moved.sum(axis=1) == count]
    return np.unique(rows, axis=0) if len(rows) else rows


def values_of(points: FloatArray) -> IntArray:
    """Return the number of values of each parameter, (m,)."""
    return np.array([len(np.unique(column)) for column in points.T], dtype=np.int_)
