"""Copies the demo into a project, for people who have nothing measured yet."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from perfweb.accounts.models import Role
from perfweb.accounts.permissions import project_get
from perfweb.accounts.reader import reader
from perfweb.demo.load import APPLICATION, copy_into


@login_required
@require_POST
def demo_copy(request: HttpRequest, project: str) -> HttpResponse:
    """Upload the demo's campaigns to an empty project; workers read and model them like any others."""
    found = project_get(request.user, project, Role.CONTRIBUTOR)
    if found.applications.exclude(slug=APPLICATION).exists():
        messages.error(request, f"{found.name} has applications of its own; the demo is for empty projects.")
        return redirect("home")
    try:
        received = copy_into(found, reader(request))
    except ValidationError as refused:
        messages.error(request, " ".join(refused.messages))
    else:
        messages.success(request, f"{len(received)} versions of a small application are on their way.")
    return redirect("home")
