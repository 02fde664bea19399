"""People's decisions about alerts, which can be undone: state, assignee, due date, note, issue."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from modeling.models import Alert, AlertEvent
from modeling.services.alerts.raising import alerts_lock
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, Membership, Project, Role, User
from perfweb.accounts.permissions import role_require

FIELDS = ("state", "assignee", "due", "note", "issue_url")
"""Fields that triage may change."""

ROWS_CREATED = 1000
"""Limit on the rows of one INSERT statement."""

MOST_AT_ONCE = 10_000
"""Limit on the alerts of one decision, which then takes about a second."""


@dataclass(frozen=True)
class Triaged:
    """The result of a decision about alerts: its `batch` for undoing, `changed` and `kept` alerts.

    `overtaken` are decisions of others that the actor had not seen; their alerts were kept.
    """

    batch: uuid.UUID
    changed: int
    kept: int = 0
    overtaken: tuple[AlertEvent, ...] = ()


@transaction.atomic
def alerts_triage(
    *,
    alerts: QuerySet[Alert],
    changes: Mapping[str, Any],
    actor: User,
    token: ApiToken | None = None,
    seen: Mapping[int, int] | None = None,
) -> Triaged:
    """Set fields of all alerts or, in case of an error, of none.

    Args:
        changes: new values by name of the field.
        seen: the latest event that the actor knew, by alert. An alert stays unchanged if somebody else, or
            the portal, has set one of these fields since then.

    Raises:
        ValidationError: the invalid values, by field.
    """
    batch = uuid.uuid4()
    rows = list(_locked([alert.pk for alert in alerts.only("pk")[:MOST_AT_ONCE]]))
    projects = {alert.application.project for alert in rows}
    for project in projects:
        role_require(actor, project, Role.CONTRIBUTOR)
    _check(changes, projects)
    overtaken = _overtaken(rows, changes, actor, seen or {})
    free = [alert for alert in rows if alert.pk not in overtaken]
    events = [event for alert in free if (event := _set(alert, changes, batch, actor, token))]
    _store(events)
    AlertEvent.objects.bulk_create(events, batch_size=ROWS_CREATED)
    _audit("alert.triage", events, actor, token, changes)
    return Triaged(batch, len(events), len(rows) - len(events), tuple(overtaken.values()))


@transaction.atomic
def alerts_undo(*, batch: uuid.UUID, actor: User) -> Triaged:
    """Undo one of the actor's own decisions, except for fields that were changed later.

    A second call changes nothing.

    Raises:
        ValidationError: the actor made no such decision.
    """
    own = AlertEvent.objects.filter(batch=batch, user=actor, action=AlertEvent.Action.TRIAGED)
    events = {event.alert_id: event for event in own.filter(undone=False)}
    if not events and not own.exists():
        raise ValidationError("There is no such decision of yours to undo.")
    alerts = list(_locked(events))
    projects = {alert.application.project for alert in alerts}
    for project in projects:
        role_require(actor, project, Role.CONTRIBUTOR)
    undone, members = uuid.uuid4(), User.objects.filter(memberships__project__in=projects).in_bulk()
    tried = [_restore(alert, events[alert.pk], undone, actor, members) for alert in alerts]
    made = [event for event in tried if event]
    _store(made)
    AlertEvent.objects.bulk_create(made, batch_size=ROWS_CREATED)
    own.update(undone=True)
    _audit("alert.undo", made, actor, None, {})
    return Triaged(undone, len(made), len(alerts) - len(made))


def _locked(pks: Collection[int]) -> QuerySet[Alert]:
    """Return the alerts, locked until the transaction ends."""
    rows = Alert.objects.filter(pk__in=pks)
    alerts_lock(*rows.order_by().values_list("application_id", flat=True).distinct())
    return rows.select_related("application__project").order_by("pk")


def _overtaken(
    rows: list[Alert], changes: Mapping[str, Any], actor: User, seen: Mapping[int, int]
) -> dict[int, AlertEvent]:
    """Return the latest event of others that set a field in `changes` after the actor had seen the alert."""
    known = [alert.pk for alert in rows if alert.pk in seen]
    if not known:
        return {}
    alerts = {alert.pk: alert for alert in rows}
    later = AlertEvent.objects.filter(alert__in=known, pk__gt=min(seen[pk] for pk in known))
    others = later.exclude(user=actor).order_by("pk").select_related("user")
    return {
        event.alert_id: event
        for event in others
        if event.pk > seen[event.alert_id] and _contradicts(event, alerts[event.alert_id], changes)
    }


def _contradicts(event: AlertEvent, alert: Alert, changes: Mapping[str, Any]) -> bool:
    """Return whether the event set a field that `changes` would set to another value."""
    wanted = {name: _as_kept(name, value) for name, value in changes.items()}
    return any(name in event.after and _written(alert, name) != value for name, value in wanted.items())


def _check(changes: Mapping[str, Any], projects: set[Project]) -> None:
    errors = {}
    for name in set(changes) - set(FIELDS):
        errors[name] = "This cannot be triaged."
    if "state" in changes and changes["state"] not in Alert.State.values:
        errors["state"] = f"Expected one of {', '.join(Alert.State.values)}."
    if len(changes.get("note", "")) > 2000:
        errors["note"] = "A note has at most 2,000 characters."
    if (link := changes.get("issue_url", "")) and not _is_address(link):
        errors["issue_url"] = (
            "Expected an address that starts with https:// or http://, of 500 characters at most."
        )
    assignee = changes.get("assignee")
    if assignee and Membership.objects.filter(user=assignee, project__in=projects).count() < len(projects):
        errors["assignee"] = f"{assignee.username} is not a member of the change's project."
    if errors:
        raise ValidationError(errors)


def _is_address(link: str) -> bool:
    try:
        URLValidator(schemes=["http", "https"])(link)
    except ValidationError:
        return False
    return len(link) <= 500


def _set(
    alert: Alert, changes: Mapping[str, Any], batch: uuid.UUID, actor: User, token: ApiToken | None
) -> AlertEvent | None:
    """Change an alert in memory. Return the event that records the change, or None if nothing changed."""
    before = {name: _written(alert, name) for name in changes}
    for name, value in changes.items():
        setattr(alert, name, value)
    after = {name: _written(alert, name) for name in changes}
    moved = [name for name in changes if before[name] != after[name]]
    if not moved:
        return None
    mark = {"state_before": alert.state_before} if "state" in moved else {}
    _touch(alert, moved)
    return AlertEvent(
        alert=alert, batch=batch, action=AlertEvent.Action.TRIAGED, user=actor, token=token,
        before={name: before[name] for name in moved} | mark, after={name: after[name] for name in moved},
    )  # fmt: skip


def _restore(
    alert: Alert, event: AlertEvent, batch: uuid.UUID, actor: User, members: Mapping[int, User]
) -> AlertEvent | None:
    """Undo an event's changes in memory, except for later ones. Return the new event, if any."""
    back = {name: event.before[name] for name in event.after if _written(alert, name) == event.after[name]}
    if not back:
        return None
    before = {name: _written(alert, name) for name in back}
    for name, value in back.items():
        setattr(alert, name, _read(name, value, members))
    _touch(alert, list(back), event.before.get("state_before", ""))
    return AlertEvent(
        alert=alert, batch=batch, action=AlertEvent.Action.UNDONE, user=actor, before=before, after=back
    )


def _touch(alert: Alert, names: list[str], state_before: str = "") -> None:
    """Note when the state was set, and to which state the portal may revert it: to none after a decision.

    An undo may restore a state that the portal had set, and then passes that state's own `state_before`.
    """
    if "state" in names:
        alert.changed_at = timezone.now()
        alert.state_before = state_before


def _written(alert: Alert, name: str) -> str | int | None:
    """Return the value of an alert's field in the form that events store."""
    return alert.assignee_id if name == "assignee" else _as_kept(name, getattr(alert, name))


def _as_kept(name: str, value: Any) -> str | int | None:
    """Return a value in the form that events store."""
    if name == "assignee":
        return value.pk if value else None
    if name == "due":
        return value.isoformat() if value else None
    return str(value)


def _read(name: str, value: Any, members: Mapping[int, User]) -> Any:
    """Return a value from the form that events store. A user who left the project is not assigned again."""
    if name == "assignee":
        return members.get(value)
    if name == "due":
        return date.fromisoformat(value) if value else None
    return value


def _store(events: list[AlertEvent]) -> None:
    """Store the changed alerts of these events, with one statement for each set of new values."""
    groups: dict[tuple[tuple[tuple[str, Any], ...], str], list[Alert]] = {}
    for event in events:
        after = tuple(sorted(event.after.items()))
        groups.setdefault((after, event.alert.state_before), []).append(event.alert)
    for (after, state_before), alerts in groups.items():
        values = {name: getattr(alerts[0], name) for name, _ in after}
        if "state" in values:
            values |= {"state_before": state_before, "changed_at": alerts[0].changed_at}
        Alert.objects.filter(pk__in=[alert.pk for alert in alerts]).update(**values)


def _audit(
    action: str, events: list[AlertEvent], actor: User, token: ApiToken | None, changes: Mapping[str, Any]
) -> None:
    by_project: dict[Project, list[AlertEvent]] = {}
    for event in events:
        by_project.setdefault(event.alert.application.project, []).append(event)
    details = {name: None if value is None else str(value)[:200] for name, value in changes.items()}
    for project, own in by_project.items():
        subject = f"{len(own)} change{'s' if len(own) > 1 else ''}"
        audit_record(project=project, action=action, subject=subject, user=actor, token=token, **details)
