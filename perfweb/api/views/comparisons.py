"""The comparison of two versions."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.fields.ids import id_parse
from ingest.models import Application, Campaign, Version
from modeling.models import UNFINISHED, Comparison
from modeling.selectors.versions.changes import changes_of, changes_with_laws
from modeling.selectors.versions.comparison import comparison_find
from modeling.selectors.versions.standings import Standing, standings
from modeling.services.changes.comparisons import comparison_request
from perfweb.accounts.models import Scope
from perfweb.api.access import projects_of, token_of
from perfweb.api.pages import PAGE, Pages
from perfweb.api.problems import Unprocessable
from perfweb.api.serializers.comparisons import ComparisonSerializer
from perfweb.api.views.applications import PROJECT, application_find
from perfweb.api.views.base import ApiView

LATER = {"Retry-After": "1"}

NOT_COMPARED = "not_compared"
"""Type of the problem that two versions could be compared, but were not."""

PARAMETERS = [
    OpenApiParameter(
        "before",
        str,
        required=True,
        description="The earlier version: its id, or its label if `application` is given.",
    ),
    OpenApiParameter(
        "after",
        str,
        required=True,
        description="The later version: its id, or its label if `application` is given.",
    ),
    OpenApiParameter("application", str, description="Slug of the application; needed with labels."),
    OpenApiParameter(
        "machine",
        str,
        description="Machine on which both versions were measured, or only `after` if `before_machine` names "
        "another one. Default: the machine on which both were measured last.",
    ),
    OpenApiParameter("before_machine", str, description="Machine of `before`, if it is not that of `after`."),
    PROJECT,
    *PAGE,
]


RESPONSES = {
    200: ComparisonSerializer,
    202: OpenApiResponse(ComparisonSerializer, "Not finished yet; ask again after `Retry-After`."),
}


class ComparisonDetail(ApiView):
    """The changes from one version to another."""

    @extend_schema(operation_id="comparison", parameters=PARAMETERS, responses=RESPONSES)
    def get(self, request: Request) -> Response:
        """Return the kernels that changed between two versions.

        The portal compares every version with the one before it. Other comparisons have to be requested by a
        POST to the same address; until then the answer is 404 with the type
        `urn:perfweb:problem:not_compared`.
        """
        application = _application(request)
        before, after = _sides(request, standings(application))
        comparison = comparison_find(before.campaign_id, after.campaign_id)
        if comparison is None:
            raise NotFound(
                f"Nobody has compared {_place(before, after)} yet; a POST to this address requests it.",
                NOT_COMPARED,
            )
        return _answer(request, application, (before, after), comparison)

    @extend_schema(operation_id="comparison_create", parameters=PARAMETERS, request=None, responses=RESPONSES)
    def post(self, request: Request) -> Response:
        """Request the comparison of two versions; a second request changes nothing.

        A token needs both scopes, `read` and `upload`. The answer is that of a GET to the same address, which
        is in `Location`. Its status is 202 until the comparison is finished.
        """
        token = token_of(request)
        if token and Scope.UPLOAD not in token.scopes:
            raise PermissionDenied(
                "The token may only read; to compare versions it also needs the scope upload."
            )
        application = _application(request)
        sides = _sides(request, standings(application))
        campaigns = Campaign.objects.select_related("version__application").in_bulk(
            [side.campaign_id for side in sides]
        )
        before, after = (campaigns[side.campaign_id] for side in sides)
        answer = _answer(request, application, sides, comparison_request(before, after))
        answer["Location"] = request.build_absolute_uri()
        return answer


def _place(before: Standing, after: Standing) -> str:
    """Return both versions with the machines on which they were measured."""
    if before.machine == after.machine:
        return f"{before.label} with {after.label} on {after.machine.name}"
    return f"{before.label} on {before.machine.name} with {after.label} on {after.machine.name}"


def _answer(
    request: Request, application: Application, sides: tuple[Standing, Standing], comparison: Comparison
) -> Response:
    """Return the comparison with a page of its changes, which is empty until the comparison is finished."""
    pages = Pages()
    rows = pages.rows(changes_of(comparison), request)
    body = {
        "application": application,
        "machine": sides[1].machine.name,
        "before_machine": sides[0].machine.name,
        "before": sides[0],
        "after": sides[1],
        "state": comparison.state,
        "error": comparison.error,
        "failures": comparison.failures,
        "shifts": comparison.shifts.select_related("metric").order_by("metric"),
        **pages.links(),
        "changes": changes_with_laws(rows, *sides),
    }
    answer = ComparisonSerializer(body, context={"request": request}).data
    if comparison.state in UNFINISHED:
        return Response(answer, status.HTTP_202_ACCEPTED, headers=LATER)
    return Response(answer)


def _application(request: Request) -> Application:
    """Return the named application; without a name, the application of the version `after`."""
    if slug := request.query_params.get("application"):
        return application_find(request, slug)
    version = (
        Version.objects.in_projects(projects_of(request))
        .filter(pk=_number(request, "after"))
        .select_related("application__project")
        .first()
    )
    if version is None:
        raise Http404("There is no such version that you may see.")
    return version.application


def _sides(request: Request, ordered: list[Standing]) -> tuple[Standing, Standing]:
    """Return the latest measurements of both versions on the requested machines."""
    before, after = (_standings(request, name, ordered) for name in ("before", "after"))
    wanted = request.query_params.get("machine")
    wanted_before = request.query_params.get("before_machine")
    pairs = [
        (one, other)
        for one in before
        for other in after
        if one.campaign_id != other.campaign_id
        and wanted in (None, other.machine.name)
        and one.machine.name == (wanted_before or other.machine.name)
    ]
    if before[0].version_id == after[0].version_id and not wanted_before:
        raise Unprocessable("A version is compared with another one, or with itself on another machine.")
    if not pairs:
        places = (", ".join(sorted(s.machine.name for s in side)) for side in (before, after))
        raise Unprocessable(
            "Versions are compared on one machine, or on the two that `before_machine` and `machine` name; "
            "found measurements on {} and on {}.".format(*places)
        )
    return max(pairs, key=lambda pair: pair[1].campaign_id)


def _standings(request: Request, name: str, ordered: list[Standing]) -> list[Standing]:
    """Return the measurements of a version, given by label or id."""
    if request.query_params.get("application"):
        label = request.query_params.get(name, "")
        found = [standing for standing in ordered if standing.label == label]
    else:
        number = _number(request, name)
        found = [standing for standing in ordered if standing.version_id == number]
    if not found:
        raise Http404(f"There is no measured version “{request.query_params.get(name, '')[:80]}” ({name}).")
    return found


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "")
    number = id_parse(text)
    if number is None:
        raise ValidationError(
            {name: [f"Found “{text[:80]}”, expected the id of a version, or a label and ?application=."]}
        )
    return number
