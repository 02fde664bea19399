"""Reads and replaces the parameters that the functions of an application depend on."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.fields.names import slug_of, slug_wrong
from ingest.formats.dependencies.perf_taint import LIMITS
from ingest.models import Application, Dependencies
from ingest.services import dependencies_store
from modeling.selectors.application.dependencies import profile_of
from perfweb.accounts.models import Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.api.access import token_of
from perfweb.api.serializers.dependencies import DependenciesRequestSerializer, DependenciesSerializer
from perfweb.api.views.applications import NAME, PROJECT, application_find
from perfweb.api.views.base import ApiView
from perfweb.api.views.uploads import length_check, project_named


class DependenciesDetail(ApiView):
    """The dependencies of one application."""

    scopes = (Scope.READ, Scope.UPLOAD)
    scope_of_method: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "PUT": Scope.UPLOAD}
    parser_classes = (MultiPartParser,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the length before anything reads the body."""
        if request.method == "PUT":
            length_check(request, LIMITS.document_bytes)
        super().initial(request, *args, **kwargs)

    @extend_schema(operation_id="dependencies", parameters=[NAME, PROJECT], responses=DependenciesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the parameters on which functions depend, as a taint analysis found them."""
        application = application_find(request, slug)
        found = profile_of(application)
        if found is None:
            raise Http404(f"It is not stored what the functions of “{slug}” depend on; send a file by PUT.")
        return _answer(request, found)

    @extend_schema(
        operation_id="dependencies_put",
        parameters=[NAME, PROJECT],
        request={"multipart/form-data": DependenciesRequestSerializer},
        responses=DependenciesSerializer,
    )
    def put(self, request: Request, slug: str) -> Response:
        """Replace the parameters on which functions depend.

        This needs the role maintainer; a token needs the scope `upload`. An application that does not exist
        yet is created.
        """
        application = _application(request, slug)
        role_require(reader(request), application.project, Role.MAINTAINER)
        form = DependenciesRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        stored = dependencies_store(
            application=application,
            file=form.validated_data["file"],
            user=reader(request),
            token=token_of(request),
        )
        return _answer(request, stored)


def _application(request: Request, slug: str) -> Application:
    """Return the application, unsaved if it is new."""
    try:
        return application_find(request, slug)
    except Http404:
        project = project_named(request, request.query_params.get("project", ""))
        if wrong := slug_wrong(slug):
            raise ValidationError({"application": [wrong]}) from None
        return Application(project=project, slug=slug_of(slug), name=slug)


def _answer(request: Request, found: Dependencies) -> Response:
    return Response(DependenciesSerializer(found, context={"request": request}).data)
