"""Invitations to a project by a link, which works once, expires, and can be revoked.

The first person who follows the link becomes a member. The link also stops working if the member who made it
may no longer give the role.
"""

import secrets
from datetime import timedelta

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import LONGEST_INVITATION, Invitation, Membership, Project, Role, User
from perfweb.accounts.permissions import role_require
from perfweb.accounts.selectors import role_of
from perfweb.accounts.services import membership_set, user_create
from perfweb.accounts.tokens import SECRET_BYTES, secret_digest

LONGEST_NAME = 80


class InvitationOverError(Exception):
    """Raised for a token that invites nobody."""


@transaction.atomic
def invitation_create(
    *, project: Project, name: str, role: Role, lasts: timedelta, user: User
) -> tuple[Invitation, str]:
    """Create an invitation; return its row and its token, which cannot be read again later.

    Raises:
        ValidationError: the name is missing, or the link would last too long.
        RoleRequired: the user may not give this role.
        Http404: the user is no member of the project.
    """
    role_require(user, project, max(role, Role.MAINTAINER))
    _check(name, lasts)
    token = secrets.token_urlsafe(SECRET_BYTES)
    invitation = Invitation.objects.create(
        project=project,
        name=name.strip(),
        role=role,
        digest=secret_digest(token),
        made_by=user,
        expires_at=timezone.now() + lasts,
    )
    audit_record(
        project=project, user=user, action="invitation.create", subject=invitation, role=role.label,
        expires=invitation.expires_at.isoformat(),
    )  # fmt: skip
    return invitation, token


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, user: User) -> None:
    """End an invitation at once and permanently; a second call changes nothing.

    Raises:
        RoleRequired: the user may not give the invitation's role.
        Http404: the user is no member of the project.
    """
    role_require(user, invitation.project, max(Role(invitation.role), Role.MAINTAINER))
    open_ = Invitation.objects.filter(pk=invitation.pk, revoked_at=None, used_at=None)
    if open_.update(revoked_at=timezone.now()):
        audit_record(project=invitation.project, user=user, action="invitation.revoke", subject=invitation)


def invitations_open(project: Project) -> QuerySet[Invitation]:
    """Return the invitations that still work, latest first."""
    return _open().filter(project=project).select_related("made_by")


def invitation_find(token: str) -> Invitation:
    """Return the open invitation of a token; raise InvitationOverError if the token invites nobody."""
    return _found(_open().select_related("project", "made_by"), token)


@transaction.atomic
def invitation_accept(*, token: str, user: User) -> Membership:
    """Make a user a member with the invitation's role, and use the invitation up.

    Raises:
        InvitationOverError: the token invites nobody.
        ValidationError: the user has this role or a higher one already; the invitation stays open for others.
    """
    invitation = _found(_open().select_for_update(of=("self",)).select_related("project", "made_by"), token)
    has, role = role_of(user, invitation.project), Role(invitation.role)
    if has is not None and has >= role:
        raise ValidationError(f"You are {has.label} of {invitation.project.name} already.")
    membership = membership_set(project=invitation.project, user=user, role=role, actor=invitation.made_by)
    invitation.used_at, invitation.used_by = timezone.now(), user
    invitation.save(update_fields=["used_at", "used_by"])
    audit_record(project=invitation.project, user=user, action="invitation.accept", subject=invitation)
    return membership


@transaction.atomic
def account_create(*, token: str, username: str, password: str) -> User:
    """Make an account for somebody with an invitation, and accept the invitation.

    Raises:
        InvitationOverError: the token invites nobody.
        ValidationError: the name or the password is refused, by field.
    """
    invitation_find(token)
    user = user_create(username=username, password=password)
    invitation_accept(token=token, user=user)
    return user


def _open() -> QuerySet[Invitation]:
    return Invitation.objects.filter(revoked_at=None, used_at=None, expires_at__gt=timezone.now())


def _found(rows: QuerySet[Invitation], token: str) -> Invitation:
    """Return the invitation of a token, if the member who made it may still give the role."""
    invitation = rows.filter(digest=secret_digest(token)).first()
    if invitation is None or invitation.made_by is None or not invitation.made_by.is_active:
        raise InvitationOverError
    try:
        role_require(invitation.made_by, invitation.project, max(Role(invitation.role), Role.MAINTAINER))
    except (Http404, PermissionDenied) as refused:
        raise InvitationOverError from refused
    return invitation


def _check(name: str, lasts: timedelta) -> None:
    errors = {}
    if not name.strip() or len(name.strip()) > LONGEST_NAME:
        errors["name"] = f"Say in 1 to {LONGEST_NAME} letters who the link is for."
    if not timedelta(0) < lasts <= LONGEST_INVITATION:
        errors["lasts"] = f"An invitation lasts at most {LONGEST_INVITATION.days} days."
    if errors:
        raise ValidationError(errors)
