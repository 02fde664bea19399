"""The badge that shows whether the latest version passes the gate, for members or at a public address."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from ingest.models import Application
from modeling.models import Badge
from modeling.selectors.application.choices import choices_of
from modeling.selectors.gate.latest import gate_latest
from modeling.services.releases.badges import badge_end, badge_publish
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import project_get
from perfweb.accounts.reader import reader
from perfweb.portal.charts.svg.badge import badge_svg

KEPT_SECONDS = 60
"""Seconds for which a badge is cached, because pages of many projects may show it at the same time."""

LOCKED = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""Content security policy that forbids everything, in case somebody opens the image as a page."""


@login_required
@require_safe
def badge(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Answer with the badge, for members of the project."""
    found = project_get(request.user, project)
    return _image(get_object_or_404(found.applications, slug=application), "private")


@require_safe
def badge_public(request: HttpRequest, secret: str) -> HttpResponse:
    """Answer with the badge, at the public address that a maintainer made."""
    row = Badge.objects.select_related("application__project").filter(secret=secret).first()
    if row is None:
        raise Http404("There is no such badge, or its address is no longer valid.")
    return _image(row.application, "public")


@login_required
@require_POST
def badge_change(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Make a public address, or remove it."""
    found = project_get(request.user, project, Role.MAINTAINER)
    row = get_object_or_404(found.applications, slug=application)
    if request.POST.get("action") == "end":
        badge_end(application=row, user=reader(request))
        messages.success(request, "The badge has no public address any more.")
    else:
        badge_publish(application=row, user=reader(request))
        messages.success(request, "The badge has a public address now. An earlier address no longer works.")
    return redirect(f"{reverse('application-settings', args=[project, application])}#badge")


def _judged(application: Application) -> tuple[str, str]:
    """Return the latest version's label, and the verdict on it by the application's policy."""
    found = choices_of(application.pk)
    return gate_latest(found.application, found.gate_policy, found.metrics) or ("", "nothing measured")


def _image(application: Application, cached_by: str) -> HttpResponse:
    version, state = cache.get_or_set(f"badge-{application.pk}", lambda: _judged(application), KEPT_SECONDS)  # type: ignore[misc]  # it is never None
    headers = {
        "Cache-Control": f"{cached_by}, max-age={KEPT_SECONDS}",
        "Content-Security-Policy": LOCKED,
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(badge_svg(state, version), content_type="image/svg+xml", headers=headers)
