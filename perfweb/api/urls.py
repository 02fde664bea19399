"""The addresses of the REST interface."""

from django.urls import path, re_path, register_converter
from django.urls.converters import StringConverter

from perfweb.api.schema import Schema
from perfweb.api.views.alerts import AlertList, AlertTriage
from perfweb.api.views.applications import ApplicationDetail, ApplicationList
from perfweb.api.views.base import Nothing
from perfweb.api.views.campaigns import CampaignDetail
from perfweb.api.views.comparisons import ComparisonDetail
from perfweb.api.views.dependencies import DependenciesDetail
from perfweb.api.views.gate import GateDetail
from perfweb.api.views.history import KernelHistory
from perfweb.api.views.modelers import ModelersDetail
from perfweb.api.views.models import ModelList
from perfweb.api.views.plans import PlanDetail
from perfweb.api.views.reports import ReportDetail, ReportList
from perfweb.api.views.uploads import UploadCreate, UploadDetail

app_name = "api"


class AnyName(StringConverter):
    """Matches any text as an application's name, so that the view can explain what is wrong with it."""

    regex = ".*"


register_converter(AnyName, "any")

urlpatterns = [
    path("schema/", Schema.as_view(), name="schema"),
    path("v1/applications/", ApplicationList.as_view(), name="applications"),
    path("v1/applications/<str:slug>/", ApplicationDetail.as_view(), name="application"),
    path("v1/applications/<any:slug>/uploads/", UploadCreate.as_view(), name="uploads"),
    path("v1/applications/<str:slug>/dependencies/", DependenciesDetail.as_view(), name="dependencies"),
    path("v1/applications/<str:slug>/gate/", GateDetail.as_view(), name="gate"),
    path("v1/applications/<str:slug>/alerts/", AlertList.as_view(), name="alerts"),
    path("v1/alerts/<int:pk>/", AlertTriage.as_view(), name="alert"),
    path("v1/applications/<str:slug>/plan/", PlanDetail.as_view(), name="plan"),
    path("v1/applications/<str:slug>/reports/", ReportList.as_view(), name="reports"),
    path("v1/reports/<int:pk>/", ReportDetail.as_view(), name="report"),
    path("v1/uploads/<int:pk>/", UploadDetail.as_view(), name="upload"),
    path("v1/campaigns/<int:pk>/", CampaignDetail.as_view(), name="campaign"),
    path("v1/campaigns/<int:pk>/models/", ModelList.as_view(), name="models"),
    path("v1/campaigns/<int:pk>/modelers/", ModelersDetail.as_view(), name="modelers"),
    path("v1/kernels/<int:pk>/history/", KernelHistory.as_view(), name="history"),
    path("v1/comparisons/", ComparisonDetail.as_view(), name="comparisons"),
    re_path("", Nothing.as_view(), name="nothing"),
]
