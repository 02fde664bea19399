"""Publish and remove badges, which show an application's gate to everybody with the address."""

import secrets

from django.db import transaction

from ingest.models import Application
from modeling.models import Badge
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

SECRET_BYTES = 32
"""The number of bytes of the secret in the address."""


@transaction.atomic
def badge_publish(*, application: Application, user: User) -> Badge:
    """Give the application a badge with a new address. An earlier address no longer works."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    badge, _ = Badge.objects.update_or_create(
        application=application, defaults={"secret": secret, "user": user}
    )
    audit_record(project=application.project, action="badge.publish", subject=application.slug, user=user)
    return badge


@transaction.atomic
def badge_end(*, application: Application, user: User) -> None:
    """Remove the application's badge, if there is one."""
    ended, _ = Badge.objects.filter(application=application).delete()
    if ended:
        audit_record(project=application.project, action="badge.end", subject=application.slug, user=user)
