"""The progress of a kept plan: which runs have arrived, and whether the rest is worthwhile."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from django.http import QueryDict

from ingest.models import Series
from modeling.engine.design.goals import SHARE_LEFT
from modeling.models import Plan
from modeling.selectors.plans.question import within_asked

SAME = 1e-9
"""Coordinates with at most this relative difference are treated as equal."""


@dataclass(frozen=True)
class Task:
    """A point of a plan, with its planned and arrived repetitions. `guessed` is the range of its cost."""

    number: int
    point: tuple[float, ...]
    repetitions: int
    arrived: int
    cost: float | None
    buys: str
    guessed: tuple[float, float] | None = None

    @property
    def ticked(self) -> bool:
        """Return whether all repetitions of the point have arrived."""
        return self.arrived >= self.repetitions

    @property
    def missing(self) -> int:
        """Return the number of missing repetitions."""
        return max(self.repetitions - self.arrived, 0)


@dataclass(frozen=True)
class Progress:
    """The points of a plan, and the present width of the interval at its target.

    `width` is the factor from the prediction to either end; None if not known. `settled` says that the
    question is answered without further runs. `pointless` says that further runs would not help.
    """

    plan: Plan
    tasks: tuple[Task, ...]
    width: float | None = None
    pointless: bool = False
    settled: bool = False

    @property
    def arrived(self) -> int:
        """Return the number of the plan's repetitions that have arrived."""
        return sum(min(task.arrived, task.repetitions) for task in self.tasks)

    @property
    def complete(self) -> bool:
        """Return whether every repetition has arrived."""
        return all(task.ticked for task in self.tasks)

    @property
    def reached(self) -> bool:
        """Return whether the goal is reached.

        For the goal "interval", the interval must be as narrow as asked or expected. By default, a question
        asks for half the width, in logarithms. Any other goal is reached if the plan is `settled`.
        """
        before, after = self.plan.width_before, self.plan.width_after
        if self.plan.goal != "interval":
            return self.settled
        if self.width is None or not before or not after:
            return False
        wanted = SHARE_LEFT * math.log(before)
        if (within := within_asked(QueryDict(self.plan.question).dict())) is not None:
            wanted = math.log1p(within)
        return math.log(self.width) <= max(wanted, math.log(after))

    @property
    def verdict(self) -> str:
        """Return the progress in one word: "reached", "complete", "pointless" or "open"."""
        if self.reached:
            return "reached"
        if self.complete:
            return "complete"
        return "pointless" if self.pointless else "open"


def plan_progress(
    plan: Plan, width: float | None = None, *, pointless: bool = False, settled: bool = False
) -> Progress:
    """Return which repetitions of a plan have arrived since it was made."""
    found = runs_at(plan, plan.points)
    guessed = zip(plan.costs_lower, plan.costs_upper, strict=True) if plan.costs_lower else repeat(None)
    rows = zip(
        plan.points, plan.repetitions, plan.costs, plan.buys or [""] * len(plan.points), plan.measured, found,
        strict=True,
    )  # fmt: skip
    tasks = tuple(
        Task(number, tuple(point), repetitions, max(now - before, 0), cost, buys, ends)
        for number, ((point, repetitions, cost, buys, before, now), ends) in enumerate(
            zip(rows, guessed, strict=False), start=1
        )
    )
    return Progress(plan, tasks, width, pointless, settled)


def runs_at(plan: Plan, points: Sequence[Sequence[float]]) -> list[int]:
    """Return the numbers of repetitions that the plan's version has at these points."""
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
    """Return, for each campaign of the plan's version, the series with the most repetitions."""
    rows = Series.objects.filter(
        campaign__version__application=plan.application_id, campaign__version__label=plan.version_label
    )
    if plan.machine_name:
        rows = rows.filter(campaign__machine__name=plan.machine_name)
    if plan.metric_name:
        rows = rows.filter(metric__name=plan.metric_name)
    rows = rows.order_by("campaign_id", "-repetitions", "pk").distinct("campaign_id")
    return list(rows.select_related("campaign"))
