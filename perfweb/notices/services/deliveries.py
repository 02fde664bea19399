"""The rows of deliveries, and their outcomes.

The rows are written in the transaction that raises the alerts, so that none is lost or duplicated. The sender
locks a row, so that two workers never send it at the same time. A worker that dies right after
sending causes a second delivery with the same id.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ingest.work import enqueue
from modeling.models import OPEN_ALERTS, Alert
from perfweb.notices.models import Delivery, Notice, Subscription, Webhook

DIGEST_AT = time(6, 0)
"""Time of daily mails in UTC: before work begins in Europe, where the first users are."""

WAITS = [timedelta(seconds=30 * 4**attempt) for attempt in range(7)]
"""Times between attempts; the last one is 11 hours after the first, so a receiver may be down for a night."""

State = Delivery.State


def notice_create(kind: Notice.Kind, alerts: Sequence[Alert]) -> None:
    """Create deliveries of one application's alerts for the subscribers and webhooks that want them."""
    application = alerts[0].application
    shown = audible(alerts)
    worse = any(not alert.improvement for alert in shown)
    wanted = Q() if worse else Q(improvements=True)
    subscriptions = _subscriptions(application.project_id).filter(wanted) if shown else []
    webhooks = Webhook.objects.filter(wanted, project=application.project_id) if shown else []
    if not (subscriptions or webhooks):
        return
    notice = Notice.objects.create(application=application, kind=kind)
    notice.alerts.set(alerts)
    now = timezone.now()
    Delivery.objects.bulk_create(
        [
            *(Delivery(notice=notice, subscription=row, due_at=_due(row, now)) for row in subscriptions),
            *(Delivery(notice=notice, webhook=row, due_at=now) for row in webhooks),
        ]
    )
    for delivery in Delivery.objects.filter(notice=notice, due_at__lte=now).select_related("subscription"):
        send(delivery)


def send(delivery: Delivery) -> None:
    """Let a worker send a delivery after the commit; one mail contains everything due to a subscriber."""
    if delivery.subscription:
        enqueue("perfweb.notices.tasks.mail_send", delivery.subscription)
    else:
        enqueue("perfweb.notices.tasks.webhook_send", delivery)


def audible(alerts: Iterable[Alert]) -> list[Alert]:
    """Return the alerts that are open and not silenced."""
    return [alert for alert in alerts if alert.state in OPEN_ALERTS and not alert.is_silenced]


def to_report(notice: Notice, *, improvements: bool) -> list[Alert]:
    """Return the alerts that a notice should still report, largest effect first.

    A notice of opened changes leaves out those that are fixed by now, which have a notice of their own. A
    notice of fixed changes leaves out those that were seen again.
    """
    fixed = notice.kind == Notice.Kind.FIXED
    rows = notice.alerts.select_related("kernel", "metric", "version", "machine", "fixed_in")
    still = [alert for alert in audible(rows) if (alert.state == Alert.State.FIXED) == fixed]
    found = [alert for alert in still if improvements or not alert.improvement]
    return sorted(found, key=lambda alert: (-(alert.effect or 0.0), alert.pk))


def delivered(deliveries: Iterable[Delivery], state: Delivery.State) -> None:
    """Record that deliveries were sent, or that they had nothing left to report."""
    pks = [delivery.pk for delivery in deliveries]
    Delivery.objects.filter(pk__in=pks).update(state=state, error="", sent_at=timezone.now())


def begun(deliveries: Iterable[Delivery]) -> None:
    """Record an attempt before it is made, so that an attempt that kills its worker is counted, too."""
    for delivery in deliveries:
        delivery.attempts += 1
        wait = WAITS[min(delivery.attempts, len(WAITS)) - 1]
        Delivery.objects.filter(pk=delivery.pk).update(
            attempts=delivery.attempts, due_at=timezone.now() + wait, error="the attempt was broken off"
        )


def failed(deliveries: Iterable[Delivery], reason: str) -> None:
    """Record why an attempt failed; after the last attempt the delivery is given up."""
    for delivery in deliveries:
        state = State.FAILED if delivery.attempts >= len(WAITS) else State.WAITING
        Delivery.objects.filter(pk=delivery.pk).update(state=state, error=reason[:300])


def _subscriptions(project_id: int) -> QuerySet[Subscription]:
    """Return subscriptions of active members; none if the portal sends no mail."""
    if not settings.EMAIL_HOST:
        return Subscription.objects.none()
    return members_only(Subscription.objects.filter(project=project_id))


def members_only(rows: QuerySet[Subscription]) -> QuerySet[Subscription]:
    """Return subscriptions whose user is active and still a member of the project."""
    return rows.filter(user__is_active=True, user__memberships__project=F("project"))


def _due(subscription: Subscription, now: datetime) -> datetime:
    if subscription.pace == Subscription.Pace.AT_ONCE:
        return now
    today = datetime.combine(now.date(), DIGEST_AT, tzinfo=now.tzinfo)
    return today if today > now else today + timedelta(days=1)
