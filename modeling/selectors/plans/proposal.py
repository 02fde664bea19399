"""Propose what to measure next, from the stored data of an application."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.fields.names import text_wrong
from ingest.models import Application, Dependencies
from modeling.engine import FloatArray, PlanError
from modeling.engine.design.plans import hours_told
from modeling.selectors.application.dependencies import profile_of
from modeling.selectors.plans.basis import Basis, default_goal
from modeling.selectors.plans.costs import (
    HOUR,
    allowed_points,
    assumed_told,
    cost_range,
    full_design,
    run_seconds,
    turnaround,
    unknown_memory,
)
from modeling.selectors.plans.deduced import program_of
from modeling.selectors.plans.guessed import guess_of, guess_told, parameters_named
from modeling.selectors.plans.joined import campaigns_beside
from modeling.selectors.plans.notes import (
    UNNAMED,
    earlier_version,
    functions_uncovered,
    kernel_name,
    unknown_kernel,
)
from modeling.selectors.plans.planned import Proposal, planned
from modeling.selectors.plans.question import MOST_PARAMETERS, Question, named_values, question_read
from modeling.selectors.run.rows import RunRows, rows_load

LONG_RUN = 24.0
"""Hours of a run above which a first plan advises a limit. Most queues end jobs after a day."""

LONGEST_PARAMETER = 80
"""Limit on the characters of a parameter's name, as in the database."""


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
    kernel = kernel_name(question, loaded)
    told = [
        unknown_memory(basis, question),
        unknown_kernel(question, kernel),
        earlier_version(basis),
        UNNAMED if basis.unnamed else "",
        functions_uncovered(question, profile, loaded),
    ]
    notes = tuple(filter(None, told))
    made = replace(made, allowed=allowed_points(basis, question), notes=notes, kernel=kernel)
    try:
        made = planned(made, basis, question, profile, loaded)
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
    if question.hours is None and run_seconds(basis, question, made.plan.points).max() > LONG_RUN * HOUR:
        notes.append(
            f"Some of these runs take more than {LONG_RUN:g} hours: limit the hours of a run as your queue "
            "does."
        )
    return replace(made, guessed=found, notes=(*made.notes, *notes))


def _measured(basis: Basis, names: Sequence[str]) -> FloatArray:
    points = [point for campaign in basis.campaigns for point in campaign.points]
    if not points or basis.run is None or list(names) != basis.run.campaign.parameters:
        return np.empty((0, len(names)))
    return np.unique(np.array(points, dtype=np.float64), axis=0)


def _sentence(text: str) -> str:
    """Return the message of an error of the engine as a sentence."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
