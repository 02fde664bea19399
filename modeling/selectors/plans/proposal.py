"""Proposes what to measure next, from what is stored of an application."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ingest.models import Application, Campaign, Dependencies, Metric, Parameter
from modeling.engine import FloatArray, Limits, Plan, PlanError, full_factorial, plan_minimal, plan_next
from modeling.models import ModelRun
from modeling.selectors.plans.joined import campaigns_beside, joined_load
from modeling.selectors.plans.profiles import as_profile, inferred_functions, stored_terms
from modeling.selectors.plans.program import ProgramTotal, program_total
from modeling.selectors.plans.question import Question, next_value
from modeling.selectors.run.metrics import is_time, seconds_in
from modeling.selectors.run.rows import RunRows, rows_load
from modeling.selectors.run.snapshot import runs_load, snapshot_load
from modeling.selectors.run.targets import target_point
from modeling.selectors.versions.standings import Standing
from modeling.storage import arrays

HOUR = 3600.0
NOISE_RUNS = 3
"""Repetitions at the two cheapest points of a deduced design; without them nothing would show the noise."""

LEAST_COST = 1e-9
"""Core hours of a run for which a law predicts nothing, or a negative time."""


@dataclass(frozen=True)
class Basis:
    """The basis of a plan: an application, and a version's run of one metric if there is one.

    `before` is the run of the previous version. `clock` is the metric whose total is the time of a run.
    `beside` are further campaigns of the version, such as those of earlier plans.
    """

    application: Application
    parameters: tuple[Parameter, ...]
    run: ModelRun | None
    metric: Metric | None
    clock: Metric | None
    before: ModelRun | None
    target: Mapping[str, float] | None
    beside: tuple[Campaign, ...] = ()

    @property
    def processes(self) -> str | None:
        """Return the parameter that counts processes."""
        roles = (row.name for row in self.parameters if row.role == Parameter.Role.PROCESSES)
        return next(roles, None)

    def offered(self, profile: Dependencies | None) -> dict[str, list[float]]:
        """Return the values to choose from: the measured ones, and one that continues each series; none
        for unmeasured parameters.
        """
        measured = self.run.campaign.measured_values() if self.run else {}
        names = self.run.campaign.parameters if self.run else [row.name for row in self.parameters]
        if not names and profile is not None:
            names = list(profile.parameters)
        return {name: _with_next(measured.get(name, [])) for name in names}


@dataclass(frozen=True)
class Proposal:
    """A plan, or the reason why there is none and the nearest possible plan.

    Attributes:
        plan: what to measure; None where nothing can be proposed.
        problem: why this is not the requested plan; empty if it is.
        names: of the parameters.
        measured: points measured so far, (P, m).
        full: repetitions and core hours of all combinations with as many repetitions, for comparison.
        program: the whole program as the sum of its functions' models; for the goal "profile" only.
    """

    plan: Plan | None
    problem: str
    names: tuple[str, ...]
    measured: FloatArray
    full: tuple[int, float | None] | None = None
    question: Question | None = field(default=None, compare=False)
    program: ProgramTotal | None = None


class Offering(Protocol):
    """The choices that an application offers, from a page's focus or from the choices of a request."""

    @property
    def application(self) -> Application:
        """Return the application of the plan."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Of the application."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Of the application."""


def basis_load(
    offering: Offering,
    *,
    metric: Metric | None,
    standing: Standing | None,
    older: Standing | None,
    target: Mapping[str, float] | None,
) -> Basis:
    """Return the basis of a plan for a version; `older` is the previous version."""
    runs = runs_load(each.run_id for each in (standing, older) if each and each.run_id)
    return Basis(
        application=offering.application,
        parameters=offering.parameters,
        run=runs.get(standing.run_id or 0) if standing else None,
        metric=metric,
        clock=metric_of_time(offering.metrics, metric),
        before=runs.get(older.run_id or 0) if older else None,
        target=target,
    )


def default_goal(basis: Basis, profile: Dependencies | None) -> str:
    """Return the most useful goal: a narrower interval where there are models, else a first design."""
    if basis.run is not None:
        return "interval"
    return "profile" if profile is not None else "first"


def metric_of_time(metrics: Sequence[Metric], chosen: Metric | None) -> Metric | None:
    """Return the metric that gives the time of a run: the chosen one, or the first time."""
    if chosen is not None and is_time(chosen):
        return chosen
    return next((metric for metric in metrics if is_time(metric)), None)


def profile_of(application: Application) -> Dependencies | None:
    """Return the parameters that the application's functions depend on, if a taint analysis is stored."""
    return Dependencies.objects.filter(application=application).first()


def proposal_make(basis: Basis, question: Question, profile: Dependencies | None) -> Proposal:
    """Answer a question; the answer to the same question about the same run is cached."""
    if basis.run is None or basis.metric is None:
        return _made(basis, question, profile, None)
    loaded = rows_load(basis.run, basis.metric)
    beside = campaigns_beside(basis.run.campaign)
    basis = replace(basis, beside=tuple(beside))
    stored = [(campaign.pk, campaign.revision) for campaign in beside]
    told = profile and (profile.pk, profile.stored_at)
    about = (basis.before and basis.before.pk, told, *sorted((basis.target or {}).items()))
    key = ("plan", question, *stored, *about)
    made: Proposal = loaded.derived.get(key, lambda: _made(basis, question, profile, loaded))
    return made


def _made(basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None) -> Proposal:
    measured = _measured(basis, question.names)
    if empty := [name for name, series in question.values if not series]:
        problem = f"Say which values of {', '.join(empty)} may be measured."
        return Proposal(None, problem, question.names, measured, question=question)
    if not question.values:
        problem = "No parameter is known yet. Upload a first campaign, or a file of what functions depend on."
        return Proposal(None, problem, (), measured, question=question)
    problem = ""
    plan: Plan | None
    try:
        plan = _planned(basis, question, profile, loaded)
    except PlanError as error:
        plan, problem = error.nearest, _sentence(f"{error}")
    except ValueError as error:
        plan, problem = None, _sentence(f"{error}")
    full = _full(basis, question) if plan is not None else None
    program = _program(basis, question, profile, loaded)
    return Proposal(plan, problem, question.names, measured, full, question, program)


def _planned(basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None) -> Plan:
    if question.goal == "profile":
        return _by_profile(basis, question, profile, loaded)
    candidates = question.candidates()
    cost = core_hours(basis, question, candidates)
    points: FloatArray = np.empty((0, len(question.names)))
    values: FloatArray = np.empty((1, 0, 1))
    more: dict[str, Any] = {}
    if loaded is not None and len(loaded.rows):
        points, values, more = _known(basis, question, loaded)
    return plan_next(
        points, values, candidates, cost, goal=question.goal, budget=question.budget, runs=question.runs,
        names=question.names, limits=_limits(basis, question), **more,
    )  # fmt: skip


def _limits(basis: Basis, question: Question) -> Limits | None:
    """Return the limits of a question; None if it has none."""
    most = {}
    if question.processes is not None and basis.processes in question.names:
        most[str(basis.processes)] = question.processes
    if not most and question.hours is None:
        return None
    return Limits(
        most=most,
        hours=lambda points: run_seconds(basis, question, points) / HOUR,
        hours_most=np.inf if question.hours is None else question.hours,
    )


def _program(
    basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> ProgramTotal | None:
    """Return the sum of the functions' models at the target, for the goal "profile"; None if nothing was
    measured.
    """
    if (
        question.goal != "profile"
        or basis.run is None
        or basis.metric is None
        or not (loaded and loaded.rows)
    ):
        return None
    functions = stored_terms(profile) if profile is not None else inferred_functions(loaded)
    target = target_point(basis.target or basis.run.target, basis.run.campaign)
    campaigns = [basis.run.campaign, *basis.beside]
    return program_total(loaded, campaigns, basis.metric, functions, np.asarray(target, dtype=np.float64))


def _known(
    basis: Basis, question: Question, loaded: RunRows
) -> tuple[FloatArray, FloatArray, dict[str, Any]]:
    """Return the heaviest kernels' points, values and models, and the target."""
    assert basis.run is not None  # noqa: S101 -- the caller has its rows
    assert basis.metric is not None  # noqa: S101
    places = loaded.heaviest
    counted = np.array([loaded.rows[at].counts_to_total for at in places.tolist()])
    some = np.flatnonzero(counted) if counted.any() else np.arange(len(places))
    kernels = loaded.kernels[places[some]].tolist()
    known = joined_load([basis.run.campaign, *basis.beside], basis.metric, kernels)
    models = loaded.heaviest_weighed.part(some)
    target = target_point(basis.target or basis.run.target, basis.run.campaign)
    more: dict[str, Any] = {"target": target}
    if basis.beside:
        more["groups"] = {"campaign": known.campaigns}
    elif models.posterior is not None:
        more["models"] = models
    if question.goal == "change" and basis.before is not None:
        more["before"] = _before(basis.before, basis.metric, kernels)
    return known.points, known.values, more


def _before(run: ModelRun, metric: Metric, kernels: Sequence[int]) -> tuple[FloatArray, FloatArray] | None:
    """Return points and values of the same kernels in the previous version; None if it lacks them."""
    _, held = arrays.series_sizes(run.campaign, metric.pk, list(kernels))
    if len(held) < len(kernels):
        return None
    series = arrays.series_load(run.campaign, metric.pk, kernels)
    return series.points, series.values


def _by_profile(
    basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None
) -> Plan:
    """Return the smallest design by the functions' dependencies, which are stored or inferred from
    measurements.
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
        PlanError: it allows none.
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
    """Return the target in the plan's own parameters; None if it does not name them all."""
    names = [name for name in question.names if name not in dict(question.dependent)]
    if basis.target is None or any(name not in basis.target for name in names):
        return None
    return [basis.target[name] for name in names]


def run_seconds(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    """Return the seconds of one run at points (N, m): the predicted time of the whole program."""
    seconds = np.full(len(points), question.seconds)
    run = basis.run
    if run is not None and basis.clock is not None and list(question.names) == run.campaign.parameters:
        totals = snapshot_load(run, basis.clock, basis.target).totals(points) * seconds_in(basis.clock)
        seconds = np.where(np.isfinite(totals) & (totals > 0), totals, seconds)
    return np.asarray(seconds)


def core_hours(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    """Return the core hours of one run at points (N, m): its time × its processes."""
    at = list(question.names).index(basis.processes) if basis.processes in question.names else None
    cores = points[:, at] if at is not None else np.ones(len(points))
    return np.asarray(np.maximum(run_seconds(basis, question, points) * cores / HOUR, LEAST_COST))


def _full(basis: Basis, question: Question) -> tuple[int, float | None]:
    plan = full_factorial(dict(question.values), cost=lambda points: core_hours(basis, question, points))
    return plan.runs, plan.cost


def _measured(basis: Basis, names: Sequence[str]) -> FloatArray:
    if basis.run is None or list(names) != basis.run.campaign.parameters:
        return np.empty((0, len(names)))
    points = [point for campaign in (basis.run.campaign, *basis.beside) for point in campaign.points]
    return np.unique(np.array(points, dtype=np.float64), axis=0)


def _with_next(series: Sequence[float]) -> list[float]:
    following = next_value(series)
    return [*series, following] if following is not None else list(series)


def _sentence(text: str) -> str:
    """Return an error of the engine as a sentence."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
