"""Plans of the next measurements, for jobs that choose their own next run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.fields.names import slug_of, slug_wrong
from ingest.models import Application, Parameter
from modeling.models import Plan
from modeling.scripts import KINDS, script_text
from modeling.selectors.application.choices import choices_of
from modeling.selectors.plans.basis import basis_load
from modeling.selectors.plans.costs import CostRange
from modeling.selectors.plans.jobs import job_of
from modeling.selectors.plans.planned import Proposal
from modeling.selectors.plans.progress import plan_progress
from modeling.selectors.plans.proposal import proposal_first, proposal_read
from modeling.selectors.plans.question import GOALS
from modeling.selectors.plans.written import plan_text
from modeling.selectors.versions.standings import line_of, lineage_of, standings
from modeling.services.plans.keeping import plan_keep, plan_row
from perfweb.accounts.models import Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.api.access import projects_of, token_of
from perfweb.api.choices import METRIC, TARGET, metric_read, target_read
from perfweb.api.serializers.plans import PlanSerializer
from perfweb.api.views.applications import NAME, PROJECT, application_find
from perfweb.api.views.base import ApiView
from perfweb.api.views.history import MACHINE, machine_read

ASSUMED = re.compile(r"; planned (?:as|for|with) .*\.")
"""The part of a problem that says what is assumed instead of a wrong field."""

QUERY = [
    NAME,
    PROJECT,
    METRIC,
    MACHINE,
    TARGET,
    OpenApiParameter(
        "version",
        str,
        description="Label of the version; left out: the latest version. The plan of a version that was not "
        "measured yet starts from the laws of the latest version.",
    ),
    OpenApiParameter(
        "goal", str, enum=GOALS, description="Goal; left out: the one that probably helps most."
    ),
    OpenApiParameter("budget", str, description="Largest number of core hours of the plan."),
    OpenApiParameter("runs", str, description="Largest number of runs."),
    OpenApiParameter(
        "seconds",
        str,
        description="Before the first measurement: guessed seconds of one run. With it, the application need "
        "not exist yet.",
    ),
    OpenApiParameter("repetitions", str, description="Before the first measurement: runs at each point."),
    OpenApiParameter("processes", str, description="Largest number of processes of a run."),
    OpenApiParameter("hours", str, description="Longest time of a run in hours, as a queue allows."),
    OpenApiParameter(
        "within", str, description="Goal of the interval's width: percent to either side of the prediction."
    ),
    OpenApiParameter("memory", str, description="Largest memory of a run in GB."),
    OpenApiParameter(
        "memory_each", str, description="GB of a process; left out: predicted from a metric of memory."
    ),
    OpenApiParameter("overhead", str, description="Core hours that each job costs in addition to its run."),
    OpenApiParameter("wait", str, description="Hours that a job waits in the queue."),
    OpenApiParameter("kernel", str, description="Id of a kernel, if the goal is about this kernel only."),
    OpenApiParameter(
        "linear", str, description="For the goal `profile`: parameters that repeat the main loop."
    ),
    OpenApiParameter(
        "iterations",
        str,
        description="For the goal `profile`: seconds of the iterations of the main loop in one run, such as "
        "`0.98,1.01,1.02`. If they differ by more than 10 %, the parameters in `linear` stay in the design.",
    ),
    OpenApiParameter(
        "dependent",
        str,
        description="For the goal `profile`: computed parameters, such as `spacing = vol / cubes`.",
    ),
    OpenApiParameter("script", str, enum=list(KINDS), description="Kind of a job script to return, too."),
    OpenApiParameter(
        "command", str, description='Command by which the script starts a run; it writes to `"$output"`.'
    ),
]


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


class PlanDetail(ApiView):
    """The plan of one application."""

    scopes = (Scope.READ, Scope.UPLOAD)
    scope_of_method: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.UPLOAD}

    @extend_schema(operation_id="plan", parameters=QUERY, responses=PlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Propose which points to measure, and how often, to come nearest to a goal for the core hours.

        `values.NAME=4,8,16` or `values.NAME=2..4096` lists the values of a parameter that may be measured.
        The default is the measured values, and up to three more towards the target.

        Before the first measurement, list the values of all parameters, and guess how many `seconds` one run
        takes. `known.NAME=64` says for which value of the parameter the guess is, by default the smallest.
        `grows.NAME=3` says that the time grows with the third power of the parameter.
        """
        return Response(_body(request, _answer(request, _application(request, slug)), None))

    @extend_schema(
        operation_id="plan_keep",
        parameters=QUERY,
        request=None,
        responses={status.HTTP_201_CREATED: PlanSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Compute a plan as GET does, and store it. The plan's page marks the runs that arrive.

        This needs the role contributor; a token needs the scope `upload`.
        """
        application = _application(request, slug)
        role_require(reader(request), application.project, Role.CONTRIBUTOR)
        answer = _answer(request, application)
        if answer.problems:
            raise ValidationError({"query": list(answer.problems)})
        if not answer.proposal.plan or not answer.version:
            problem = answer.proposal.problem or "There is nothing to measure, or no version that it is for."
            raise ValidationError({"plan": [problem]})
        row = answer.row(request.query_params.urlencode())
        kept = plan_keep(row=row, user=reader(request), token=token_of(request))
        return Response(_body(request, answer, kept), status=status.HTTP_201_CREATED)


def _application(request: Request, slug: str) -> Application:
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


def _answer(request: Request, application: Application) -> Answer:
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


def _body(request: Request, answer: Answer, kept: Plan | None) -> dict[str, Any]:
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
