"""The part of an application's settings for the expectations of its kernels."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from ingest.models import Application
from modeling.models import Expectation
from modeling.services.changes.expectations import expectation_add, expectation_remove
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import project_get
from perfweb.accounts.reader import reader
from perfweb.portal.forms.settings import ExpectationForm


def expectation_added(request: HttpRequest, application: Application, form: ExpectationForm) -> bool:
    """Add an expectation, and return whether it succeeded; errors are shown at the field."""
    if not form.is_valid():
        return False
    try:
        made = expectation_add(application=application, user=reader(request), **form.cleaned_data)
    except ValidationError as refused:
        form.add_error(None, refused)
        return False
    messages.success(request, f"All versions will be compared with “{made}” in a moment.")
    return True


@login_required
@require_POST
def expectation_end(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Remove an expectation."""
    found = project_get(request.user, project, Role.MAINTAINER)
    expectation = get_object_or_404(
        Expectation.objects.select_related("application__project"),
        pk=pk, application__project=found, application__slug=application,
    )  # fmt: skip
    expectation_remove(expectation=expectation, user=reader(request))
    messages.success(request, f"The expectation “{expectation}” has been removed.")
    return redirect(f"{reverse('application-settings', args=[project, application])}#expectations")
