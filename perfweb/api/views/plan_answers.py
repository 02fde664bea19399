"""Answers to requests for plans: the proposal, and what it is for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from django.http import Http404
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from ingest.fields.names import slug_of, slug_wrong
from ingest.models import Application, Parameter
from modeling.models import Plan
from modeling.scripts import script_text
from modeling.selectors.application.choices import choices_of
from modeling.selectors.plans.basis import basis_load
from modeling.selectors.plans.costs import CostRange
from modeling.selectors.plans.jobs import job_of
from modeling.selectors.plans.planned import Proposal
from modeling.selectors.plans.progress import plan_progress
from modeling.selectors.plans.proposal import proposal_first, proposal_read
from modeling.selectors.plans.written import plan_text
from modeling.selectors.versions.standings import line_of, lineage_of, standings
from modeling.services.plans.keeping import plan_row
from perfweb.api.access import projects_of
from perfweb.api.choices import metric_read, target_read
from perfweb.api.serializers.plans import PlanSerializer
from perfweb.api.views.applications import application_find
from perfweb.api.views.history import machine_read

ASSUMED = re.compile(r"; planned (?:as|for|with) .*\.")
"""The part of a problem that says what is assumed instead of a wrong field."""


@dataclass(frozen=True)
class Answer:
    """The proposal that a request asks for, and what it is for."""

    proposal: Proposal
    application: Application
    parameters: Sequence[Parameter]
    version: str
    machine: str = ""
    metric: str = ""
    target: Mapping[str, float] | None = None
    problems: Sequence[str] = ()

    def row(self, query: str = "") -> Plan:
        """Return the plan as an unsaved row."""
        return plan_row(
            self.proposal,
            application=self.application,
            version_label=self.version[:80],
            machine_name=self.machine,
            metric_name=self.metric,
            target=self.target,
            query=query,
        )


def application_of(request: Request, slug: str) -> Application:
    """Return the application; an unsaved one if it is new and the query has the guessed time of a run."""
    try:
        return application_find(request, slug)
    except Http404:
        if not request.query_params.get("seconds"):
            raise
    if wrong := slug_wrong(slug):
        raise ValidationError({"application": [wrong]})
    rows = projects_of(request).order_by("slug")
    if asked := request.query_params.get("project"):
        rows = rows.filter(slug=asked)
    projects = list(rows[:2])
    if len(projects) != 1:
        raise ValidationError({"project": ["Add ?project= with the project of the new application."]})
    return Application(project=projects[0], slug=slug_of(slug), name=slug)


def answer_to(request: Request, application: Application) -> Answer:
    """Propose a plan by the fields of the request; without measurements, a first plan."""
    texts = {name: str(value) for name, value in request.query_params.items()}
    if application.pk is None or not application.versions.exists():
        return _first_answer(application, texts)
    found = choices_of(application.pk)
    ordered = standings(application)
    line = line_of(ordered, machine_read(request, ordered)) if ordered else ()
    label = request.query_params.get("version")
    standing = next((row for row in line if row.label == label), line[-1] if line else None)
    metric = metric_read(request, found.metrics) or next(iter(found.metrics), None)
    target = target_read(request, found.targets, [row.name for row in found.parameters])
    if target is None and found.targets:
        target = found.targets[0].values
    lineage = lineage_of(line, standing)
    basis = basis_load(found, metric=metric, standing=standing, lineage=lineage, target=target)
    if label and standing is not None and standing.label != label:
        texts["fresh"] = "1"
    asked = proposal_read(basis, texts)
    if asked.problems:
        raise ValidationError({"query": _refused(asked.problems)})
    return Answer(
        asked.proposal,
        found.application,
        found.parameters,
        version=label or (standing.label if standing else ""),
        machine=standing.machine.name if standing else "",
        metric=metric.name if metric else "",
        target=target,
    )


def _refused(problems: Sequence[str]) -> list[str]:
    """Return the problems of a refused request, without what a page plans in spite of them."""
    return [ASSUMED.sub(".", problem) for problem in problems]


def _first_answer(application: Application, texts: Mapping[str, str]) -> Answer:
    """Answer a question about an application that was not measured yet; ignore invalid values if possible."""
    first = proposal_first(application, texts)
    if first.problems and first.proposal.plan is None:
        raise ValidationError({"query": _refused(first.problems)})
    told = " ".join([*first.problems, first.proposal.problem]).strip()
    return Answer(
        replace(first.proposal, problem=told),
        application,
        first.basis.parameters,
        version=texts.get("version", ""),
        problems=first.problems,
    )


def body_of(request: Request, answer: Answer, kept: Plan | None) -> dict[str, Any]:
    """Return what `PlanSerializer` writes; `kept` is the stored plan, if there is one."""
    plan, proposal = answer.proposal.plan, answer.proposal
    body: dict[str, Any] = {
        "id": kept.pk if kept else None,
        "application": answer.application.slug,
        "version": answer.version,
        "goal": proposal.question.goal,
        "problem": proposal.problem,
        "points": [],
        "core_hours": None,
        "separate_jobs": True,
        "hardly_worth_it": plan is not None and plan.hardly,
        "reached": False,
        "expected": None,
        "program": proposal.program,
        "total": proposal.outlook,
        "turnaround": proposal.turnaround,
        "notes": list(proposal.notes),
        "noise": list(plan.noise) if plan is not None else [],
        "reasons": [],
        "text": proposal.problem,
        "script": "",
        "guessed": _range(proposal.guessed),
    }
    if plan is not None:
        widths = [plan.expected.width_before**share for share in plan.left] if plan.expected else []
        guessed = zip(proposal.guessed.lower, proposal.guessed.upper, strict=True) if proposal.guessed else ()
        rows = zip_longest(
            plan.points.tolist(), plan.repetitions.tolist(), plan.costs.tolist(), plan.buys, widths, guessed
        )
        body |= {
            "points": [
                {
                    "values": dict(zip(proposal.names, point, strict=True)),
                    "repetitions": repetitions,
                    "core_hours": None if np.isnan(cost) else cost,
                    "buys": buys,
                    "width_after": width,
                    "guessed": ends and {"lower": ends[0], "upper": ends[1]},
                }
                for point, repetitions, cost, buys, width, ends in rows
            ],
            "core_hours": plan.cost,
            "separate_jobs": plan.separate_jobs,
            "reached": plan.reached,
            "expected": _expected(proposal),
            "reasons": list(plan.reasons),
            "text": plan_text(plan, proposal.problem, proposal.guessed),
            "script": _script(request, answer, kept),
        }
    return dict(PlanSerializer(body).data)


def _range(guessed: CostRange | None) -> dict[str, float] | None:
    return None if guessed is None else {"lower": guessed.total[0], "upper": guessed.total[1]}


def _expected(proposal: Proposal) -> dict[str, Any] | None:
    """Return widths and certainties; None if a width is infinite, which JSON cannot express."""
    found = proposal.plan.expected if proposal.plan is not None else None
    if found is None or not np.isfinite([found.width_before, found.width_after]).all():
        return None
    certainty = {"before": found.certainty_before, "after": found.certainty_after}
    return {
        "width_before": found.width_before,
        "width_after": found.width_after,
        "certainty": certainty if np.isfinite(found.certainty_before) else None,
    }


def _script(request: Request, answer: Answer, kept: Plan | None) -> str:
    """Return the requested script; raise ValidationError if there is no such kind."""
    kind = request.query_params.get("script", "")
    if not kind or not answer.proposal.plan:
        return ""
    job = job_of(
        plan_progress(kept or answer.row()), answer.parameters, request.build_absolute_uri("/").rstrip("/")
    )
    command = " ".join(request.query_params.get("command", "").split())
    try:
        return script_text(kind, job.started_by(command))
    except ValueError as error:
        raise ValidationError({"script": [str(error)]}) from error
