"""Plans of the next measurements, for jobs that choose their own next run."""

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
from modeling.selectors.application.choices import Choices, choices
from modeling.selectors.plans.basis import basis_load, default_goal, profile_of
from modeling.selectors.plans.costs import CostRange
from modeling.selectors.plans.jobs import job_of
from modeling.selectors.plans.progress import plan_progress
from modeling.selectors.plans.proposal import Proposal, proposal_first, proposal_make
from modeling.selectors.plans.question import GOALS, Question, question_read
from modeling.selectors.plans.written import plan_text
from modeling.selectors.versions.standings import Standing, line_of, lineage_of, standings
from modeling.services.plans.keeping import plan_keep, plan_of
from modeling.targets import target_parse
from perfweb.accounts.models import Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.api.access import projects_of, token_of, user_of
from perfweb.api.choices import METRIC, TARGET, metric_read
from perfweb.api.serializers.plans import PlanSerializer
from perfweb.api.views.applications import NAME, PROJECT, application_find
from perfweb.api.views.base import ApiView
from perfweb.api.views.history import MACHINE, machine_read

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
class Asked:
    """The question of a request with its answer; `target` belongs to the question."""

    application: Application
    parameters: Sequence[Parameter]
    standing: Standing | None
    metric: str
    target: dict[str, float]
    question: Question
    proposal: Proposal
    problems: Sequence[str] = ()


class PlanDetail(ApiView):
    """The plan of one application."""

    scopes = (Scope.READ, Scope.UPLOAD)
    scope_of_method: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.UPLOAD}

    @extend_schema(operation_id="plan", parameters=QUERY, responses=PlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Propose the points and repetitions that bring a goal nearest for their core hours.

        Give the values that may be measured as `values.NAME=4,8,16`, or as a range such as
        `values.NAME=2..4096`. By default these are the measured values and up to three further ones on the
        way to the target. Before the first measurement, give the values of all parameters and the guessed
        `seconds` of one run. `known.NAME=64` says at which value of the parameter this time was guessed; by
        default it is the smallest value. `grows.NAME=3` says with which power of the parameter the time of a
        run grows.
        """
        return Response(_answer(request, _asked(request, _application(request, slug)), None))

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
        role_require(user_of(request), application.project, Role.CONTRIBUTOR)
        asked = _asked(request, application)
        if asked.problems:
            raise ValidationError({"query": list(asked.problems)})
        version = request.query_params.get("version") or (asked.standing.label if asked.standing else "")
        plan = asked.proposal.plan
        if plan is None or not len(plan) or not version:
            problem = asked.proposal.problem or "There is nothing to measure, or no version that it is for."
            raise ValidationError({"plan": [problem]})
        kept = plan_keep(
            application=application,
            plan=plan,
            goal=asked.question.goal,
            version_label=version[:80],
            machine_name=asked.standing.machine.name if asked.standing else "",
            metric_name=asked.metric,
            target=asked.target,
            question=request.query_params.urlencode(),
            user=user_of(request),
            token=token_of(request),
            guessed=asked.proposal.guessed,
        )
        return Response(_answer(request, asked, kept), status=status.HTTP_201_CREATED)


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


def _asked(request: Request, application: Application) -> Asked:
    texts = {name: str(value) for name, value in request.query_params.items()}
    if application.pk is None or not application.versions.exists():
        return _asked_first(application, texts)
    found = choices(Application.objects.filter(pk=application.pk))
    assert found is not None  # noqa: S101 -- it was found just now
    ordered = standings(application)
    line = line_of(ordered, machine_read(request, ordered)) if ordered else ()
    label = request.query_params.get("version")
    standing = next((row for row in line if row.label == label), line[-1] if line else None)
    metric = metric_read(request, found.metrics) or next(iter(found.metrics), None)
    target = _target(request, found)
    lineage = lineage_of(line, standing)
    basis = basis_load(found, metric=metric, standing=standing, lineage=lineage, target=target)
    profile = profile_of(application)
    if label and standing is not None and standing.label != label:
        texts["fresh"] = "1"
    usual = default_goal(basis, profile)
    offered = basis.offered(profile, texts.get("goal") or usual)
    question, problems = question_read(texts, offered, default_goal=usual)
    if problems:
        raise ValidationError({"query": problems})
    return Asked(
        found.application, found.parameters, standing, metric.name if metric else "", dict(target or {}),
        question, proposal_make(basis, question, profile),
    )  # fmt: skip


def _asked_first(application: Application, texts: Mapping[str, str]) -> Asked:
    """Answer a question about an application that was not measured yet; ignore invalid values if possible."""
    first = proposal_first(application, texts, profile_of(application) if application.pk else None)
    if first.problems and first.proposal.plan is None:
        raise ValidationError({"query": first.problems})
    told = " ".join([*first.problems, first.proposal.problem]).strip()
    return Asked(
        application, first.basis.parameters, None, "", {}, first.question,
        replace(first.proposal, problem=told), first.problems,
    )  # fmt: skip


def _target(request: Request, found: Choices) -> dict[str, float] | None:
    """Return the requested target, or the application's default target."""
    text = request.query_params.get("target")
    named = next((row for row in found.targets if not text or row.name == text), None)
    if named is not None:
        return {name: float(value) for name, value in named.values.items()}
    if not text:
        return None
    try:
        return target_parse(text[:500], [row.name for row in found.parameters])
    except ValueError as wrong:
        raise ValidationError({"target": [str(wrong)]}) from wrong


def _answer(request: Request, asked: Asked, kept: Plan | None) -> dict[str, Any]:
    plan, proposal = asked.proposal.plan, asked.proposal
    version = request.query_params.get("version") or (asked.standing.label if asked.standing else "")
    body: dict[str, Any] = {
        "id": kept.pk if kept else None,
        "application": asked.application.slug,
        "version": version,
        "goal": asked.question.goal,
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
            "expected": plan.expected and _known(plan.expected.width_before, plan.expected.width_after),
            "reasons": list(plan.reasons),
            "text": plan_text(plan, proposal.problem, proposal.guessed),
            "script": _script(request, asked, kept, version),
        }
    return dict(PlanSerializer(body).data)


def _range(guessed: CostRange | None) -> dict[str, float] | None:
    return None if guessed is None else {"lower": guessed.total[0], "upper": guessed.total[1]}


def _known(before: float, after: float) -> dict[str, float] | None:
    """Return the widths before and after the plan; None if one is infinite, which JSON cannot express."""
    return {"width_before": before, "width_after": after} if np.isfinite([before, after]).all() else None


def _script(request: Request, asked: Asked, kept: Plan | None, version: str) -> str:
    """Return the requested script; raise ValidationError if there is no such kind."""
    kind, plan = request.query_params.get("script", ""), asked.proposal.plan
    if not kind or plan is None or not len(plan):
        return ""
    row = kept or plan_of(
        plan, application=asked.application, goal=asked.question.goal, version_label=version[:80],
        machine_name=asked.standing.machine.name if asked.standing else "", metric_name=asked.metric,
        target=asked.target,
    )  # fmt: skip
    job = job_of(plan_progress(row), asked.parameters, request.build_absolute_uri("/").rstrip("/"))
    command = " ".join(request.query_params.get("command", "").split())
    try:
        return script_text(kind, job.started_by(command))
    except ValueError as error:
        raise ValidationError({"script": [str(error)]}) from error
