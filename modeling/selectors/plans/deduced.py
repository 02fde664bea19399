"""The smallest design for the dependencies of functions, and the whole program as the sum of their models."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ingest.models import Dependencies
from modeling.engine import Plan, PlanError, plan_minimal
from modeling.engine.design.deduced.minimal import REPETITIONS
from modeling.engine.design.first import LINE, spread
from modeling.engine.validation import BoolArray
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.costs import core_hours, kept_by, limits_of
from modeling.selectors.plans.profiles import as_profile, inferred_functions, stored_terms
from modeling.selectors.plans.program import ProgramTotal, program_total
from modeling.selectors.plans.question import Question
from modeling.selectors.run.rows import RunRows
from modeling.selectors.run.targets import target_point

NOISE_RUNS = 3
"""The number of runs at each of the two cheapest points of a deduced design; single runs do not show the
noise.
"""


def plan_by_profile(
    basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> Plan:
    """Return the smallest design for the dependencies of functions. These are stored or, if not, inferred
    from measurements.
    """
    inferred: tuple[str, ...] = ()
    if profile is not None:
        functions = stored_terms(profile)
    elif loaded is not None and len(loaded.rows):
        functions = inferred_functions(loaded)
        inferred = (
            f"The dependencies of the functions are not stored, so they were inferred from the laws of the "
            f"{len(functions)} heaviest functions. Check it, and say what is known otherwise.",
        )
    else:
        raise ValueError(
            "The dependencies of the functions are not stored, and cannot be inferred without measurements; "
            "tick them in the table, or store a file of Perf-Taint in the settings"
        )
    deduced = _deduced if basis.run is not None else _deduced_first
    plan = deduced(basis, question, as_profile(functions), _values_within(basis, question))
    return replace(plan, reasons=(*inferred, *plan.reasons))


def program_of(
    basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> ProgramTotal | None:
    """Return the sum of the functions' models at the target, for the goal "profile"; None if nothing was
    measured."""
    if question.goal != "profile" or basis.run is None or basis.metric is None or not loaded:
        return None
    if not loaded.rows:
        return None
    functions = stored_terms(profile) if profile is not None else inferred_functions(loaded)
    target = target_point(basis.target or basis.run.target, basis.run.campaign)
    campaigns = [basis.run.campaign, *basis.beside]
    return program_total(loaded, campaigns, basis.metric, functions, np.asarray(target, dtype=np.float64))


Values = Mapping[str, tuple[float, ...]]
"""Parameter → the values of it that may be measured, ascending."""


def _deduced(
    basis: Basis, question: Question, functions: Mapping[str, Collection[str]], values: Values
) -> Plan:
    return plan_minimal(
        functions, values, linear=question.linear,
        dependent={name: dict(powers) for name, powers in question.dependent},
        cost=lambda points: core_hours(basis, question, points), noise_runs=NOISE_RUNS, spend=question.budget,
        target=_aim(basis, question), repetitions=question.repetitions or REPETITIONS,
    )  # fmt: skip


def _deduced_first(
    basis: Basis, question: Question, functions: Mapping[str, Collection[str]], values: Values
) -> Plan:
    """Return the deduced design of an application that was not measured yet. It has up to five values of each
    parameter. The values reach as far as the limits allow, or are the smallest ones if there is no budget.

    Raises:
        PlanError: the limits do not even allow the smallest design.
    """
    longest = max(map(len, values.values()))
    ends = range(longest, LINE - 1, -1) if question.budget is not None else ()
    for end in ends:
        try:
            plan = _deduced(basis, question, functions, _spread(values, end))
        except PlanError:
            continue
        if not _barred(basis, question, plan).any():
            return plan
    plan = _deduced(basis, question, functions, _spread(values, LINE))
    barred = _barred(basis, question, plan)
    if not barred.any():
        return plan
    kept = ~barred
    raise PlanError(
        f"limits: found {int(barred.sum())} of {len(plan)} points of the deduced design beyond the limits; "
        "allow more, or smaller values",
        replace(
            plan, points=plan.points[kept], repetitions=plan.repetitions[kept], costs=plan.costs[kept],
            buys=tuple(buys for buys, keep in zip(plan.buys, kept, strict=True) if keep),
        ),
    )  # fmt: skip


def _spread(values: Values, end: int) -> dict[str, tuple[float, ...]]:
    return {name: tuple(spread(series, min(end, len(series)))) for name, series in values.items()}


def _barred(basis: Basis, question: Question, plan: Plan) -> BoolArray:
    """Return which points of a plan are beyond the limits, (N,)."""
    limits = limits_of(basis, question)
    if limits is None or plan.parameters != question.names:
        return np.zeros(len(plan), dtype=bool)
    return ~kept_by(limits, plan.points, question.names)


def _values_within(basis: Basis, question: Question) -> dict[str, tuple[float, ...]]:
    """Return the values that the limit on processes allows.

    Raises:
        PlanError: the limit allows no value.
    """
    values = dict(question.values)
    name = basis.processes
    if name is None or name not in values or question.processes is None:
        return values
    kept = tuple(value for value in values[name] if value <= question.processes)
    if not kept:
        raise PlanError(
            f"limits: found at most {question.processes:g} for {name}, expected {min(values[name]):g} or more"
        )
    return {**values, name: kept}


def _aim(basis: Basis, question: Question) -> list[float] | None:
    """Return the target in the order of the plan's parameters, or None if the target does not name them
    all.
    """
    names = [name for name in question.names if name not in dict(question.dependent)]
    if basis.target is None or any(name not in basis.target for name in names):
        return None
    return [basis.target[name] for name in names]
