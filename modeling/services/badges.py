"""Public badges: a maintainer gives an application an address that shows its gate to all, and ends it."""

import secrets

from django.db import transaction

from ingest.models import Application
from modeling.models import Badge
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

SECRET_BYTES = 32
"""256 random bits: nobody finds an address by trying."""


@transaction.atomic
def badge_publish(*, application: Application, user: User) -> Badge:
    """Give the badge a public address; an earlier one shows nothing from now on."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    badge, _ = Badge.objects.update_or_create(
        application=application, defaults={"secret": secret, "user": user}
    )
    audit_record(project=application.project, action="badge.publish", subject=application.slug, user=user)
    return badge


@transaction.atomic
def badge_end(*, application: Application, user: User) -> None:
    """End the public address; nothing happens where there is none."""
    ended, _ = Badge.objects.filter(application=application).delete()
    if ended:
        audit_record(project=application.project, action="badge.end", subject=application.slug, user=user)
