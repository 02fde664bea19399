"""Applications and their versions."""

from collections.abc import Sequence

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.fields.names import slug_of
from ingest.models import Application, Campaign
from modeling.selectors.application.choices import Choices, choices_all
from perfweb.api.access import projects_of
from perfweb.api.pages import Pages
from perfweb.api.serializers.applications import ApplicationDetailSerializer, ApplicationSerializer
from perfweb.api.views.base import ApiView

PROJECT = OpenApiParameter(
    "project",
    str,
    description="Slug of the project; needed if several of your projects have such an application.",
)


NAME = OpenApiParameter(
    "slug",
    str,
    OpenApiParameter.PATH,
    description="Slug of the application, or a name from which the slug is made, such as `My Solver 2`.",
)


class ApplicationList(ApiView, ListAPIView[Application]):
    """Return the applications that the caller may see."""

    serializer_class = ApplicationSerializer
    pagination_class = Pages

    def get_queryset(self) -> QuerySet[Application]:
        """Return the applications of the caller's projects."""
        if getattr(self, "swagger_fake_view", False):
            return Application.objects.none()
        return (
            Application.objects.in_projects(projects_of(self.request))
            .select_related("project")
            .order_by("slug", "pk")
        )


class ApplicationDetail(ApiView):
    """One application: parameters, metrics, targets, versions."""

    @extend_schema(
        operation_id="application", parameters=[NAME, PROJECT], responses=ApplicationDetailSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return an application with its versions, parameters, metrics and targets."""
        found = application_find(request, slug)
        campaigns = Campaign.objects.select_related("machine").defer("points", "metadata").order_by("pk")
        prefetch_related_objects(
            [found],
            "parameters",
            "metrics",
            "targets",
            "versions",
            Prefetch("versions__campaigns", campaigns),
        )
        return Response(ApplicationDetailSerializer(found, context={"request": request}).data)


def application_find(request: Request, slug: str) -> Application:
    """Return the visible application whose slug is `slug`, or is made from `slug` as a name.

    Raises:
        Http404: there is no such application.
        ValidationError: several projects have such an application, and `?project=` does not say which.
    """
    return _only(list(_named(request, slug)), slug)


def application_choices(request: Request, slug: str) -> Choices:
    """Return what `application_find` returns, with everything that a request can name, by one query."""
    found = {each.application.pk: each for each in choices_all(_named(request, slug))}
    return found[_only([each.application for each in found.values()], slug).pk]


def _named(request: Request, slug: str) -> QuerySet[Application]:
    rows = Application.objects.in_projects(projects_of(request)).filter(slug=slug_of(slug))
    if project := request.query_params.get("project"):
        rows = rows.filter(project__slug=project)
    return rows.select_related("project")


def _only(found: Sequence[Application], slug: str) -> Application:
    if not found:
        raise Http404(f"There is no application “{slug}” that you may see.")
    if len(found) > 1:
        names = ", ".join(sorted(row.project.slug for row in found))
        raise ValidationError(
            {"project": [f"Several projects have “{slug}”; add ?project= with one of: {names}."]}
        )
    return found[0]
