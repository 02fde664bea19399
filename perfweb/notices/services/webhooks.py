"""Webhooks: signed POST requests about changes."""

import hashlib
import hmac
import json
import secrets
from http.client import HTTPException
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from modeling.models import Alert
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import Project, Role, User
from perfweb.accounts.permissions import role_require
from perfweb.notices.addresses import RefusedError, post
from perfweb.notices.models import Delivery, Notice, Webhook
from perfweb.notices.services.deliveries import begun, delivered, failed, to_report
from perfweb.notices.services.mails import inbox_address

State = Delivery.State

MOST = 10
"""Limit on the webhooks of a project: each costs a request for every version."""

ALERTS = 200
"""Limit on the changes in a request; `count` has their number, and the REST interface all of them."""


@transaction.atomic
def webhook_create(*, project: Project, url: str, improvements: bool, actor: User) -> Webhook:
    """Create a webhook with a secret of its own. Its address is checked whenever something is sent.

    Raises:
        ValidationError: the project has too many webhooks.
        RoleRequired: the actor is no maintainer.
        Http404: the actor is no member of the project.
    """
    role_require(actor, project, Role.MAINTAINER)
    Project.objects.select_for_update().get(pk=project.pk)
    if project.webhooks.count() >= MOST:
        raise ValidationError(f"A project has at most {MOST} webhooks.")
    made = Webhook.objects.create(
        project=project, url=url, improvements=improvements, user=actor, secret=secrets.token_hex(32)
    )
    audit_record(project=project, user=actor, action="webhook.create", subject=url)
    return made


@transaction.atomic
def webhook_remove(*, webhook: Webhook, actor: User) -> None:
    """Delete a webhook with its waiting deliveries.

    Raises:
        RoleRequired: the actor is no maintainer.
        Http404: the actor is no member of the project.
    """
    role_require(actor, webhook.project, Role.MAINTAINER)
    audit_record(project=webhook.project, user=actor, action="webhook.remove", subject=webhook.url)
    webhook.delete()


def webhook_send(delivery: Delivery) -> None:
    """Send a delivery whose row the caller has claimed. A redirect is treated as a failure."""
    webhook = delivery.webhook
    if webhook is None or delivery.due_at > timezone.now():
        return
    alerts = to_report(delivery.notice, improvements=webhook.improvements)
    if not alerts:
        delivered([delivery], State.DROPPED)
        return
    begun([delivery])
    try:
        status = _post(webhook, delivery, alerts)
    except RefusedError as refused:
        failed([delivery], str(refused))
    except (OSError, HTTPException, ValueError, SoftTimeLimitExceeded) as error:
        failed([delivery], f"{type(error).__name__}: {error}")
    else:
        if 200 <= status < 300:
            delivered([delivery], State.SENT)
        else:
            failed([delivery], f"The answer was {status}, expected 200 to 299.")


def signature(secret: str, moment: str, body: bytes) -> str:
    """Return the HMAC-SHA256 of time, full stop and body; the time keeps old requests from being replayed."""
    return hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()


def _post(webhook: Webhook, delivery: Delivery, alerts: list[Alert]) -> int:
    body = json.dumps(document(delivery.notice, alerts), ensure_ascii=False).encode()
    moment = str(int(timezone.now().timestamp()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "perfweb",
        "X-Perfweb-Event": f"changes.{delivery.notice.kind}",
        "X-Perfweb-Delivery": str(delivery.pk),
        "X-Perfweb-Timestamp": moment,
        "X-Perfweb-Signature": f"sha256={signature(webhook.secret, moment, body)}",
    }
    return post(webhook.url, body, headers)


def document(notice: Notice, alerts: list[Alert]) -> dict[str, Any]:
    """Return the body of a webhook's request."""
    application = notice.application
    return {
        "event": f"changes.{notice.kind}",
        "project": application.project.slug,
        "application": application.slug,
        "inbox": inbox_address(notice),
        "count": len(alerts),
        "changes": [_entry(notice, alert) for alert in alerts[:ALERTS]],
    }


def _entry(notice: Notice, alert: Alert) -> dict[str, Any]:
    application = notice.application
    path = reverse("change", args=[application.project.slug, application.slug, alert.pk])
    numbers = ("probability", "ratio", "ratio_lower", "ratio_upper", "difference", "effect")
    return {
        "id": alert.pk,
        "address": f"{settings.PORTAL_URL}{path}",
        "kernel": alert.kernel.path,
        "metric": alert.metric.name,
        "version": alert.version.label,
        "machine": alert.machine.name,
        "cause": alert.cause,
        "verdict": alert.verdict,
        "improvement": alert.improvement,
        "state": alert.state,
        "fixed_in": alert.fixed_in.label if alert.fixed_in else None,
        "reason": alert.reason,
        **{name: getattr(alert, name) for name in numbers},
    }
