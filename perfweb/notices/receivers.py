"""Listens to `modeling`, which does not know that anybody is told."""

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from modeling.models import Alert
from modeling.signals import alerts_fixed, alerts_opened
from perfweb.notices.models import Notice
from perfweb.notices.services.deliveries import notice_create


@receiver(alerts_opened)
def tell_opened(alerts: Sequence[Alert], **_: Any) -> None:
    """Tell of new alerts, in the transaction that raises them."""
    notice_create(Notice.Kind.OPENED, alerts)


@receiver(alerts_fixed)
def tell_fixed(alerts: Sequence[Alert], **_: Any) -> None:
    """Tell of alerts that were seen to be fixed, likewise."""
    notice_create(Notice.Kind.FIXED, alerts)
