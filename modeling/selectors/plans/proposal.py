"""Propose what to measure next, from the stored data of an application."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ingest.fields.names import text_wrong
from ingest.models import Application, Dependencies
from ingest.selectors import bound_parameters
from modeling.engine import FloatArray, Plan, PlanError, plan_next
from modeling.engine.design.following import MOST_RUNS
from modeling.engine.design.plans import hours_told
from modeling.engine.design.reasons import NOTHING_EARLIER
from modeling.selectors.application.dependencies import profile_of
from modeling.selectors.plans.basis import Basis, default_goal
from modeling.selectors.plans.costs import (
    HOUR,
    CostRange,
    Turnaround,
    allowed_points,
    assumed_told,
    core_hours,
    cost_range,
    full_design,
    limits_of,
    run_seconds,
    turnaround,
    unknown_memory,
)
from modeling.selectors.plans.deduced import plan_by_profile, program_of
from modeling.selectors.plans.guessed import guess_of, guess_told, parameters_named
from modeling.selectors.plans.joined import campaigns_beside
from modeling.selectors.plans.measurements import measurements_of
from modeling.selectors.plans.outlook import Outlook, outlook_of, with_interval
from modeling.selectors.plans.profiles import uncovered_told
from modeling.selectors.plans.program import ProgramTotal
from modeling.selectors.plans.question import (
    MOST_PARAMETERS,
    PROFILE,
    Question,
    named_values,
    question_read,
)
from modeling.selectors.run.rows import RunRows, rows_load

LONG = 24.0
"""Hours of a run above which a first plan advises a limit. Most queues end jobs after a day."""

LONGEST_PARAMETER = 80
"""Limit on the characters of a parameter's name, as in the database."""

UNNAMED = (
    "The files of this version name no parameter, so runs can only be repeated. To model how times grow, "
    "send files or points with the values of parameters."
)

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


@dataclass(frozen=True)
class Asked:
    """The question of a query with its answer, the data behind the answer, and the query's errors."""

    basis: Basis
    profile: Dependencies | None
    question: Question
    problems: list[str]
    proposal: Proposal


def proposal_read(basis: Basis, texts: Mapping[str, str]) -> Asked:
    """Propose a plan for a measured application by the texts of a query."""
    profile = profile_of(basis.application)
    usual = default_goal(basis, profile)
    offered = basis.offered(profile, texts.get("goal") or usual)
    question, problems = question_read(texts, offered, default_goal=usual)
    return Asked(basis, profile, question, problems, proposal_make(basis, question, profile))


def proposal_first(application: Application, texts: Mapping[str, str]) -> Asked:
    """Propose a first plan, for an application without measurements, by the texts of a query."""
    profile = profile_of(application) if application.pk else None
    stored = {row.name: row.role for row in application.parameters.all()} if application.pk else {}
    named = named_values(texts) or list(stored) or list(profile.parameters if profile else ())
    names = [name for name in named if not text_wrong(name, LONGEST_PARAMETER)][:MOST_PARAMETERS]
    barred = [name for name in named if name not in names]
    basis = Basis(
        application, parameters_named(application, names, stored), run=None, metric=None, clock=None,
        before=None, target=None,
    )  # fmt: skip
    usual = default_goal(basis, profile)
    known = {key: text for key, text in texts.items() if key.removeprefix("values.").strip() not in barred}
    question, problems = question_read(known, dict.fromkeys(names, ()), default_goal=usual)
    if barred:
        problems.append(
            f"Left out {', '.join(f'“{name[:20]}”' for name in barred)}: expected up to {MOST_PARAMETERS} "
            f"parameters, with printable names of up to {LONGEST_PARAMETER} characters."
        )
    if broken := [value for value in dict(question.values).get(basis.processes or "", ()) if value % 1]:
        problems.append(
            f"Found {', '.join(f'{value:g}' for value in broken)} for {basis.processes}, expected whole "
            "numbers of processes."
        )
        question = replace(question, values=_whole(question, basis.processes or ""))
    return Asked(basis, profile, question, problems, proposal_make(basis, question, profile))


def _whole(question: Question, counting: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return the values of all parameters, without fractional numbers of processes."""
    return tuple(
        (name, tuple(value for value in series if name != counting or value == round(value)))
        for name, series in question.values
    )


def proposal_make(basis: Basis, question: Question, profile: Dependencies | None) -> Proposal:
    """Propose a plan for a question. The proposal is cached with the rows of the run."""
    if basis.run is None or basis.metric is None:
        return _made(basis, question, profile, None)
    loaded = rows_load(basis.run, basis.metric)
    beside = campaigns_beside(basis.run.campaign)
    basis = replace(basis, beside=tuple(beside), fresh=question.fresh)
    stored = [(campaign.pk, campaign.revision) for campaign in beside]
    told = profile and (profile.pk, profile.stored_at)
    others = [run and run.pk for run in (basis.before, basis.earlier)]
    about = (*others, told, *sorted((basis.target or {}).items()))
    key = ("plan", question, *stored, *about)
    made: Proposal = loaded.derived.get(key, lambda: _made(basis, question, profile, loaded))
    return made


def _made(basis: Basis, question: Question, profile: Dependencies | None, loaded: RunRows | None) -> Proposal:
    made = Proposal(None, "", question.names, _measured(basis, question.names), question)
    if empty := [name for name, series in question.values if not series]:
        return replace(made, problem=f"Say which values of {', '.join(empty)} may be measured.")
    if not question.values:
        problem = "No parameter is known yet. Name the parameters that may be varied, and their values."
        return replace(made, problem=problem, names=())
    kernel = _kernel_name(question, loaded)
    told = [
        unknown_memory(basis, question),
        _unknown_kernel(question, kernel),
        _earlier(basis),
        UNNAMED if basis.unnamed else "",
        _uncovered(question, profile, loaded),
    ]
    notes = tuple(filter(None, told))
    made = replace(made, allowed=allowed_points(basis, question), notes=notes, kernel=kernel)
    try:
        made = _planned(made, basis, question, profile, loaded)
    except PlanError as error:
        made = replace(made, plan=error.nearest, problem=_sentence(f"{error}"))
    except ValueError as error:
        made = replace(made, problem=_sentence(f"{error}"))
    if made.plan is not None:
        made = replace(
            made,
            full=full_design(basis, question),
            turnaround=turnaround(basis, question, made.plan),
            notes=tuple(filter(None, [*made.notes, assumed_told(basis, question, made.plan.points)])),
        )
        made = _guessed(made, basis, question)
    return replace(made, program=program_of(basis, question, profile, loaded))


def _guessed(made: Proposal, basis: Basis, question: Question) -> Proposal:
    """Add the range of guessed costs to a proposal, with their assumptions as notes."""
    assert made.plan is not None  # noqa: S101 -- the caller asked
    found = cost_range(basis, question, made.plan)
    if found is None:
        return made
    notes = [guess_told(question, guess_of(question, basis.processes))]
    if found.safe is not None and found.safe < len(made.plan) and not made.problem:
        some = f"only the first {found.safe} of {len(made.plan)} configurations stay"
        which = some if found.safe else "no configuration stays"
        notes.append(
            f"If times grow as fast as the assumptions allow, {which} "
            f"within the budget of {hours_told(question.budget or 0)} core hours. Run and upload the first "
            "ones, and plan again: costs are then predicted from measurements."
        )
    if question.hours is None and run_seconds(basis, question, made.plan.points).max() > LONG * HOUR:
        notes.append(
            f"Some of these runs take more than {LONG:g} hours: limit the hours of a run as your queue does."
        )
    return replace(made, guessed=found, notes=(*made.notes, *notes))


def _kernel_name(question: Question, loaded: RunRows | None) -> str:
    if loaded is None or question.kernel is None or question.kernel not in loaded.places:
        return ""
    return loaded.rows[loaded.places[question.kernel]].name


def _unknown_kernel(question: Question, name: str) -> str:
    if question.kernel is None or name:
        return ""
    return "This version has no such kernel: the plan is for the whole program."


def _uncovered(question: Question, profile: Dependencies | None, loaded: RunRows | None) -> str:
    """Say which measured functions a design for the stored table does not cover."""
    if question.goal != PROFILE or profile is None or loaded is None or not loaded.rows:
        return ""
    return uncovered_told(profile, loaded)


def _earlier(basis: Basis) -> str:
    """Say which earlier version's laws are used if they are not those of the version before."""
    used = basis.standing_in
    newest = basis.run if basis.fresh else basis.before
    if used is None or used is newest:
        return ""
    return (
        f"Here, the version before is {used.campaign.version.label}: later ones were measured at too few "
        "values for laws."
    )


def _planned(
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


def _measured(basis: Basis, names: Sequence[str]) -> FloatArray:
    points = [point for campaign in basis.campaigns for point in campaign.points]
    if not points or basis.run is None or list(names) != basis.run.campaign.parameters:
        return np.empty((0, len(names)))
    return np.unique(np.array(points, dtype=np.float64), axis=0)


def _sentence(text: str) -> str:
    """Return the message of an error of the engine as a sentence."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
