"""Answers the question: why is this a change, and what was decided about it?"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from ingest.models import Application
from modeling.models import Alert
from modeling.selectors.alerts.explained import ComparedPoint, Explained, events_of, explained
from modeling.selectors.alerts.rows import AlertRow, alert_rows
from modeling.services.alerts.triage import Triaged, alerts_triage
from perfweb.accounts.models import Role, User
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.accounts.selectors import memberships_of
from perfweb.portal.asked.changes import application_of_reader, seen_read
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.charts.changed import change_figure
from perfweb.portal.charts.figures import Figure
from perfweb.portal.forms.changes import ChangeForm
from perfweb.portal.text.topics.triage import event_words

RELATED = (
    "application__project", "version", "machine", "kernel", "metric", "assignee", "fixed_in",
    "comparison__before__version",
)  # fmt: skip


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Show one change: its evidence, decisions and history; a contributor decides."""
    found = application_of_reader(request, project, application)
    row = _row(found, pk)
    members = [membership.user for membership in memberships_of(found.project)]
    form = ChangeForm(row.alert, members, request.POST if request.method == "POST" else None)
    overtaken = None
    if request.method == "POST":
        role_require(reader(request), found.project, Role.CONTRIBUTOR)
        done = _saved(request, row.alert, form) if form.is_valid() else None
        if done and not done.overtaken:
            messages.success(request, "Saved." if done.changed else "Nothing was changed.")
            return redirect("change", project, application, pk)
        if done:
            overtaken, row = done.overtaken[0], _row(found, pk)
            form = ChangeForm(row.alert, members, request.POST)
            form = ChangeForm(row.alert, members, form.caught_up())
    context = _context(request, found, row, members) | {"form": form}
    if overtaken:
        names = {member.pk: member.username for member in members}
        context |= {"overtaken": overtaken, "overtaken_by": event_words(overtaken, names)}
    status = HTTPStatus.CONFLICT if overtaken else 422 if form.errors else 200
    return render(request, "changes/change.html", context, status=status)


def _row(application: Application, pk: int) -> AlertRow:
    found = Alert.objects.filter(application=application, pk=pk).select_related(*RELATED)
    rows = alert_rows(found.defer("comparison__before__points", "comparison__before__metadata"))
    if not rows:
        raise Http404(f"{application} has no such change.")
    return rows[0]


def _saved(request: HttpRequest, alert: Alert, form: ChangeForm) -> Triaged | None:
    """Save the decision and return it; None if there is an error, which is shown at the field."""
    try:
        return alerts_triage(
            alerts=Alert.objects.filter(pk=alert.pk), changes=form.changes(), actor=reader(request),
            seen=seen_read(request.POST.getlist("seen")),
        )  # fmt: skip
    except ValidationError as refused:
        form.add_error(None, refused)
        return None


def _context(
    request: HttpRequest, application: Application, row: AlertRow, members: list[User]
) -> dict[str, Any]:
    names = {member.pk: member.username for member in members}
    why = explained(row.alert)
    return {
        "application": application,
        "row": row,
        "alert": row.alert,
        "why": why,
        "figure": _figure(row.alert, why),
        "largest": _named(why.parameters, why.largest),
        "noisiest": _named(why.parameters, why.noisiest),
        "events": [(event, event_words(event, names)) for event in events_of(row.alert)],
        "triages": role_in(request, application.project_id) >= Role.CONTRIBUTOR,
    }


def _figure(alert: Alert, why: Explained) -> Figure | None:
    if alert.comparison is None:
        return None
    versions = (alert.comparison.before.version.label, alert.version.label)
    return change_figure(why.points, why.parameters, versions, alert.metric, shared=why.shared is not None)


def _named(parameters: Sequence[str], point: ComparedPoint | None) -> list[tuple[str, float]]:
    return list(zip(parameters, point.point, strict=True)) if point else []
