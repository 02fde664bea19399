"""Invitations by a link: who may make one, and which role the link gives to whom."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils import timezone

from perfweb.accounts.invitations import (
    InvitationOverError,
    account_create,
    invitation_accept,
    invitation_create,
    invitation_find,
    invitation_revoke,
    invitations_open,
)
from perfweb.accounts.models import Invitation, Project, Role, User
from perfweb.accounts.permissions import RoleRequired
from perfweb.accounts.selectors import audit_of, role_of
from perfweb.accounts.services import membership_remove, membership_set
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)


@pytest.fixture
def project() -> Project:
    return make_project("storm")


@pytest.fixture
def owner(project: Project) -> User:
    return make_member(project, Role.OWNER)


def invite(project: Project, user: User, role: Role = Role.CONTRIBUTOR) -> tuple[Invitation, str]:
    return invitation_create(project=project, name="Ada", role=role, lasts=WEEK, user=user)


def over(token: str) -> bool:
    try:
        invitation_find(token)
    except InvitationOverError:
        return True
    return False


def test_an_invitation_makes_only_its_first_user_a_member(project, owner):
    invitation, token = invite(project, owner)
    assert list(invitations_open(project)) == [invitation]
    ada, eve = make_user(), make_user()
    assert invitation_accept(token=token, user=ada).role == Role.CONTRIBUTOR
    with pytest.raises(InvitationOverError):
        invitation_accept(token=token, user=eve)
    assert (role_of(ada, project), role_of(eve, project)) == (Role.CONTRIBUTOR, None)
    assert not invitations_open(project)
    assert [entry.action for entry in audit_of(project)] == [
        "invitation.accept", "membership.set", "invitation.create",
    ]  # fmt: skip


def test_only_the_digest_is_stored(project, owner):
    invitation, token = invite(project, owner)
    assert token not in str(Invitation.objects.filter(pk=invitation.pk).values().get())


def test_nobody_can_give_a_role_above_their_own(project, owner):
    maintainer, contributor = make_member(project, Role.MAINTAINER), make_member(project, Role.CONTRIBUTOR)
    invite(project, maintainer, Role.MAINTAINER)
    for user, role in ((maintainer, Role.OWNER), (contributor, Role.VIEWER)):
        with pytest.raises(RoleRequired):
            invite(project, user, role)
    with pytest.raises(Http404):
        invite(project, make_member(make_project(), Role.OWNER))
    by_owner, token = invite(project, owner, Role.OWNER)
    with pytest.raises(RoleRequired):
        invitation_revoke(invitation=by_owner, user=maintainer)
    assert not over(token)


@pytest.mark.parametrize("end", ["revoked", "expired", "demoted", "removed", "closed", "deleted", "cut"])
def test_an_invitation_ends_by_expiry_by_revocation_and_when_its_maker_loses_the_role(project, owner, end):
    maker = make_member(project, Role.MAINTAINER)
    invitation, token = invite(project, maker)
    assert not over(token)
    if end == "revoked":
        invitation_revoke(invitation=invitation, user=owner)
    elif end == "expired":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "demoted":
        membership_set(project=project, user=maker, role=Role.CONTRIBUTOR)
    elif end == "removed":
        membership_remove(project=project, user=maker)
    elif end == "closed":
        User.objects.filter(pk=maker.pk).update(is_active=False)
    elif end == "deleted":
        maker.delete()
    assert over(token[:-1] if end == "cut" else token)
    if end != "cut":
        with pytest.raises(InvitationOverError):
            account_create(token=token, username="ada", password="engine no. 1")
    assert not User.objects.filter(username="ada").exists()


def test_an_invitation_raises_a_role_and_never_lowers_one(project, owner):
    viewer, maintainer = make_member(project, Role.VIEWER), make_member(project, Role.MAINTAINER)
    _, token = invite(project, owner)
    with pytest.raises(ValidationError, match="You are maintainer of Storm already"):
        invitation_accept(token=token, user=maintainer)
    assert role_of(maintainer, project) == Role.MAINTAINER
    invitation_accept(token=token, user=viewer)  # The refused attempt did not use up the invitation.
    assert role_of(viewer, project) == Role.CONTRIBUTOR


def test_account_and_membership_are_created_together_or_not_at_all(project, owner):
    _, token = invite(project, owner)
    make_user("taken")
    for name, password in (
        ("taken", "engine no. 1"),
        ("ada", "12345"),
        ("", "engine no. 1"),
        ("a b", "engine no. 1"),
    ):
        with pytest.raises(ValidationError):
            account_create(token=token, username=name, password=password)
    assert not over(token)
    ada = account_create(token=token, username="ada", password="engine no. 1")
    assert ada.check_password("engine no. 1")
    assert not ada.is_staff
    assert role_of(ada, project) == Role.CONTRIBUTOR
    with pytest.raises(InvitationOverError):
        account_create(token=token, username="eve", password="engine no. 1")
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize(("name", "days"), [("", 7), (" ", 7), ("a" * 81, 7), ("Ada", 0), ("Ada", 31)])
def test_an_invitation_needs_a_name_and_an_expiry(project, owner, name, days):
    with pytest.raises(ValidationError):
        invitation_create(
            project=project, name=name, role=Role.VIEWER, lasts=timedelta(days=days), user=owner
        )


def test_database_constraints_limit_duration_and_role(project, owner):
    invitation, _ = invite(project, owner)
    for change in ({"expires_at": timezone.now() + timedelta(days=40)}, {"role": 99}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Invitation.objects.filter(pk=invitation.pk).update(**change)
