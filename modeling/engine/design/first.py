"""Plan the first measurements within a budget, if nothing is known yet.

The plan has a line of values for each parameter and the cheapest points off these lines. The rest of the
budget is used for repetitions. Source: Ritter et al., Learning cost-effective sampling strategies for
empirical performance modeling, IPDPS 2020. Lines through one point and one further point suffice to
distinguish sums and products of parameters.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.design.plans import Plan
from modeling.engine.validation import FloatArray, IntArray

REPETITIONS = 3
"""Runs at each point of a first design, if the budget allows. Two runs show that there is noise, and the
third shows how much. More runs at the same point help less than another point.
"""

LINE = 5
"""The number of points of a line. With fewer points, Extra-P finds no model, and the evidence modeler
determines the growth of few kernels.
"""

FEWEST = 3
"""The smallest number of values of a parameter with which the evidence modeler finds laws of that
parameter.
"""


New = Callable[[FloatArray, str], "Iterator[Step]"]
"""Returns the step to a point (m,), unless the point was already chosen or measured, or may not be
measured.
"""


@dataclass(frozen=True)
class Step:
    """A candidate by its number, and the reason for measuring it."""

    candidate: int
    buys: str


def plan_first(
    candidates: FloatArray,
    measured: FloatArray,
    costs: FloatArray,
    budget: float,
    *,
    names: Sequence[str],
    runs: int,
) -> Plan:
    """Plan lines of all parameters, and the cheapest points off these lines, as far as core hours and runs
    allow.
    """
    chosen: list[int] = []
    buys: list[str] = []
    left_out = 0
    left = budget
    for step in first_steps(candidates, measured, costs, names):
        if len(chosen) == runs or costs[step.candidate] > left:
            left_out += 1
            continue
        chosen.append(step.candidate)
        buys.append(step.buys)
        left -= float(costs[step.candidate])
    repetitions = _repeated(costs[chosen], left, runs)
    return Plan(
        points=candidates[chosen].reshape(-1, candidates.shape[1]),
        repetitions=repetitions,
        costs=costs[chosen] * repetitions,
        reasons=(*_told(candidates, measured, names), *_left_out(left_out, budget)),
        buys=tuple(buys),
        reached=not chosen,
        separate_jobs=True,
        parameters=tuple(names),
    )


def _repeated(costs: FloatArray, left: float, runs: int) -> IntArray:
    """Return the runs at each point, (N,). Rounds over all points are added while the rest of the budget
    allows them.
    """
    repetitions = np.ones(len(costs), np.int_)
    for _ in range(REPETITIONS - 1):
        if not len(costs) or costs.sum() > left or repetitions.sum() + len(costs) > runs:
            break
        repetitions += 1
        left -= float(costs.sum())
    return repetitions


def _told(candidates: FloatArray, measured: FloatArray, names: Sequence[str]) -> list[str]:
    offered, known = values_of(candidates), values_of(measured) if len(measured) else np.zeros(len(names))
    short = [name for name, one, other in zip(names, offered, known, strict=True) if one >= FEWEST > other]
    told = []
    if short:
        told.append(
            f"{', '.join(short)}: fewer than {FEWEST} values were measured, too few for a law. Lines of "
            "values come first."
        )
    if len(names) > 1:
        told.append("One point off the lines for each pair of parameters tells sums from products.")
    return told


def _left_out(count: int, budget: float) -> list[str]:
    if not count:
        return []
    limit = f"the budget of {budget:g} core hours" if np.isfinite(budget) else "the number of runs"
    return [f"{count} points of the lines are left out: {limit} does not allow for them."]


def lacks_lines(measured: FloatArray, candidates: FloatArray) -> bool:
    """Return whether some parameter that could vary has too few measured values for any law."""
    if not len(measured):
        return True
    return bool(((values_of(measured) < FEWEST) & (values_of(candidates) >= FEWEST)).any())


def first_steps(
    candidates: FloatArray, measured: FloatArray, costs: FloatArray, names: Sequence[str]
) -> Iterator[Step]:
    """Yield candidates (C, m) of a first design in the order of their use, without the measured points (P,
    m).

    Lines go through the cheapest point. They are extended in turn, from their cheap ends, to up to five
    points. Then points off the lines follow: the cheapest one for each pair of parameters, and the cheapest
    one for all parameters.
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
    """Return the values of a parameter in the order of their use: measured values first, then the smallest
    ones.
    """
    values = np.unique(candidates[:, axis])
    done = set(measured[:, axis].tolist()) | {float(base[axis])}
    return sorted(values.tolist(), key=lambda value: (value not in done, value))[:LINE]


def _crossings(
    candidates: FloatArray, base: FloatArray, costs: FloatArray, names: Sequence[str], new: New
) -> Iterator[Step]:
    """Yield the cheapest point that changes each pair of parameters, and the cheapest one that changes
    all.
    """
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
    """Return the different sets of `count` parameters in which some candidate differs from the base, (N,
    m).
    """
    rows = moved[moved.sum(axis=1) == count]
    return np.unique(rows, axis=0) if len(rows) else rows


def values_of(points: FloatArray) -> IntArray:
    """Return the number of values of each parameter, (m,)."""
    return np.array([len(np.unique(column)) for column in points.T], dtype=np.int_)
