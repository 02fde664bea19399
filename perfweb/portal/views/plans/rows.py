"""Rows of the tables of plans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine import FloatArray, Plan
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class PlanRow:
    """A point of a plan as a page shows it: `seconds` and `memory` (bytes) are those of one run, `interval`
    is expected after its runs.
    """

    point: tuple[str, ...]
    runs: int
    cost: float | None
    seconds: float
    memory: float | None
    interval: str
    buys: str
    known: bool


def plan_rows(
    plan: Plan,
    measured: Sequence[Sequence[float]],
    *,
    seconds: FloatArray,
    memory: FloatArray | None,
    intervals: Sequence[str],
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
        )
        for at, point in enumerate(plan.points.tolist())
    ]
