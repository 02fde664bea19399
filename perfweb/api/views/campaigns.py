"""Campaigns."""

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.models import Campaign, Upload
from perfweb.api.access import projects_of
from perfweb.api.serializers.campaigns import CampaignSerializer
from perfweb.api.views.base import ApiView


class CampaignDetail(ApiView):
    """One campaign."""

    @extend_schema(operation_id="campaign", responses=CampaignSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return a campaign: what was measured on which machine, and its runs of modelers."""
        campaign = campaign_find(request, pk)
        return Response(CampaignSerializer(campaign, context={"request": request}).data)


def campaign_find(request: Request, pk: int) -> Campaign:
    """Return the campaign; raise Http404 if there is none that the caller may see."""
    campaign = _visible(request).filter(pk=pk).first()
    if campaign is None:
        raise Http404(f"There is no campaign {pk} that you may see.")
    return campaign


def _visible(request: Request) -> QuerySet[Campaign]:
    rows = Campaign.objects.in_projects(projects_of(request))
    return rows.select_related("version__application__project", "machine").prefetch_related(
        "runs", Prefetch("uploads", Upload.objects.only("pk", "campaign_id"))
    )
