"""Rows of the tables of plans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine import Plan
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class PlanRow:
    """A point of a plan for a page."""

    point: tuple[str, ...]
    runs: int
    cost: float | None
    buys: str
    known: bool


def plan_rows(plan: Plan, measured: Sequence[Sequence[float]]) -> list[PlanRow]:
    """Return the points of a proposed plan, and whether they were measured before."""
    known = {tuple(point) for point in measured}
    return [
        PlanRow(
            tuple(map(formatting.coordinate, point)),
            runs,
            None if np.isnan(cost) else cost,
            buys,
            tuple(point) in known,
        )
        for point, runs, cost, buys in zip(
            plan.points.tolist(), plan.repetitions.tolist(), plan.costs.tolist(), plan.buys, strict=True
        )
    ]
