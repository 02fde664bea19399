"""The list of release reports, and the content of one report."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from modeling.selectors.reports.stored import report_get, reports_of
from perfweb.api.access import projects_of
from perfweb.api.serializers.reports import ReportListSerializer, ReportSerializer
from perfweb.api.views.applications import NAME, PROJECT, application_find
from perfweb.api.views.base import ApiView


class ReportList(ApiView):
    """The reports of one application."""

    @extend_schema(operation_id="reports", parameters=[NAME, PROJECT], responses=ReportListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the reports of an application, latest first; reports are made on its pages."""
        body = {"reports": reports_of(application_find(request, slug))}
        return Response(ReportListSerializer(body, context={"request": request}).data)


class ReportDetail(ApiView):
    """One report."""

    @extend_schema(operation_id="report", responses=ReportSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return one report: what a release changed and costs. Later models do not change the content."""
        report = report_get(projects_of(request), pk)
        if report is None:
            raise Http404("There is no such report that you may see.")
        return Response(ReportSerializer(report).data)
