"""Rows of the tables of plans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine import FloatArray, Plan
from modeling.selectors.plans.costs import CostRange
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class PlanRow:
    """A point of a plan as a page shows it; `seconds` and `memory` (bytes) are needed by one run.

    `interval` is expected at the target after these runs. `hours_range` and `time_range` are ranges of
    guessed costs; empty if costs are predicted.
    """

    point: tuple[str, ...]
    runs: int
    cost: float | None
    seconds: float
    memory: float | None
    interval: str
    buys: str
    known: bool
    hours_range: str = ""
    time_range: str = ""


def plan_rows(
    plan: Plan,
    measured: Sequence[Sequence[float]],
    *,
    seconds: FloatArray,
    memory: FloatArray | None,
    intervals: Sequence[str],
    guessed: CostRange | None = None,
) -> list[PlanRow]:
    """Return the points of a proposed plan, and whether each was measured before."""
    known = {tuple(point) for point in measured}
    return [
        PlanRow(
            point=tuple(map(formatting.coordinate, point)),
            runs=int(plan.repetitions[at]),
            cost=None if np.isnan(plan.costs[at]) else float(plan.costs[at]),
            seconds=float(seconds[at]),
            memory=None if memory is None else float(memory[at]),
            interval=intervals[at] if at < len(intervals) else "",
            buys=plan.buys[at],
            known=tuple(point) in known,
            **({} if guessed is None else _ranges(guessed, at)),
        )
        for at, point in enumerate(plan.points.tolist())
    ]


def _ranges(guessed: CostRange, at: int) -> dict[str, str]:
    ends = (float(end[at]) for end in guessed.seconds)
    return {
        "hours_range": formatting.span(float(guessed.lower[at]), float(guessed.upper[at])),
        "time_range": " to ".join(formatting.quantity(end, "s") for end in ends),
    }
