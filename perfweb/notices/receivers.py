"""Receivers of the signals of `modeling`, which does not know that notifications exist."""

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from modeling.models import Alert
from modeling.signals import alerts_fixed, alerts_opened
from perfweb.notices.models import Notice
from perfweb.notices.services.deliveries import notice_create


@receiver(alerts_opened)
def tell_opened(alerts: Sequence[Alert], **_: Any) -> None:
    """Create notices of new alerts, in the transaction that raises them."""
    notice_create(Notice.Kind.OPENED, alerts)


@receiver(alerts_fixed)
def tell_fixed(alerts: Sequence[Alert], **_: Any) -> None:
    """Create notices of fixed alerts, in the transaction that marks them."""
    notice_create(Notice.Kind.FIXED, alerts)
