"""Uploading in the browser."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied, ValidationError
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from ingest.formats import FORMATS
from ingest.models import Application, Machine, Upload
from ingest.services import upload_receive
from perfweb.accounts.models import Role
from perfweb.accounts.reader import reader
from perfweb.accounts.selectors import projects_with_role
from perfweb.health.outages import DISK_FULL, outage_of
from perfweb.portal.forms.upload import UploadForm
from perfweb.portal.text.commands import upload_command

MORE = ("commit", "branch", "committed_at", "campaign", "metadata", "format", "options", "point", "modelers")
"""Fields that few users need. The form hides these fields until one of them is filled in."""

FORM_BYTES = 1_000_000
"""Limit on the bytes of the form besides the file."""

SECOND_CLICK = timedelta(seconds=20)
"""Age of an upload from which sending its file again is more than a second click."""


@csrf_exempt
@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show the form to upload a campaign, or receive it.

    The length is checked first, because the CSRF check reads the whole body.
    """
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:18]) > settings.UPLOAD_BYTES + FORM_BYTES:
        return render(request, "uploads/too_large.html", {"most": settings.UPLOAD_BYTES}, status=413)
    return _upload(request)


@csrf_protect
def _upload(request: HttpRequest) -> HttpResponse:
    projects = projects_with_role(request.user, Role.CONTRIBUTOR).order_by("name")
    if not projects:
        raise PermissionDenied(
            "To upload you need the role contributor in a project, or a project of your own."
        )
    form = UploadForm(projects, request.POST or None, request.FILES or None, initial=request.GET.dict())
    if form.is_valid() and (received := _receive(request, form)):
        if received.created_at < timezone.now() - SECOND_CLICK:
            messages.info(request, stored_before(received))
        return redirect("upload-preview" if received.dry_run else "upload-detail", received.pk)
    context = {
        "form": form,
        "more": any(form[name].value() for name in MORE),
        "most": settings.UPLOAD_BYTES,
        "formats": len(FORMATS),
        "command": upload_command(request),
        "applications": Application.objects.in_projects(projects).order_by("slug"),
        "machines": Machine.objects.in_projects(projects),
    }
    return render(request, "uploads/upload.html", context, status=_status(form))


def stored_before(found: Upload) -> str:
    """Say that a file is not stored again, because the same version has an earlier upload of it."""
    return f"Version {found.version_label} has this file already. It was not stored again."


def _status(form: UploadForm) -> int:
    if form.has_error(NON_FIELD_ERRORS, DISK_FULL.code):
        return 503
    return 422 if form.errors else 200


def _receive(request: HttpRequest, form: UploadForm) -> Upload | None:
    """Pass the file to the service; None if it is refused, with the error in the form."""
    try:
        look_first = "preview" in request.POST
        return upload_receive(user=reader(request), dry_run=look_first, **form.cleaned_data)
    except ValidationError as refused:
        form.add_error(None, refused)
    except (OSError, DatabaseError) as error:
        if outage_of(error) is not DISK_FULL:
            raise
        form.add_error(None, ValidationError(f"{DISK_FULL.title} {DISK_FULL.advice}", DISK_FULL.code))
    return None
