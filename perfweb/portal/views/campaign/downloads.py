"""Downloads of uploaded files, values and models."""

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from ingest.models import Campaign, Upload
from modeling.models import Model
from perfweb.accounts.selectors import projects_visible
from perfweb.portal.asked.campaign import campaign_or_404
from perfweb.portal.files.campaign import MODELS, VALUES, models_written
from perfweb.portal.files.exports import attached, plain_name


@login_required
@require_safe
def upload_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Answer with an uploaded file, unchanged."""
    found = get_object_or_404(Upload.objects.in_projects(projects_visible(request.user)), pk=pk)
    try:
        opened = found.file.storage.open(str(found.file.name))
    except FileNotFoundError:
        raise Http404("The file is no longer in the portal's storage.") from None
    name = plain_name(found.filename)
    return FileResponse(opened, as_attachment=True, filename=name, content_type="application/octet-stream")


@login_required
@require_safe
def campaign_values(request: HttpRequest, campaign_id: int, kind: str) -> HttpResponseBase:
    """Answer with all values of a campaign, streamed while they are read."""
    found, _ = campaign_or_404(request, campaign_id)
    content_type, write = VALUES[kind]
    answer = StreamingHttpResponse(write(found), content_type=content_type)
    return attached(answer, f"{_name(found)}.{kind}")


@login_required
@require_safe
def campaign_models(request: HttpRequest, campaign_id: int, kind: str) -> HttpResponseBase:
    """Answer with all laws of a campaign's latest run."""
    found, run = campaign_or_404(request, campaign_id)
    rows = Model.objects.filter(run=run).select_related("kernel", "metric")
    models = models_written(found, list(rows.order_by("metric_id", "kernel__path")))
    content_type, write = MODELS[kind]
    about = f"{found.version.application.name} {found}"
    answer = StreamingHttpResponse(write(about, found, models), content_type=content_type)
    return attached(answer, f"{_name(found)}-models.{kind}")


def _name(campaign: Campaign) -> str:
    return f"{campaign.version.application.slug}-{campaign.version.label}-{campaign.machine.name}"
