"""Shows which alerts are silenced, why, and until when."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from ingest.fields.ids import id_parse
from ingest.models import Application, Kernel
from modeling.models import Silence
from modeling.services.alerts.silences import silence_create, silence_end
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.changes import application_of_reader
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.forms.changes import SilenceForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def silences(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show the current silences; a contributor adds one, for the kernel whose id is in ?kernel=."""
    found = application_of_reader(request, project, application)
    number = id_parse(request.GET.get("kernel", ""))
    kernel = None if number is None else found.kernels.filter(pk=number).first()
    form = SilenceForm(found.metrics.all(), request.POST if request.method == "POST" else None)
    if request.method == "POST":
        role_require(reader(request), found.project, Role.CONTRIBUTOR)
        if form.is_valid() and _made(request, found, form, kernel):
            return redirect("silences", project, application)
    rows = Silence.objects.filter(application=found, until__gt=timezone.now())
    context = {
        "application": found,
        "silences": rows.select_related("kernel", "metric", "user"),
        "kernel": kernel,
        "form": form,
        "triages": role_in(request, found.project_id) >= Role.CONTRIBUTOR,
    }
    return render(request, "changes/silences.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def silence_remove(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """End a silence now."""
    found = application_of_reader(request, project, application)
    silence = get_object_or_404(Silence.objects.select_related("kernel", "metric"), pk=pk, application=found)
    silence_end(silence=silence, actor=reader(request))
    messages.success(request, f"{silence} is no longer silenced.")
    return redirect("silences", project, application)


def _made(request: HttpRequest, application: Application, form: SilenceForm, kernel: Kernel | None) -> bool:
    """Add a silence, and return whether that succeeded; errors are shown at the field."""
    given = form.cleaned_data
    try:
        silence = silence_create(
            application=application, actor=reader(request), reason=given["reason"], until=form.until(),
            kernel=kernel, pattern=given["pattern"], metric=given["metric"],
        )  # fmt: skip
    except ValidationError as refused:
        form.add_error(None, refused)
        return False
    messages.success(request, f"{silence} is silenced until {silence.until:%Y-%m-%d}.")
    return True
