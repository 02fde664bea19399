"""Joins kernels that were renamed or moved, and separates them again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from ingest.fields.ids import id_parse
from ingest.models import Kernel
from modeling.models import KernelAlias
from modeling.services.changes.aliases import kernel_join, kernel_separate
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import project_get
from perfweb.accounts.reader import reader


@login_required
@require_POST
def kernels_join(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Join the kernel of the field `kernel` with that of the field `becomes`, or separate it."""
    found = project_get(request.user, project, Role.MAINTAINER)
    kernels = Kernel.objects.filter(application__project=found, application__slug=application)
    numbers = [id_parse(request.POST.get(name, "")) for name in ("kernel", "becomes")]
    rows = kernels.in_bulk([number for number in numbers if number])
    kernel = rows.get(numbers[0] or 0)
    if kernel is None:
        raise Http404("The application has no such kernel.")
    if request.POST.get("action") == "separate":
        alias = KernelAlias.objects.filter(kernel=kernel).select_related("application__project").first()
        if alias:
            kernel_separate(alias=alias, user=reader(request))
            messages.success(request, f"{kernel.name} has its own history again.")
    else:
        becomes = rows.get(numbers[1] or 0)
        if becomes is None:
            raise Http404("The application has no such kernel.")
        _join(request, kernel, becomes)
    query = request.POST.get("query", "")[:2000]
    return redirect(f"{reverse('compare', args=[project, application])}?{query}")


def _join(request: HttpRequest, kernel: Kernel, becomes: Kernel) -> None:
    try:
        kernel_join(kernel=kernel, becomes=becomes, user=reader(request))
    except ValidationError as refused:
        messages.error(request, refused.messages[0])
    else:
        messages.success(
            request,
            f"{kernel.name} continues as {becomes.name}. Versions that have one of them are compared again.",
        )
