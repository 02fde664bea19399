"""The plan for a question, and whether its target is known well enough already."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ingest.models import Dependencies
from ingest.selectors import bound_parameters
from modeling.engine import FloatArray, Plan, plan_next
from modeling.engine.design.following import MOST_RUNS
from modeling.engine.design.reasons import NOTHING_EARLIER
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.costs import CostRange, Turnaround, core_hours, limits_of
from modeling.selectors.plans.deduced import plan_by_profile
from modeling.selectors.plans.measurements import measurements_of
from modeling.selectors.plans.outlook import Outlook, outlook_of, with_interval
from modeling.selectors.plans.program import ProgramTotal
from modeling.selectors.plans.question import Question
from modeling.selectors.run.rows import RunRows

WELL_KNOWN = 0.01
"""Relative half width below which nothing is proposed. System updates change times by over 1 % a month."""


@dataclass(frozen=True)
class Proposal:
    """A plan, or the nearest possible plan with the reason why the requested one is impossible."""

    plan: Plan | None
    problem: str
    names: tuple[str, ...]
    measured: FloatArray
    question: Question = field(compare=False)
    full: tuple[int, float | None] | None = None
    program: ProgramTotal | None = None
    outlook: Outlook | None = None
    beyond: Plan | None = None
    allowed: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    turnaround: Turnaround | None = None
    notes: tuple[str, ...] = ()
    kernel: str = ""
    guessed: CostRange | None = None


def planned(
    made: Proposal, basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> Proposal:
    """Return the proposal with its plan.

    Raises:
        PlanError: the limits leave nothing, or the budget is too small.
        ValueError: there are too few measurements.
    """
    if question.goal == "profile":
        return replace(made, plan=plan_by_profile(basis, question, profile, loaded))
    if loaded is None or not loaded.rows:
        nothing: FloatArray = np.empty((0, len(question.names)))
        more: dict[str, Any] = {} if question.repetitions is None else {"repetitions": question.repetitions}
        return replace(made, plan=_next(basis, question, nothing, np.empty((1, 0, 1)), more))
    measurements = measurements_of(basis, loaded, question.kernel)
    outlook = outlook_of(basis, loaded, measurements, question.kernel)
    more = {**measurements.asked(question), "wanted": _wanted(question, outlook), "enough": question.within}
    plan = with_interval(_next(basis, question, measurements.points, measurements.values, more), outlook)
    if plan.expected is None:
        return replace(made, plan=plan)
    narrows = question.goal == "interval" or (question.goal == "change" and measurements.before is None)
    if narrows and outlook is not None and outlook.width <= 1 + _enough(question):
        return replace(made, plan=_nothing(plan, outlook, made.kernel), beyond=plan, outlook=outlook)
    shared = [] if plan.reached else _shared(outlook)
    return replace(made, plan=replace(plan, reasons=(*plan.reasons, *shared)), outlook=outlook)


def _shared(outlook: Outlook | None) -> list[str]:
    """Return a sentence on the interval's part due to differences between jobs, nodes or days, if any."""
    if outlook is None or outlook.shared <= 1:
        return []
    kinds = " and ".join(f"{kind}s" for kind in outlook.kinds)
    alone = 100 * (outlook.shared - 1)
    return [
        f"A part of the interval at the target, ± {alone:.2g} %, comes from differences between {kinds}: "
        f"further repetitions in the same {kinds} do not narrow it, but runs in other {kinds} do."
    ]


def _next(
    basis: Basis, question: Question, points: FloatArray, values: FloatArray, more: dict[str, Any]
) -> Plan:
    candidates = _keeping(basis, question)
    runs = question.runs or MOST_RUNS
    return plan_next(
        points, values, candidates, lambda points: core_hours(basis, question, points),
        goal=question.goal, budget=question.budget, runs=runs, names=question.names,
        limits=limits_of(basis, question), **more,
    )  # fmt: skip


def _keeping(basis: Basis, question: Question) -> FloatArray:
    """Return the candidates that keep the relations of parameters that were always varied together.

    A law does not hold at points that break these relations. If no candidate keeps them, or further campaigns
    may break them, all candidates are returned.
    """
    candidates, run = question.candidates(), basis.known_run
    if run is None or basis.beside or question.names != tuple(run.campaign.parameters):
        return candidates
    bound = bound_parameters(run.campaign, basis.parameters)
    if bound is None:
        return candidates
    keeps = ~np.asarray(bound.relations.broken(candidates).any(axis=1))
    return candidates[keeps] if keeps.any() else candidates


def _wanted(question: Question, outlook: Outlook | None) -> float | None:
    """Return the wanted half width as a share of the present one (in logarithms); None: the default."""
    if question.goal != "interval" or question.within is None or outlook is None or outlook.width <= 1:
        return None
    return math.log1p(question.within) / math.log(outlook.width)


def _enough(question: Question) -> float:
    return WELL_KNOWN if question.within is None else question.within


def _nothing(plan: Plan, outlook: Outlook, name: str) -> Plan:
    """Return a plan without runs, because the target is already known well enough."""
    width = 100 * (outlook.width - 1)
    told = f"{name or 'The total'} is already known well enough at the target: to ± {width:.2g} %."
    if outlook.shared > 1:
        told += f" That includes what the runs of a {outlook.kinds[-1]} share."
    expected = plan.expected and replace(plan.expected, width_after=plan.expected.width_before)
    return replace(
        plan, points=plan.points[:0], repetitions=plan.repetitions[:0], costs=plan.costs[:0], buys=(),
        left=(), reasons=(told, *(why for why in plan.reasons if why == NOTHING_EARLIER)), expected=expected,
        reached=True,
    )  # fmt: skip
