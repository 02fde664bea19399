"""Create, open and revoke links that show one report to people without an account."""

import secrets
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from modeling.models import LONGEST_SHARE, Report, ShareLink
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User
from perfweb.accounts.tokens import SECRET_BYTES, secret_digest

LONGEST_NAME = 80


@transaction.atomic
def share_create(*, report: Report, name: str, lasts: timedelta, user: User) -> tuple[ShareLink, str]:
    """Create a link, and return its row and its token. The token is not stored.

    Raises:
        ValidationError: the name is missing, or the link would last too long.
    """
    _check(name, lasts)
    token = secrets.token_urlsafe(SECRET_BYTES)
    link = ShareLink.objects.create(
        report=report,
        name=name.strip(),
        digest=secret_digest(token),
        made_by=user,
        expires_at=timezone.now() + lasts,
    )
    _record("report.share", link, user, expires=link.expires_at.isoformat())
    return link, token


@transaction.atomic
def share_revoke(*, link: ShareLink, user: User) -> None:
    """End a link at once and permanently. A second call changes nothing."""
    ended = ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now())
    if ended:
        _record("report.unshare", link, user)


def share_open(token: str) -> Report | None:
    """Return the report that a token opens, and count the view; None for an invalid token.

    All invalid tokens take the same steps, so that the duration does not tell them apart.
    """
    now = timezone.now()
    valid = ShareLink.objects.filter(digest=secret_digest(token), revoked_at=None, expires_at__gt=now)
    if not valid.update(views=F("views") + 1, viewed_at=now):
        return None
    return Report.objects.filter(links__digest=secret_digest(token)).first()


def _check(name: str, lasts: timedelta) -> None:
    errors = {}
    if not name.strip() or len(name.strip()) > LONGEST_NAME:
        errors["name"] = f"Say in 1 to {LONGEST_NAME} letters who the link is for."
    if not timedelta(0) < lasts <= LONGEST_SHARE:
        errors["lasts"] = f"A link lasts at most {LONGEST_SHARE.days} days."
    if errors:
        raise ValidationError(errors)


def _record(action: str, link: ShareLink, user: User, expires: str | None = None) -> None:
    application = link.report.application
    audit_record(
        project=application.project, action=action, subject=f"{application.slug}: {link.report}", user=user,
        report=link.report_id, link=link.pk, name=link.name, expires=expires,
    )  # fmt: skip
