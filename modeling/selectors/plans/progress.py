"""How far a kept plan is: which of its runs have arrived, and whether the rest is still worth it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Series
from modeling.models import Plan

SAME = 1e-9
"""Relative difference up to which coordinates are the same."""

HALVED = 0.5
"""Share of an interval's width, in the sense of logarithms, at which a plan to narrow it is reached."""


@dataclass(frozen=True)
class Task:
    """A point of a plan: how many runs it takes, and how many of them have arrived."""

    number: int
    point: tuple[float, ...]
    repetitions: int
    arrived: int
    cost: float | None
    buys: str

    @property
    def ticked(self) -> bool:
        """Whether all of its runs are there."""
        return self.arrived >= self.repetitions

    @property
    def missing(self) -> int:
        """Runs that are still to come."""
        return max(self.repetitions - self.arrived, 0)


@dataclass(frozen=True)
class Progress:
    """A plan's points, and what is known by now of the interval at its target.

    `width` is the factor to either end of it; None where it is not known.
    """

    plan: Plan
    tasks: tuple[Task, ...]
    width: float | None = None
    pointless: bool = False

    @property
    def arrived(self) -> int:
        """Runs of the plan that are there."""
        return sum(min(task.arrived, task.repetitions) for task in self.tasks)

    @property
    def complete(self) -> bool:
        """Whether every run is there."""
        return all(task.ticked for task in self.tasks)

    @property
    def reached(self) -> bool:
        """Whether the interval at the target is as narrow as the plan was to make it."""
        before, after = self.plan.width_before, self.plan.width_after
        if self.width is None or not before or not after or self.plan.goal != "interval":
            return False
        return math.log(self.width) <= max(HALVED * math.log(before), math.log(after))

    @property
    def verdict(self) -> str:
        """One word: "reached", "complete", "pointless" or "open"."""
        if self.reached:
            return "reached"
        if self.complete:
            return "complete"
        return "pointless" if self.pointless else "open"


def plan_progress(plan: Plan, width: float | None = None, *, pointless: bool = False) -> Progress:
    """Which runs of a plan have arrived since it was made."""
    found = runs_at(plan, plan.points)
    rows = zip(
        plan.points, plan.repetitions, plan.costs, plan.buys or [""] * len(plan.points), plan.measured, found,
        strict=True,
    )  # fmt: skip
    tasks = tuple(
        Task(number, tuple(point), repetitions, max(now - before, 0), cost, buys)
        for number, (point, repetitions, cost, buys, before, now) in enumerate(rows, start=1)
    )
    return Progress(plan, tasks, width, pointless)


def runs_at(plan: Plan, points: Sequence[Sequence[float]]) -> list[int]:
    """How many runs the campaigns of the plan's version hold at each of the points."""
    counts = np.zeros(len(points), dtype=np.int_)
    wanted = np.array(points, dtype=np.float64).reshape(len(points), len(plan.parameters))
    for series in _series(plan):
        campaign = series.campaign
        if sorted(campaign.parameters) != sorted(plan.parameters):
            continue
        order = [campaign.parameters.index(name) for name in plan.parameters]
        there = np.array(campaign.points, dtype=np.float64)[:, order]
        same = (np.abs(there[None] - wanted[:, None]) <= SAME * np.abs(wanted[:, None])).all(axis=2)
        values = np.array(series.values, dtype=np.float64).reshape(-1, series.repetitions)
        counts += same @ np.isfinite(values).sum(axis=1)
    return [int(count) for count in counts]


def _series(plan: Plan) -> list[Series]:
    """For each campaign of the plan's version, the series with the most repetitions."""
    rows = Series.objects.filter(
        campaign__version__application=plan.application_id, campaign__version__label=plan.version_label
    )
    if plan.machine_name:
        rows = rows.filter(campaign__machine__name=plan.machine_name)
    if plan.metric_name:
        rows = rows.filter(metric__name=plan.metric_name)
    rows = rows.order_by("campaign_id", "-repetitions", "pk").distinct("campaign_id")
    return list(rows.select_related("campaign"))
