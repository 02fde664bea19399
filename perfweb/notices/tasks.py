"""Celery tasks for notices; every message holds one id, and may come twice, late or never."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from ingest.work import claimed, claims
from perfweb.notices.models import Delivery, Subscription
from perfweb.notices.services import deliveries, mails, webhooks

PATIENCE = timedelta(seconds=10)
"""Time after which a delivery's message counts as lost."""

DELIVERIES_PER_SWEEP = 500
"""Limit on the deliveries that one sweep sends. The next sweep, five seconds later, sends further ones."""


@shared_task(ignore_result=True, soft_time_limit=45, time_limit=60)
def mail_send(subscription_id: int) -> None:
    """Send everything due to a subscriber."""
    with claimed(Subscription.objects.select_related("project", "user"), subscription_id) as subscription:
        if subscription:
            mails.mail_send(subscription)


@shared_task(ignore_result=True, soft_time_limit=20, time_limit=30)
def webhook_send(delivery_id: int) -> None:
    """Send a webhook's delivery."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    rows = waiting.select_related("notice__application__project", "webhook")
    with claimed(rows, delivery_id) as delivery:
        if delivery:
            webhooks.webhook_send(delivery)


@shared_task(ignore_result=True)
def notices_sweep() -> None:
    """Send everything that is due, including deliveries whose message or worker was lost."""
    now = timezone.now()
    due = Delivery.objects.filter(
        state=Delivery.State.WAITING, due_at__lte=now, queued_at__lt=now - PATIENCE
    ).exclude(pk__in=claims(Delivery))
    found = list(due.select_related("subscription").order_by("due_at")[:DELIVERIES_PER_SWEEP])
    Delivery.objects.filter(pk__in=[delivery.pk for delivery in found]).update(queued_at=now)
    firsts = {delivery.subscription_id or -delivery.pk: delivery for delivery in found}
    for delivery in firsts.values():
        deliveries.send(delivery)
