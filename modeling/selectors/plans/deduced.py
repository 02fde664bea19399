"""The smallest design for the dependencies of functions, and the whole program as the sum of their models."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ingest.models import Dependencies
from modeling.engine import Plan, PlanError, plan_minimal
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.costs import core_hours
from modeling.selectors.plans.profiles import as_profile, inferred_functions, stored_terms
from modeling.selectors.plans.program import ProgramTotal, program_total
from modeling.selectors.plans.question import Question
from modeling.selectors.run.rows import RunRows
from modeling.selectors.run.targets import target_point

NOISE_RUNS = 3
"""The number of runs at each of the two cheapest points of a deduced design, because single runs do not show
the noise.
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
            f"Nobody has said what the functions depend on: it was inferred from the laws of the "
            f"{len(functions)} heaviest functions. Check it, and say what is known otherwise.",
        )
    else:
        raise ValueError(
            "Nobody has said what the functions depend on, and nothing was measured that tells it; tick it "
            "in the table, or store a file of Perf-Taint in the settings"
        )
    plan = _deduced(basis, question, as_profile(functions))
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


def _deduced(basis: Basis, question: Question, functions: Mapping[str, Collection[str]]) -> Plan:
    return plan_minimal(
        functions, _values_within(basis, question), linear=question.linear,
        dependent={name: dict(powers) for name, powers in question.dependent},
        cost=lambda points: core_hours(basis, question, points), noise_runs=NOISE_RUNS, spend=question.budget,
        target=_aim(basis, question),
    )  # fmt: skip


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
