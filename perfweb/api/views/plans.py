"""Plans of the next measurements, for jobs that choose their own next run."""

from collections.abc import Mapping
from typing import ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from modeling.scripts import KINDS
from modeling.selectors.plans.question import GOALS
from modeling.services.plans.keeping import plan_keep
from perfweb.accounts.models import Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.api.access import token_of
from perfweb.api.choices import METRIC, TARGET
from perfweb.api.serializers.plans import PlanSerializer
from perfweb.api.views.applications import NAME, PROJECT
from perfweb.api.views.base import ApiView
from perfweb.api.views.history import MACHINE
from perfweb.api.views.plan_answers import answer_to, application_of, body_of

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
        return Response(body_of(request, answer_to(request, application_of(request, slug)), None))

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
        application = application_of(request, slug)
        role_require(reader(request), application.project, Role.CONTRIBUTOR)
        answer = answer_to(request, application)
        if answer.problems:
            raise ValidationError({"query": list(answer.problems)})
        if not answer.proposal.plan or not answer.version:
            problem = answer.proposal.problem or "There is nothing to measure, or no version that it is for."
            raise ValidationError({"plan": [problem]})
        row = answer.row(request.query_params.urlencode())
        kept = plan_keep(row=row, user=reader(request), token=token_of(request))
        return Response(body_of(request, answer, kept), status=status.HTTP_201_CREATED)
