"""A first plan within a budget: the steps of a sparse design, and repetitions with the rest of the budget."""

from collections.abc import Sequence

import numpy as np

from modeling.engine.design.plans import Plan
from modeling.engine.design.sparse import FEWEST, first_steps, values_of
from modeling.engine.validation import FloatArray, IntArray

REPETITIONS = 3
"""Runs at each point of a first design, if the budget allows: two show that there is noise, the third how
much. More runs at the same point help less than another point.
"""


def plan_first(
    candidates: FloatArray,
    measured: FloatArray,
    costs: FloatArray,
    budget: float,
    *,
    names: Sequence[str],
    runs: int,
) -> Plan:
    """Plan lines of all parameters and the cheapest points off them, as far as core hours and runs allow."""
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
    """Return the runs at each point, (N,): rounds over all points while the rest of the budget allows
    them.
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
    """Whether some parameter that could vary has too few measured values for any law."""
    if not len(measured):
        return True
    return bool(((values_of(measured) < FEWEST) & (values_of(candidates) >= FEWEST)).any())
