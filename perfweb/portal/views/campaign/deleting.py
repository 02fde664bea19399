"""Deletes campaigns and versions, for maintainers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from ingest.models import Campaign
from ingest.services import campaign_delete, version_delete
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.campaign import campaign_or_404


@login_required
@require_http_methods(["GET", "POST"])
def campaign_remove(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Ask for confirmation, and list what will be lost; a confirming POST deletes campaign or version."""
    found, _ = campaign_or_404(request, campaign_id)
    application = found.version.application
    role_require(request.user, application.project, Role.MAINTAINER)
    what = request.POST.get("what")
    if what == "campaign":
        campaign_delete(campaign=found, user=reader(request))
        messages.success(request, f"The campaign of {found} is deleted.")
    elif what == "version":
        version_delete(version=found.version, user=reader(request))
        messages.success(request, f"Version {found.version} is deleted.")
    else:
        return render(request, "campaign/delete.html", _lost(found), status=422 if request.POST else 200)
    return redirect("application", application.project.slug, application.slug)


def _lost(found: Campaign) -> dict[str, object]:
    campaigns = list(found.version.campaigns.select_related("machine").order_by("pk"))
    return {
        "campaign": found,
        "application": found.version.application,
        "uploads": found.uploads.count(),
        "campaigns": campaigns,
        "values": sum(campaign.value_count for campaign in campaigns),
    }
