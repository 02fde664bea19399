"""Raise alerts, and mark them as fixed. People's decisions are kept."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from ingest.bulk.write import copy_rows
from ingest.models import Application, Campaign, Machine, Version
from modeling.models import OPEN_ALERTS, Alert, AlertEvent, ModelRun, Silence
from modeling.signals import alerts_fixed, alerts_opened
from perfweb.accounts.models import User

WATCHED = [state for state in OPEN_ALERTS if state != Alert.State.FIXED]
"""States of alerts that wait to be fixed."""

ROWS_UPDATED = 100
"""Limit on the rows of one UPDATE statement, because its time grows with the square of their number."""

Pair = tuple[int, int]
"""Ids of a metric and a kernel."""


@dataclass(frozen=True)
class Finding:
    """A kernel that became worse or better in one metric, with fields of `Alert`."""

    metric_id: int
    kernel_id: int
    verdict: str
    probability: float
    improvement: bool = False
    reason: str = ""
    law_probability: float | None = None
    overhead_probability: float | None = None
    ratio: float | None = None
    ratio_lower: float | None = None
    ratio_upper: float | None = None
    difference: float | None = None
    effect: float | None = None
    comparison_id: int | None = None

    @property
    def pair(self) -> Pair:
        """Return the ids of the metric and the kernel."""
        return self.metric_id, self.kernel_id


NUMBERS = [field.name for field in fields(Finding) if field.name not in ("metric_id", "kernel_id")]


@transaction.atomic
def alerts_raise(
    *,
    version: Version,
    machine: Machine,
    cause: Alert.Cause,
    findings: Iterable[Finding],
    judged: Collection[Pair] | None = None,
) -> list[Alert]:
    """Make the alerts of a version with this cause agree with the findings, and return the new alerts.

    An open alert that is not among the findings is marked as fixed. If several versions in a row break an
    expectation, only the first of them has an alert. A second call changes nothing.

    Args:
        judged: the pairs with a clear result. Alerts of other pairs are left as they are. None means all
            pairs.
    """
    alerts_lock(version.application_id)
    found = {finding.pair: finding for finding in findings}
    known = {
        (alert.metric_id, alert.kernel_id): alert
        for alert in Alert.objects.filter(version=version, machine=machine, cause=cause)
    }
    lasting = _lasting(version, machine) if cause == Alert.Cause.EXPECTATION else {}
    new = [found[pair] for pair in found if pair not in known and pair not in lasting]
    _renew([(known[pair], found[pair]) for pair in found if pair in known])
    gone = [alert for pair, alert in known.items() if _gone(pair, found, judged)]
    alerts_settle(gone, AlertEvent.Action.GONE)
    alerts_return(lasting[pair] for pair in found if pair in lasting)
    held = [alert for pair, alert in lasting.items() if _gone(pair, found, judged)]
    alerts_settle(held, AlertEvent.Action.FIXED, fixed_in=version)
    return _open(version, machine, cause, new, known.values())


def alerts_settle(
    alerts: Iterable[Alert], action: AlertEvent.Action, fixed_in: Version | None = None
) -> list[Alert]:
    """Mark the alerts in `WATCHED` states as fixed, and return them. The caller has locked them."""
    settled = [alert for alert in alerts if alert.state in WATCHED]
    for alert in settled:
        alert.state_before, alert.state, alert.fixed_in = alert.state, Alert.State.FIXED, fixed_in
    _store_states(settled, action, f"in {fixed_in.label}" if fixed_in else "")
    waiting = [alert for alert in settled if not alert.improvement]
    if waiting:
        alerts_fixed.send(Alert, alerts=waiting)
    return settled


def alerts_close(alerts: Iterable[Alert], user: User) -> None:
    """Close the open alerts, because their expectation was removed. The caller has locked the alerts."""
    closed = [alert for alert in alerts if alert.state in OPEN_ALERTS]
    for alert in closed:
        alert.state_before, alert.state = alert.state_before or alert.state, Alert.State.EXPECTED
    _store_states(closed, AlertEvent.Action.CLOSED, "", user)


def alerts_return(alerts: Iterable[Alert]) -> None:
    """Set alerts that the portal marked as fixed or closed back to their previous state."""
    closed = (Alert.State.FIXED, Alert.State.EXPECTED)
    returned = [alert for alert in alerts if alert.state in closed and alert.state_before]
    for alert in returned:
        alert.state, alert.state_before, alert.fixed_in = alert.state_before, "", None
    _store_states(returned, AlertEvent.Action.RETURNED, "")


def alerts_withdraw(application: Application, machine: Machine, versions: Collection[int]) -> None:
    """Delete the alerts of versions whose campaigns were deleted, and open those again that they had fixed.

    The comparisons that follow raise and fix the alerts of changes anew; for broken expectations, the other
    versions are judged again.
    """
    alerts_lock(application.pk)
    measured = Campaign.objects.filter(machine=machine, version__in=versions).values_list(
        "version", flat=True
    )
    gone = set(versions) - set(measured)
    rows = Alert.objects.filter(application=application, machine=machine)
    own, fixed = rows.filter(version__in=gone), rows.filter(fixed_in__in=gone)
    if (own | fixed).filter(cause=Alert.Cause.EXPECTATION).exists():
        runs = ModelRun.objects.filter(campaign__machine=machine, campaign__version__application=application)
        runs.update(expected_at=None)
    alerts_return(fixed)
    own.delete()


def alerts_lock(*applications: int) -> None:
    """Lock the alerts and silences of these applications until the transaction ends.

    The applications' own rows are not locked, because storing a campaign locks them for seconds. A
    transaction that needs both locks first locks the application's row.
    """
    with connection.cursor() as cursor:
        for pk in sorted(applications):
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s), %s)", [Alert._meta.db_table, pk])


def silences_apply(application: Application, alerts: Sequence[Alert]) -> None:
    """Store until when each alert is silenced. The caller has locked the alerts and loaded their kernels."""
    silences = list(Silence.objects.filter(application=application, until__gt=timezone.now()))
    moved = []
    for alert in alerts:
        until = max((silence.until for silence in silences if silence.matches(alert)), default=None)
        if until != alert.silenced_until:
            alert.silenced_until = until
            moved.append(alert)
    Alert.objects.bulk_update(moved, ["silenced_until"], batch_size=ROWS_UPDATED)


def _gone(pair: Pair, found: Collection[Pair], judged: Collection[Pair] | None) -> bool:
    return pair not in found and (judged is None or pair in judged)


def _lasting(version: Version, machine: Machine) -> dict[Pair, Alert]:
    """Return the alerts of earlier versions about expectations that have not held since.

    Alerts that were marked as fixed in `version` itself are included.
    """
    rows = Alert.objects.filter(
        application=version.application_id,
        machine=machine,
        cause=Alert.Cause.EXPECTATION,
        version__position__lt=version.position,
    )
    held = Q(state__in=[Alert.State.FIXED, Alert.State.VERIFIED]) & ~Q(fixed_in=version)
    rows = rows.exclude(held)
    return {(alert.metric_id, alert.kernel_id): alert for alert in rows.order_by("version__position")}


def _renew(pairs: Sequence[tuple[Alert, Finding]]) -> None:
    """Update the numbers of alerts, and open alerts again that no version fixed."""
    moved = []
    for alert, finding in pairs:
        numbers = {name: getattr(finding, name) for name in NUMBERS}
        if any(getattr(alert, name) != value for name, value in numbers.items()):
            for name, value in numbers.items():
                setattr(alert, name, value)
            moved.append(alert)
    Alert.objects.bulk_update(moved, NUMBERS, batch_size=ROWS_UPDATED)
    alerts_return(alert for alert, _ in pairs if alert.fixed_in_id is None)


def _open(
    version: Version,
    machine: Machine,
    cause: Alert.Cause,
    findings: Sequence[Finding],
    known: Iterable[Alert],
) -> list[Alert]:
    """Store an alert for each finding, and return the alerts. `known` are the version's existing alerts."""
    if not findings:
        return []
    same = {
        "application": version.application_id, "version": version.pk, "machine": machine.pk, "cause": cause,
        "state": Alert.State.NEW, "note": "", "issue_url": "", "state_before": "",
    }  # fmt: skip
    numbers = [vars(finding) for finding in findings]
    names = [field.removesuffix("_id") for field in numbers[0]]
    copy_rows(Alert, [*same, *names], ([*same.values(), *each.values()] for each in numbers))
    rows = Alert.objects.filter(version=version, machine=machine, cause=cause).select_related("kernel")
    opened = list(rows.exclude(pk__in=[alert.pk for alert in known]).order_by("pk"))
    _record(opened, AlertEvent.Action.RAISED, "")
    silences_apply(version.application, opened)
    alerts_opened.send(Alert, alerts=opened)
    return opened


def _store_states(
    alerts: Sequence[Alert], action: AlertEvent.Action, detail: str, user: User | None = None
) -> None:
    now = timezone.now()
    for alert in alerts:
        alert.changed_at = now
    Alert.objects.bulk_update(
        alerts, ["state", "state_before", "fixed_in", "changed_at"], batch_size=ROWS_UPDATED
    )
    _record(alerts, action, detail, user)


def _record(
    alerts: Iterable[Alert], action: AlertEvent.Action, detail: str, user: User | None = None
) -> None:
    fields = ["alert", "batch", "action", "before", "after", "detail", "user", "undone"]
    by = user.pk if user else None
    rows: Iterator[tuple[object, ...]] = (
        (alert.pk, uuid4(), action, {}, {"state": alert.state}, detail, by, False) for alert in alerts
    )
    copy_rows(AlertEvent, fields, rows)
