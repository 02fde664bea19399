"""Plan the first measurements, if nothing is known yet.

The plan has a line of points for each parameter, on which only this parameter varies, and the cheapest points
off these lines. They suffice to distinguish sums and products of parameters (Ritter et al., Learning
cost-effective sampling strategies for empirical performance modeling, IPDPS 2020).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.design.first_reasons import (
    FEWEST,
    LINE,
    ends_told,
    laws_missing,
    lines_told,
    points_missing,
    repetitions_told,
    values_missing,
    values_of,
)
from modeling.engine.design.plans import Plan
from modeling.engine.validation import FloatArray, IntArray

REPETITIONS = 3
"""Number of runs at each point of a first plan. Two runs show that there is noise, a third how much."""

SHOWN_AT = 2
"""Number of the cheapest points that are repeated if limits allow only one run at each other point."""

MEASURED = "The lines of values and the points off these lines were measured already."

New = Callable[[FloatArray, str], "Iterator[Step]"]
"""Yields the step of a point (m,) with its reason, or nothing if the point is known or no candidate."""


@dataclass(frozen=True)
class Step:
    """The index of a candidate, and the reason for measuring it."""

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
    repetitions: int = REPETITIONS,
) -> Plan:
    """Plan lines of all parameters and the cheapest points off these lines, within `budget` and `runs`.

    Args:
        candidates: (C, m) C points of m parameters.
        measured: (P, m) P points that need no further run.
        costs: (C,) core hours of a run at each candidate.
        budget: limit on the core hours.
        names: names of the parameters.
        runs: limit on the runs.
        repetitions: largest number of runs at each point.
    """
    chosen: list[int] = []
    buys: list[str] = []
    left_out = 0
    left = budget
    for step in first_steps(candidates, measured, costs, names, budget=budget, repetitions=repetitions):
        if len(chosen) == runs or costs[step.candidate] > left:
            left_out += 1
            continue
        chosen.append(step.candidate)
        buys.append(step.buys)
        left -= float(costs[step.candidate])
    count = _repeated(costs[chosen], left, runs, repetitions)
    each = np.full(len(chosen), count)
    if count == 1 < repetitions:
        each = _noise_shown(costs[chosen], left, runs, repetitions)
    points = candidates[chosen].reshape(-1, candidates.shape[1])
    return Plan(
        points=points,
        repetitions=each,
        costs=costs[chosen] * each,
        reasons=(
            *(laws_missing(candidates, np.vstack([points, measured]), costs, names) if chosen else []),
            *(lines_told(candidates, measured, points, names) if chosen or left_out else [MEASURED]),
            *values_missing(np.vstack([candidates, measured]), names),
            *([] if len(measured) else ends_told(candidates, points, names, budget, left_out)),
            *points_missing(left_out, budget),
            *(repetitions_told(each, repetitions, runs) if chosen else []),
        ),
        buys=tuple(buys),
        reached=not chosen and not left_out,
        separate_jobs=True,
        parameters=tuple(names),
    )


def _repeated(costs: FloatArray, left: float, runs: int, most: int) -> int:
    """Return the affordable number of runs at each point, at most `most`."""
    count = 1
    while count < most and costs.sum() <= left and len(costs) * (count + 1) <= runs:
        count += 1
        left -= float(costs.sum())
    return count


def _noise_shown(costs: FloatArray, left: float, runs: int, most: int) -> IntArray:
    """Return one run at each point, but up to `most` at the cheapest points, to show the noise."""
    each = np.ones(len(costs), np.int_)
    for at in np.argsort(costs, kind="stable")[:SHOWN_AT].tolist():
        further = min(most - 1, runs - int(each.sum()), np.floor(left / costs[at]))
        each[at] += int(max(further, 0))
        left -= float(costs[at]) * (each[at] - 1)
    return each


def lacks_lines(measured: FloatArray, candidates: FloatArray) -> bool:
    """Return whether a parameter that could vary has too few measured values for a law."""
    if not len(measured):
        return True
    return bool(((values_of(measured) < FEWEST) & (values_of(candidates) >= FEWEST)).any())


def first_steps(
    candidates: FloatArray,
    measured: FloatArray,
    costs: FloatArray,
    names: Sequence[str],
    *,
    budget: float = np.inf,
    repetitions: int = REPETITIONS,
) -> Iterator[Step]:
    """Yield the steps of a first plan in their order. Arguments are those of `plan_first`.

    All lines go through the cheapest candidate or, with measurements, through the smallest measured point.
    The lines get their points in turn, up to `LINE` each. The points off the lines come last.
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
    if not len(measured) and np.isfinite(budget):
        lines = _far_lines(candidates, costs, base, place, budget=budget, repetitions=repetitions)
    for length in range(2, LINE + 1):
        for axis, line in enumerate(lines):
            for value in line[:length]:
                point = base.copy()
                point[axis] = value
                yield from new(point, f"growth with {names[axis]}: value {length} of its line")
    yield from _crossings(candidates, base, costs, names, new)


def _line(candidates: FloatArray, measured: FloatArray, base: FloatArray, axis: int) -> list[float]:
    """Return at most `LINE` values of a parameter's line: measured values, then the smallest others."""
    values = np.unique(candidates[:, axis])
    done = set(measured[:, axis].tolist()) | {float(base[axis])}
    return sorted(values.tolist(), key=lambda value: (value not in done, value))[:LINE]


def _far_lines(
    candidates: FloatArray,
    costs: FloatArray,
    base: FloatArray,
    place: Mapping[tuple[float, ...], int],
    *,
    budget: float,
    repetitions: int,
) -> list[list[float]]:
    """Return lines of up to `LINE` values each, extended in turn as far as the budget allows."""
    price = [
        {value: float(costs[at]) for value, at in _along(candidates, base, axis, place)}
        for axis in range(len(base))
    ]
    reach = [min(LINE, len(each)) for each in price]
    moved = candidates != base
    off = sum(
        float(costs[(moved == pattern).all(axis=1)].min())
        for count in {2, len(base)} - {1}
        for pattern in _patterns(moved, count)
    )

    def taken(ends: Sequence[int]) -> float:
        """Return the core hours of one run at all points of lines that end at these positions."""
        shared = (len(ends) - 1) * float(costs.min())
        return (
            off
            - shared
            + sum(
                sum(of[value] for value in spread(list(of), end)) for of, end in zip(price, ends, strict=True)
            )
        )

    count = max(min(repetitions, int(budget // taken(reach))), 1)
    if count == 1:  # a part is reserved for repetitions of the cheapest points
        budget -= (repetitions - 1) * float(np.sort(costs)[:SHOWN_AT].sum())
    growing = set(range(len(base)))
    while growing:
        for axis in sorted(growing):
            further = [end + (other == axis) for other, end in enumerate(reach)]
            if further[axis] > len(price[axis]) or count * taken(further) > budget:
                growing.discard(axis)
            else:
                reach = further
    return [spread(list(of), end) for of, end in zip(price, reach, strict=True)]


def _along(
    candidates: FloatArray, base: FloatArray, axis: int, place: Mapping[tuple[float, ...], int]
) -> Iterator[tuple[float, int]]:
    """Yield the ascending values with a candidate on a parameter's line, and the candidate's index."""
    for value in np.unique(candidates[:, axis]).tolist():
        point = [*base.tolist()]
        point[axis] = value
        if (at := place.get(tuple(point))) is not None:
            yield value, at


def spread(series: Sequence[float], end: int, count: int = LINE) -> list[float]:
    """Return up to `count` of the first `end` values, evenly spread by position, with both ends."""
    if end <= count:
        return list(series[:end])
    return [series[round(at * (end - 1) / (count - 1))] for at in range(count)]


def _crossings(
    candidates: FloatArray, base: FloatArray, costs: FloatArray, names: Sequence[str], new: New
) -> Iterator[Step]:
    """Yield the cheapest point off the lines for each pair of parameters, then one for all parameters."""
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
    """Return masks of `count` parameters: those in which a candidate differs from the base."""
    rows = moved[moved.sum(axis=1) == count]
    return np.unique(rows, axis=0) if len(rows) else rows
