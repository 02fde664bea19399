"""Shows what was recognised in a file before it is stored, and lets users correct it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from ingest.fields.options import KNOWN_OPTIONS, options_parse, options_written
from ingest.formats import FORMATS
from ingest.models import Application, Parameter, Upload
from ingest.services import preview_discard, preview_reread, preview_store
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.selectors import projects_visible
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.charts.svg.points import points_picture, points_sentence, repetitions_sentence
from perfweb.portal.views.uploads.upload import stored_before


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the file's content, and reload while it is read; a contributor stores or discards it."""
    rows = Upload.objects.in_projects(projects_visible(request.user)).select_related("project")
    found = get_object_or_404(rows, pk=pk)
    if request.method == "POST":
        role_require(request.user, found.project, Role.CONTRIBUTOR)
    if not found.dry_run:
        return redirect("upload-detail", found.pk)
    if request.method == "POST":
        return _decide(request, found)
    return _show(request, found)


def _decide(request: HttpRequest, found: Upload) -> HttpResponse:
    """Store the file with the corrections, or discard it."""
    if "discard" in request.POST:
        preview_discard(upload=found)
        messages.success(request, f"{found.filename} was discarded; nothing of it was stored.")
        return redirect("upload")
    try:
        if "reread" in request.POST:
            preview_reread(upload=found, options=options_parse(request.POST.get("options", "")))
            return redirect("upload-preview", found.pk)
        stored = preview_store(
            upload=found,
            roles=_sent(request, "role."),
            units=_sent(request, "unit."),
            metric_units=_sent(request, "metric."),
            metric_better=_sent(request, "better."),
        )
    except ValidationError as refused:
        if not Upload.objects.filter(pk=found.pk, dry_run=True).exists():  # a second click
            return redirect("upload-detail", found.pk)
        messages.error(request, " ".join(refused.messages))
        return _show(request, found, status=422)
    if stored.pk != found.pk:
        messages.info(request, stored_before(stored))
    return redirect("upload-detail", stored.pk)


def _sent(request: HttpRequest, prefix: str) -> dict[str, str]:
    """Return the fields of the form whose names have this prefix, by their names without the prefix."""
    return {
        key.removeprefix(prefix): value.strip()
        for key, value in request.POST.items()
        if key.startswith(prefix) and isinstance(value, str)
    }


def _show(request: HttpRequest, found: Upload, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "upload": found,
        "may": role_in(request, found.project_id) >= Role.CONTRIBUTOR,
        "options": options_written(found.options),
        "choices": KNOWN_OPTIONS.get(found.format, {}),
    }
    if found.diagnosis:
        context |= _diagnosis_context(found, found.diagnosis)
    template = "uploads/previewed.html" if request.headers.get("HX-Request") else "uploads/preview.html"
    return render(request, template, context, status=status)


def _diagnosis_context(found: Upload, diagnosis: dict[str, Any]) -> dict[str, Any]:
    """Return the diagnosis; known parameters and metrics are shown with the application's settings."""
    applications = Application.objects.filter(project=found.project_id, slug=found.application_slug)
    application = applications.prefetch_related("parameters", "metrics").first()
    parameters = {row.name: row for row in application.parameters.all()} if application else {}
    metrics = {row.name: row for row in application.metrics.all()} if application else {}
    names = [parameter["name"] for parameter in diagnosis["parameters"]]
    module = FORMATS.get(diagnosis["format"])
    return {
        "diagnosis": diagnosis,
        "format": module.TITLE if module else diagnosis["format"],
        "application": application,
        "parameters": [(row, parameters.get(row["name"])) for row in diagnosis["parameters"]],
        "metrics": [(row, metrics.get(row["name"])) for row in diagnosis["metrics"]],
        "roles": Parameter.Role.choices,
        "picture": points_picture(diagnosis["points"], names),
        "sentence": points_sentence(diagnosis["points"], names),
        "repetitions": _repetitions(diagnosis),
        "missing": [dict(zip(names, point, strict=True)) for point in diagnosis["missing_points"]],
        "missing_more": diagnosis["missing_count"] - len(diagnosis["missing_points"]),
        "kernels_more": diagnosis["kernel_count"] - len(diagnosis["kernels"]),
    }


def _repetitions(diagnosis: dict[str, Any]) -> str:
    series = diagnosis["kernel_count"] * len(diagnosis["metrics"])
    full = series * diagnosis["point_count"] * diagnosis["repetitions"]
    return repetitions_sentence(diagnosis["repetitions"], everywhere=diagnosis["value_count"] == full)
