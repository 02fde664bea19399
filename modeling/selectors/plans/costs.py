"""The time, core hours and memory of runs, and the question's limits on them."""

from dataclasses import dataclass

import numpy as np

from modeling.engine import FloatArray, Limits, Plan, full_factorial
from modeling.engine.design.limits import keeps
from modeling.engine.design.plans import value_told
from modeling.models import ModelRun
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.guessed import guess_of
from modeling.selectors.plans.memory import GIGABYTE, memory_predicted
from modeling.selectors.plans.question import Question
from modeling.selectors.run.metrics import seconds_in
from modeling.selectors.run.snapshot_loading import snapshot_load

HOUR = 3600.0

LEAST_COST = 1e-9
"""Smallest core hours of a run, for laws that predict nothing."""


@dataclass(frozen=True)
class CostRange:
    """The range of a plan's guessed costs, in core hours: at each point, and in `total`.

    `seconds` are the shortest and the longest time of one run at each point. The first `safe` points surely
    stay within the budget.
    """

    lower: FloatArray
    upper: FloatArray
    total: tuple[float, float]
    seconds: tuple[FloatArray, FloatArray]
    safe: int | None = None


@dataclass(frozen=True)
class Turnaround:
    """The hours until a plan's results have arrived, including the time in the queue.

    Attributes:
        side_by_side: hours if all jobs run at the same time.
        in_turn: hours if each job waits for the job before it.
    """

    jobs: int
    side_by_side: float
    in_turn: float


def run_seconds(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    """Return the seconds of one run at each point, predicted, guessed, or else `question.seconds`."""
    if basis.known_run is None and question.values:
        return guess_of(question, basis.processes).at(points)
    predicted = _seconds_by_laws(basis, question, points)
    return np.where(np.isfinite(predicted), predicted, question.seconds)


def assumed_told(basis: Basis, question: Question, points: FloatArray) -> str:
    """Return a sentence on the assumed time of runs that no law predicts, or an empty text."""
    if basis.known_run is None:
        return ""
    if np.isfinite(_seconds_by_laws(basis, question, points)).all():
        return _unknown_growth(basis.known_run, points)
    return (
        f"Costs assume {value_told(question.seconds)} s for a run, as long as no law predicts its time: it "
        "was not measured, or is being modelled."
    )


def _unknown_growth(run: ModelRun, points: FloatArray) -> str:
    """Name the parameters that were measured at one value, if the points vary them."""
    measured = run.campaign.measured_values().items()
    single = [
        name
        for (name, series), column in zip(measured, points.T, strict=True)
        if len(series) == 1 and set(column.tolist()) - set(series)
    ]
    if not single:
        return ""
    return (
        f"Costs assume that the time of a run does not change with {', '.join(single)}: one value was "
        "measured. Begin with the smallest runs."
    )


def _seconds_by_laws(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    """Return the predicted seconds of one run at each point; NaN without a prediction."""
    run, clock = basis.known_run, basis.clock
    if not len(points) or run is None or clock is None or list(question.names) != run.campaign.parameters:
        return np.full(len(points), np.nan)
    seconds = snapshot_load(run, clock, basis.target).totals_by_laws(points) * seconds_in(clock)
    return np.where(seconds > 0, seconds, np.nan)


def core_hours(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    """Return the core hours of one run at each point: time × processes, plus the overhead of a job."""
    hours = run_seconds(basis, question, points) * processes_at(basis, question, points) / HOUR
    return np.asarray(np.maximum(hours + (question.overhead or 0.0), LEAST_COST))


def cost_range(basis: Basis, question: Question, plan: Plan) -> CostRange | None:
    """Return the range of a plan's costs; None if costs are predicted from measurements."""
    if basis.known_run is not None or not len(plan):
        return None
    seconds = guess_of(question, basis.processes).extremes(plan.points)
    each = seconds * processes_at(basis, question, plan.points) / HOUR + (question.overhead or 0.0)
    cost = np.maximum(each, LEAST_COST) * plan.repetitions
    upper = cost[1].max(axis=0)
    return CostRange(
        lower=cost[0].min(axis=0),
        upper=upper,
        total=(float(cost[0].sum(axis=1).min()), float(cost[1].sum(axis=1).max())),
        seconds=(seconds[0].min(axis=0), seconds[1].max(axis=0)),
        safe=None if question.budget is None else int((np.cumsum(upper) <= question.budget).sum()),
    )


def processes_at(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    """Return the number of processes at each point, or 1 if no parameter counts processes."""
    if basis.processes not in question.names:
        return np.ones(len(points))
    return np.asarray(points[:, list(question.names).index(str(basis.processes))])


def memory_of(basis: Basis, question: Question, points: FloatArray) -> FloatArray | None:
    """Return the bytes of a run at each point, from the user or a metric; None if unknown."""
    if question.memory_each is not None:
        return question.memory_each * GIGABYTE * processes_at(basis, question, points)
    run = basis.known_run
    if run is None or basis.memory is None or list(question.names) != run.campaign.parameters:
        return None
    return memory_predicted(run, basis.memory, points)


def limits_of(basis: Basis, question: Question) -> Limits | None:
    """Return the limits of a question, or None if it has none."""
    most = {}
    if question.processes is not None and basis.processes in question.names:
        most[str(basis.processes)] = question.processes
    memory = question.memory if _knows_memory(basis, question) else None
    if not most and question.hours is None and memory is None:
        return None
    return Limits(
        most=most,
        hours=lambda points: run_seconds(basis, question, points) / HOUR,
        hours_most=np.inf if question.hours is None else question.hours,
        memory=None if memory is None else lambda points: _known_memory(basis, question, points),
        memory_most=np.inf if memory is None else memory * GIGABYTE,
    )


def _knows_memory(basis: Basis, question: Question) -> bool:
    return memory_of(basis, question, question.candidates()[:1]) is not None


def _known_memory(basis: Basis, question: Question, points: FloatArray) -> FloatArray:
    found = memory_of(basis, question, points)
    return np.zeros(len(points)) if found is None else found


def unknown_memory(basis: Basis, question: Question) -> str:
    """Return a sentence that says why the limit on memory has no effect, or an empty text."""
    if question.memory is None or not question.values or _knows_memory(basis, question):
        return ""
    return (
        "The limit on memory has no effect: no metric of memory was measured. Say how much a process needs."
    )


def allowed_points(basis: Basis, question: Question) -> FloatArray:
    """Return the combinations of values that the limits allow, (points, parameters)."""
    points = question.candidates()
    limits = limits_of(basis, question)
    if limits is None:
        return points
    return np.asarray(points[keeps(points, question.names, limits)])


def full_design(basis: Basis, question: Question) -> tuple[int, float | None]:
    """Return the runs and core hours of five repetitions of all combinations, for comparison."""
    plan = full_factorial(dict(question.values), cost=lambda points: core_hours(basis, question, points))
    return plan.runs, plan.cost


def turnaround(basis: Basis, question: Question, plan: Plan) -> Turnaround | None:
    """Return the hours until a plan's results have arrived; None if the plan has no runs."""
    if not plan.runs:
        return None
    hours = run_seconds(basis, question, plan.points) / HOUR
    jobs = plan.runs if plan.separate_jobs else len(plan)
    wait = question.wait or 0.0
    longest = hours if plan.separate_jobs else hours * plan.repetitions
    return Turnaround(jobs, wait + float(longest.max()), wait * jobs + float(hours @ plan.repetitions))
