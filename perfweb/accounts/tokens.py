"""API tokens: `pfw_<prefix>_<secret>`, shown once, stored as SHA-256, bound to one project.

A token acts for its user with at most the user's current role. It cannot create another token, because that
requires a session or a shell.
"""

import hashlib
import re
import secrets
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, Project, Role, Scope, User
from perfweb.accounts.permissions import role_require
from perfweb.accounts.selectors import role_of

SECRET_BYTES = 20
"""Bytes of the secret. Nobody can guess 160 random bits, so a hash without salt or stretching suffices."""

USE_NOTED_EVERY = timedelta(minutes=1)

ROLE_FOR_SCOPE = {Scope.UPLOAD: Role.CONTRIBUTOR, Scope.READ: Role.VIEWER, Scope.TRIAGE: Role.CONTRIBUTOR}

_SHAPE = re.compile(r"(pfw_[0-9a-f]{8})_[0-9a-f]{40}")


class TokenError(Exception):
    """Raised for a token that gives no access; the text is for its owner."""


def scopes_for(role: Role) -> list[Scope]:
    """Return the scopes that a member with this role may give a token."""
    return [scope for scope in Scope if ROLE_FOR_SCOPE[scope] <= role]


@transaction.atomic
def token_create(
    *,
    project: Project,
    user: User,
    name: str,
    scopes: list[Scope],
    expires: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a token; return its row and the token itself, which cannot be read again later.

    Raises:
        ValidationError: an invalid field.
        RoleRequired: the user's role does not permit a scope.
        Http404: the user is no member of the project.
    """
    _token_check(name, scopes, expires)
    role_require(user, project, max(ROLE_FOR_SCOPE[scope] for scope in scopes))
    prefix = f"pfw_{secrets.token_hex(4)}"
    plaintext = f"{prefix}_{secrets.token_hex(SECRET_BYTES)}"
    token = ApiToken.objects.create(
        project=project,
        user=user,
        name=name.strip(),
        prefix=prefix,
        digest=secret_digest(plaintext),
        scopes=sorted(set(scopes)),
        expires_at=expires,
    )
    audit_record(
        project=project,
        user=user,
        action="token.create",
        subject=token,
        scopes=[str(s) for s in token.scopes],
    )
    return token, plaintext


@transaction.atomic
def token_revoke(*, token: ApiToken, actor: User) -> None:
    """Revoke a token at once and permanently. Members revoke their own tokens, maintainers any token. A
    second call changes nothing.

    Raises:
        RoleRequired: it is another user's token, and the actor is no maintainer.
        Http404: the actor is no member of the project.
    """
    role_require(actor, token.project, Role.VIEWER if token.user == actor else Role.MAINTAINER)
    ended = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    if ended:
        audit_record(project=token.project, user=actor, action="token.revoke", subject=token)


def token_authenticate(plaintext: str) -> ApiToken:
    """Return the row of a valid token, with user and project, and record its use.

    Raises:
        TokenError: the token is unknown, revoked or expired, or its user is no longer a member.
    """
    token = _token_find(plaintext)
    if token is None:
        raise TokenError("The token is not known here. Tokens look like pfw_1a2b3c4d_…, 53 characters.")
    now = timezone.now()
    if token.revoked_at is not None:
        raise TokenError("The token has been revoked.")
    if token.expires_at is not None and token.expires_at <= now:
        raise TokenError(f"The token expired on {token.expires_at:%Y-%m-%d at %H:%M} UTC.")
    if not token.user.is_active or role_of(token.user, token.project) is None:
        raise TokenError(f"The token's user is no longer a member of {token.project.name}.")
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def _token_check(name: str, scopes: list[Scope], expires: datetime | None) -> None:
    errors = {}
    if not name.strip() or len(name.strip()) > 80:
        errors["name"] = "Give the token a name of 1 to 80 characters that says where it is used."
    if not scopes:
        errors["scopes"] = "Choose at least one thing the token may do."
    if expires is not None and expires <= timezone.now():
        errors["expires"] = "Choose a time in the future, or none."
    if errors:
        raise ValidationError(errors)


def _token_find(plaintext: str) -> ApiToken | None:
    """Return the row with the token's prefix, after comparing digests in constant time."""
    shape = _SHAPE.fullmatch(plaintext)
    if shape is None:
        return None
    digest = secret_digest(plaintext)
    rows = ApiToken.objects.filter(prefix=shape[1]).select_related("user", "project")
    return next((row for row in rows if secrets.compare_digest(row.digest, digest)), None)


def secret_digest(plaintext: str) -> str:
    """Return the SHA-256 of a secret of many random bits, which needs no salt."""
    return hashlib.sha256(plaintext.encode()).hexdigest()
