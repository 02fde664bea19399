"""E-mail about changes: one mail with everything due to a subscriber."""

import hashlib
from collections.abc import Sequence
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from modeling.models import Alert
from modeling.selectors.gate.wording import times
from perfweb.notices.models import Delivery, Notice, Subscription
from perfweb.notices.services.deliveries import begun, delivered, failed, members_only, to_report

State = Delivery.State

LINES = 20
"""Limit on the changes of a notice that a mail lists; the inbox has all of them."""


def mail_send(subscription: Subscription) -> None:
    """Send everything due to a subscriber, whose row the caller has claimed."""
    due = list(
        subscription.deliveries.filter(state=State.WAITING, due_at__lte=timezone.now())
        .select_related("notice__application__project")
        .order_by("pk")
    )
    if not members_only(Subscription.objects.filter(pk=subscription.pk)).exists():
        delivered(due, State.DROPPED)
        return
    reported = [(delivery, alerts) for delivery in due if (alerts := _alerts(delivery, subscription))]
    delivered([each for each in due if each not in {delivery for delivery, _ in reported}], State.DROPPED)
    if reported:
        _send(subscription, reported)


def _alerts(delivery: Delivery, subscription: Subscription) -> list[Alert]:
    return to_report(delivery.notice, improvements=subscription.improvements)


def _send(subscription: Subscription, reported: Sequence[tuple[Delivery, list[Alert]]]) -> None:
    deliveries = [delivery for delivery, _ in reported]
    begun(deliveries)
    try:
        mail(subscription, reported).send()
    except (SMTPException, OSError) as error:
        failed(deliveries, f"{type(error).__name__}: {error}")
    else:
        delivered(deliveries, State.SENT)


def mail(subscription: Subscription, reported: Sequence[tuple[Delivery, list[Alert]]]) -> EmailMessage:
    """Return one mail of all notices; its id derives from them, so that mail programs recognise a copy."""
    numbers = "-".join(str(delivery.pk) for delivery, _ in reported)
    digest = hashlib.sha256(f"{settings.SECRET_KEY}{numbers}".encode()).hexdigest()[:32]
    parts = [_section(delivery.notice, alerts) for delivery, alerts in reported]
    where = f"{settings.PORTAL_URL}{reverse('notices', args=[subscription.project.slug])}"
    parts.append(f"You get this because you subscribed to {subscription.project.name}: {where}")
    return EmailMessage(
        subject=_subject(reported),
        body="\n\n".join(parts) + "\n",
        to=[subscription.address],
        headers={"Message-ID": f"<{digest}@perfweb>", "Auto-Submitted": "auto-generated"},
    )


def _subject(reported: Sequence[tuple[Delivery, list[Alert]]]) -> str:
    count = sum(len(alerts) for _, alerts in reported)
    names = sorted({delivery.notice.application.name for delivery, _ in reported})
    subject = f"{count} change{'' if count == 1 else 's'} in {', '.join(names)}"
    return " ".join(subject.split())[:150]


def _section(notice: Notice, alerts: Sequence[Alert]) -> str:
    application = notice.application
    version = " ".join(sorted({alert.version.label for alert in alerts}))
    head = f"{application.project.name} / {application.name} {version}"
    if notice.kind == Notice.Kind.FIXED:
        fixed_in = f" in {alerts[0].fixed_in.label}" if alerts[0].fixed_in else ""
        head += f": seems to be fixed{fixed_in}, please verify"
    lines = [head, *(f"  {change_line(alert)}" for alert in alerts[:LINES])]
    if len(alerts) > LINES:
        lines.append(f"  and {len(alerts) - LINES} more")
    lines.append(f"  {inbox_address(notice)}")
    return "\n".join(lines)


def change_line(alert: Alert) -> str:
    """Return a change in one line: "main->halo: time scales worse (403× at the target), on cluster-a"."""
    ratio = f"{times(alert.ratio)} at the target" if alert.ratio else ""
    share = f"{100 * alert.effect:.0f} % of the total" if alert.effect else ""
    size = ", ".join(filter(None, [ratio, share]))
    where = f", on {alert.machine.name}" if alert.machine.is_named else ""
    return f"{alert.kernel.path}: {alert.metric.name} {words(alert)}{size and f' ({size})'}{where}"


def words(alert: Alert) -> str:
    """Return the verdict in words that suit all metrics."""
    known = {
        "law_worse": "scales worse",
        "slower": "is worse",
        "overhead_worse": "has more overhead",
        "law": "follows another law",
        "overhead": "has another overhead",
        "law_better": "scales better",
        "faster": "is better",
        "overhead_better": "has less overhead",
    }
    return known.get(alert.verdict) or f"breaks the expectation “{alert.reason}”"


def inbox_address(notice: Notice) -> str:
    """Return the inbox of the notice's application."""
    application = notice.application
    path = reverse("application-changes", args=[application.project.slug, application.slug])
    return f"{settings.PORTAL_URL}{path}"
