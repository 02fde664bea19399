"""The pages with the state of an upload, and with the list of uploads."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from ingest.fields.ids import id_parse
from ingest.fields.options import options_written
from ingest.models import STANDING, Upload
from ingest.services.growing import SETTLE
from modeling.selectors.run.failures import outcome_of
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import project_get
from perfweb.accounts.selectors import projects_visible
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.text.topics.stages import stages

PAGE = 50


@login_required
@require_safe
@vary_on_headers("HX-Request")
def upload_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the state of an upload; while it is being processed, the page reloads its changing part."""
    rows = Upload.objects.in_projects(projects_visible(request.user))
    rows = rows.select_related("project", "user", "token")
    found = get_object_or_404(
        rows.annotate(campaign_pk=F("campaign_id"), stored_at=F("campaign__created_at")), pk=pk
    )
    if found.dry_run:
        return redirect("upload-preview", found.pk)
    stored_at = found.stored_at  # type: ignore[attr-defined]  # annotated above
    outcome = outcome_of(found.campaign_id if found.state == Upload.State.DONE else None)
    context = {
        "upload": found,
        "options": options_written(found.options),
        "stages": stages(found, stored_at, modelled=not outcome.failed),
        "outcome": outcome,
        "settle_seconds": round(SETTLE.total_seconds()),
        "corrections": found.corrections.order_by("pk"),
        "correctable": found.state in STANDING and role_in(request, found.project_id) >= Role.CONTRIBUTOR,
    }
    part = bool(request.headers.get("HX-Request"))
    return render(request, "uploads/progress.html" if part else "uploads/detail.html", context)


@login_required
@require_safe
def uploads(request: HttpRequest, project: str) -> HttpResponse:
    """Show a project's uploads, latest first; with `?campaign=` and an id only those of one campaign."""
    found = project_get(request.user, project)
    rows = found.uploads.select_related("user", "token").annotate(campaign_pk=F("campaign_id"))
    campaign = request.GET.get("campaign", "")
    if (campaign_id := id_parse(campaign)) is not None:
        rows = rows.filter(campaign=campaign_id)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    return render(request, "uploads/uploads.html", {"project": found, "page": page, "campaign": campaign})
