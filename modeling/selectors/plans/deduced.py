"""The goal "profile": the smallest (deduced) design for functions' dependencies, and the program's sum."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ingest.models import Dependencies
from modeling.engine import FloatArray, Limits, Plan, PlanError, plan_minimal
from modeling.engine.design.deduced.learned import Measured
from modeling.engine.design.deduced.minimal import REPETITIONS
from modeling.engine.design.first import spread
from modeling.engine.design.first_reasons import FEWEST, LINE
from modeling.engine.design.limits import keeps, single
from modeling.engine.design.plans import value_told
from modeling.engine.validation import BoolArray
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.costs import core_hours, limits_of
from modeling.selectors.plans.joined import joined_load
from modeling.selectors.plans.measurements import deciding
from modeling.selectors.plans.profiles import as_profile, inferred_functions, plain_name, stored_terms
from modeling.selectors.plans.program import ProgramTotal, program_total
from modeling.selectors.plans.question import Question
from modeling.selectors.run.rows import RunRows, rows_load
from modeling.selectors.run.targets import target_point

NOISE_RUNS = 3
"""Runs at the two cheapest points of a deduced design, because single runs do not show the noise."""


def plan_by_profile(
    basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> Plan:
    """Return the smallest design for the stored or inferred dependencies of functions."""
    inferred: tuple[str, ...] = ()
    if profile is not None:
        functions = stored_terms(profile)
    elif (known := _known_rows(basis, loaded)) is not None and len(known.rows):
        functions = inferred_functions(known)
        where = "" if known is loaded else " in the version before"
        whose = f"laws of the {len(functions)} most expensive functions" if len(functions) > 1 else "law"
        inferred = (
            f"The dependencies of the functions are not stored, so they were inferred from the {whose}{where}"
            ". Check and correct them in the table.",
        )
    else:
        raise ValueError(
            "The dependencies of the functions are not stored, and cannot be inferred without measurements; "
            "tick them in the table, or store a file of Perf-Taint in the settings"
        )
    told, values = as_profile(functions), _values_within(basis, question)
    if basis.run is None:
        plan = _deduced_first(basis, question, told, values)
    else:
        plan = _deduced(basis, question, told, values, _measured(basis, question, told, loaded))
    return replace(plan, reasons=(*inferred, *plan.reasons))


def _measured(
    basis: Basis, question: Question, functions: Mapping[str, Collection[str]], loaded: RunRows | None
) -> Measured | None:
    """Return what was measured of this version, which is not repeated; None if nothing was."""
    if basis.fresh or basis.metric is None or loaded is None or not loaded.rows:
        return None
    if tuple(loaded.campaign.parameters) != question.names:
        return None
    kernels, _ = deciding(loaded, None)
    found = joined_load(basis.campaigns, basis.metric, kernels)
    free = [at for at, name in enumerate(question.names) if name not in _dependent(question)]
    known = {plain_name(name): name for name in functions}
    called = [loaded.rows[loaded.places[kernel]].name for kernel in kernels]
    return Measured(
        found.points[:, free], found.values, [known.get(plain_name(name), name) for name in called]
    )


def _known_rows(basis: Basis, loaded: RunRows | None) -> RunRows | None:
    """Return the rows from which dependencies are inferred, perhaps the previous version's."""
    run = basis.known_run
    if run is None or run is basis.run or basis.metric is None:
        return loaded
    return rows_load(run, basis.metric)


def program_of(
    basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> ProgramTotal | None:
    """Return the sum of the functions' models at the target; None for other goals or without measurements."""
    if question.goal != "profile" or basis.run is None or basis.metric is None or not loaded:
        return None
    if not loaded.rows:
        return None
    known = _known_rows(basis, loaded) or loaded
    functions = stored_terms(profile) if profile is not None else inferred_functions(known)
    target = target_point(basis.target or basis.run.target, basis.run.campaign)
    campaigns = [basis.run.campaign, *basis.beside]
    return program_total(loaded, campaigns, basis.metric, functions, np.asarray(target, dtype=np.float64))


Values = Mapping[str, tuple[float, ...]]
"""Parameter → its values that may be measured, ascending."""


def _deduced(
    basis: Basis, question: Question, functions: Mapping[str, Collection[str]], values: Values,
    measured: Measured | None,
) -> Plan:  # fmt: skip
    """Return the deduced design within the limits, without values beyond them.

    Raises:
        PlanError: the limits do not allow three values of each parameter.
    """
    limits = limits_of(basis, question)
    if limits is None:
        return _minimal(basis, question, functions, values, limits, measured=measured)
    kept = _trimmed(question, functions, values, limits)
    told = tuple(_left_out(values, kept))
    plan = _minimal(basis, question, functions, kept, limits, measured=measured)
    return replace(plan, reasons=(*told, *plan.reasons))


def _minimal(
    basis: Basis, question: Question, functions: Mapping[str, Collection[str]], values: Values,
    limits: Limits | None, *, measured: Measured | None = None,
) -> Plan:  # fmt: skip
    """Return the deduced design of all given values, with the parameters in the question's order.

    Raises:
        PlanError: there is no such design; the error has the nearest one.
    """
    try:
        plan = plan_minimal(
            functions, values, **_parameters_known(question),
            cost=lambda points: core_hours(basis, question, _computed(question, points)),
            noise_runs=NOISE_RUNS, spend=question.budget, target=_aim(basis, question),
            repetitions=question.repetitions or REPETITIONS, runs=question.runs,
            allowed=None if limits is None else partial(_keeps, question, limits), measured=measured,
        )  # fmt: skip
    except PlanError as error:
        raise PlanError(f"{error}", error.nearest and _with_computed(question, error.nearest)) from error
    return _with_computed(question, plan)


def _keeps(question: Question, limits: Limits, points: FloatArray) -> BoolArray:
    return keeps(_computed(question, points), question.names, limits)


def _parameters_known(question: Question) -> dict[str, Any]:
    """Return the arguments of `plan_minimal` on linear and dependent parameters."""
    return {
        "linear": question.linear,
        "dependent": _dependent(question),
        "iteration_times": dict.fromkeys(question.linear, question.iterations)
        if question.iterations
        else None,
    }


def _dependent(question: Question) -> dict[str, dict[str, float]]:
    return {name: dict(powers) for name, powers in question.dependent}


def _computed(question: Question, points: FloatArray) -> FloatArray:
    """Return points of all parameters, in the question's order, from points of the freely varied ones."""
    free = [name for name in question.names if name not in _dependent(question)]
    columns = dict(zip(free, points.T, strict=True))
    for name, powers in question.dependent:
        columns[name] = np.prod([columns[source] ** power for source, power in powers], axis=0)
    return np.stack([columns[name] for name in question.names], axis=1)


def _with_computed(question: Question, plan: Plan) -> Plan:
    if plan.parameters == question.names:
        return plan
    return replace(plan, points=_computed(question, plan.points), parameters=question.names)


def _trimmed(
    question: Question, functions: Mapping[str, Collection[str]], values: Values, limits: Limits
) -> Values:
    """Return the values without those at either end that the limits forbid.

    Each step removes an end value, so that the fewest points of the smallest design stay forbidden. Each
    parameter keeps at least three values. If no step is left, all values are returned.
    """

    def barred(some: Values) -> tuple[int, int]:
        """Return the number of points beyond the limits, and minus the number of all points."""
        plan = plan_minimal(functions, some, **_parameters_known(question))
        kept = _keeps(question, limits, plan.points)
        return int((~kept).sum()), -len(plan)

    kept = values
    while barred(kept)[0]:
        shorter = [
            {**kept, name: part}
            for name, series in kept.items()
            if len(series) > FEWEST
            for part in (series[:-1], series[1:])
        ]
        if not shorter:
            return values
        kept = min(shorter, key=barred)
    return kept


def _left_out(values: Values, kept: Values) -> Iterator[str]:
    for name, series in values.items():
        if missing := [value for value in series if value not in kept[name]]:
            listed = ", ".join(f"{value:.12g}" for value in missing)
            yield f"{name} = {listed}: left out, because runs there would be beyond the limits."


def _deduced_first(
    basis: Basis, question: Question, functions: Mapping[str, Collection[str]], values: Values
) -> Plan:
    """Return the deduced design of an application that was not measured yet, with up to five values each.

    With a budget, the values reach as far as budget and limits allow. Without one, they are the smallest.

    Raises:
        PlanError: the limits do not even allow the smallest design.
    """
    limits = limits_of(basis, question)
    longest = max(map(len, values.values()))
    ends = range(longest, LINE - 1, -1) if question.budget is not None else ()
    for end in ends:
        try:
            return _minimal(basis, question, functions, _spread(values, end), limits)
        except PlanError:
            continue
    return _minimal(basis, question, functions, _spread(values, LINE), limits)


def _spread(values: Values, end: int) -> dict[str, tuple[float, ...]]:
    return {name: tuple(spread(series, min(end, len(series)))) for name, series in values.items()}


def _values_within(basis: Basis, question: Question) -> dict[str, tuple[float, ...]]:
    """Return the values that the limit on processes allows.

    Raises:
        PlanError: the limit allows no value. The error has the cheapest single run.
    """
    values = dict(question.values)
    name = basis.processes
    if name is None or name not in values or question.processes is None:
        return values
    kept = tuple(value for value in values[name] if value <= question.processes)
    if not kept:
        nearest = np.array([[min(series) for series in values.values()]])
        cost = float(core_hours(basis, question, nearest)[0])
        raise PlanError(
            f"limits: found at most {value_told(question.processes)} for {name}, expected "
            f"{value_told(min(values[name]))} or more",
            single(nearest[0], question.names, "the point that comes nearest to the limits", cost),
        )
    return {**values, name: kept}


def _aim(basis: Basis, question: Question) -> list[float] | None:
    """Return the target's values of the freely varied parameters; None if one is missing."""
    names = [name for name in question.names if name not in dict(question.dependent)]
    if basis.target is None or any(name not in basis.target for name in names):
        return None
    return [basis.target[name] for name in names]
