"""Answers the question: which changes need a decision? Also decides about many at once."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from ingest.fields.ids import id_parse
from modeling.models import Alert
from modeling.selectors.alerts.inbox import PAGE, Wanted, alerts_in, inbox, last_step
from modeling.services.alerts.triage import Triaged, alerts_triage, alerts_undo
from perfweb.accounts.models import Role
from perfweb.accounts.reader import reader
from perfweb.portal.asked.changes import application_of_reader, seen_read, wanted_read
from perfweb.portal.asked.navigation import memberships_of_reader, projects_of_reader
from perfweb.portal.asked.paging import Pages, pages_of
from perfweb.portal.forms.changes import BulkForm
from perfweb.portal.tables.changes import changes_body
from perfweb.portal.text.topics.triage import overtaken_words

STEPS = (
    (Alert.State.ACKNOWLEDGED, "Acknowledge", "a"),
    (Alert.State.FIXING, "Being fixed", "f"),
    (Alert.State.EXPECTED, "Expected", "e"),
    (Alert.State.NOISE, "Noise", "n"),
    (Alert.State.VERIFIED, "Verified", "v"),
)
"""The states that can be set by buttons and keys."""


@login_required
@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """Show the open changes of all the reader's applications."""
    rows = alerts_in(projects_of_reader(request))
    return render(request, "changes/inbox.html", _context(request, rows))


@login_required
@require_safe
def application_changes(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show the open changes of one application."""
    found = application_of_reader(request, project, application)
    context = _context(request, Alert.objects.filter(application=found))
    return render(request, "changes/inbox.html", context | {"application": found})


@login_required
@require_POST
def changes_triage(request: HttpRequest) -> HttpResponse:
    """Set the state, assignee or due date of the chosen changes, or of all that match the filters."""
    rows = _chosen(request)
    form = BulkForm(request.POST)
    if rows is None:
        messages.warning(request, "Choose at least one change first.")
    elif not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
    elif not any(form.cleaned_data.values()):
        messages.warning(request, "Say what to set: a state, an assignee or a day.")
    elif not rows.exists():
        raise Http404("There are no such changes that you may see.")
    else:
        _triage(request, rows, form)
    return redirect(_back(request))


@login_required
@require_POST
def changes_undo(request: HttpRequest) -> HttpResponse:
    """Undo the reader's own last decision, which the page names."""
    try:
        done = alerts_undo(batch=uuid.UUID(request.POST.get("batch", "")), actor=reader(request))
    except (ValueError, ValidationError):
        messages.error(request, "You have no such decision that could be undone.")
    else:
        kept = f" {done.kept} were edited since then, and stay as they are." if done.kept else ""
        messages.success(request, f"Undone for {_counted(done.changed)}.{kept}")
    return redirect(_back(request))


def _context(request: HttpRequest, rows: QuerySet[Alert]) -> dict[str, Any]:
    wanted = wanted_read(request.GET)
    skip = Pages.skip_from(request.GET.get("skip"), PAGE)
    found = inbox(rows, wanted, reader(request), skip)
    roles = {row.project_id: row.role for row in memberships_of_reader(request)}
    last = last_step(reader(request))
    triages = any(roles[group[0].alert.application.project_id] >= Role.CONTRIBUTOR for group in found.groups)
    return {
        "wanted": wanted,
        "inbox": found,
        "filters": _filters(request.GET),
        "groups": [
            (group, count, changes_body(group, triages=triages))
            for group, count in zip(found.groups, found.counts, strict=True)
        ],
        "pages": pages_of(found.count, skip, PAGE),
        "states": [(value, label, found.states[value]) for value, label in Alert.State.choices],
        "steps": STEPS,
        "triages": triages,
        "step": last if triages else None,
        "step_state": Alert.State(last.after["state"]).label if last and last.after.get("state") else "",
    }


def _filters(asked: QueryDict) -> str:
    """Return the filters of the address, as part of another address, except for the version and the order."""
    kept = asked.copy()
    for name in ("version", "sort", "skip"):
        kept.pop(name, None)
    return kept.urlencode()


def _chosen(request: HttpRequest) -> QuerySet[Alert] | None:
    """Return the alerts that a form names; None if it names none."""
    rows = alerts_in(projects_of_reader(request))
    if request.POST.get("every") == "1":
        wanted = wanted_read(QueryDict(request.POST.get("asked", "")[:4000]))
        if application := _numbers([request.POST.get("application", "")]):
            rows = rows.filter(application__in=application)
        return _all_wanted(rows, wanted, request)
    chosen = _numbers(request.POST.getlist("alert"))
    return rows.filter(pk__in=chosen) if chosen else None


def _all_wanted(rows: QuerySet[Alert], wanted: Wanted, request: HttpRequest) -> QuerySet[Alert]:
    narrowed = wanted.narrow(rows, reader(request))
    return narrowed.filter(state__in=wanted.states, improvement=wanted.improvements)


def _numbers(texts: list[str]) -> list[int]:
    return [number for text in texts if (number := id_parse(text)) is not None]


def _triage(request: HttpRequest, rows: QuerySet[Alert], form: BulkForm) -> None:
    who = reader(request)
    try:
        seen = seen_read(request.POST.getlist("seen"))
        done = alerts_triage(alerts=rows, changes=form.changes(who), actor=who, seen=seen)
    except ValidationError as refused:
        messages.error(request, " ".join(refused.messages))
    else:
        _show_outcome(request, form, done)


def _show_outcome(request: HttpRequest, form: BulkForm, done: Triaged) -> None:
    state = form.cleaned_data["state"]
    what = f"{_counted(done.changed)} set to “{Alert.State(state).label}”." if state else ""
    if done.changed or not done.overtaken:
        messages.success(request, what or f"{_counted(done.changed)} changed.")
    if done.overtaken:
        messages.warning(request, overtaken_words(done.overtaken))


def _counted(count: int) -> str:
    return f"{count:,} change{'' if count == 1 else 's'}"


def _back(request: HttpRequest) -> str:
    """Return the address of the page with the form, only on this host."""
    back = request.POST.get("back", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if safe and back.startswith("/") else reverse("changes")
