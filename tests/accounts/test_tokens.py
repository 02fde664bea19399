import hashlib
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone

from perfweb.accounts.models import ApiToken, Role, Scope
from perfweb.accounts.permissions import RoleRequired
from perfweb.accounts.selectors import audit_of, tokens_of
from perfweb.accounts.services import membership_remove
from perfweb.accounts.tokens import TokenError, token_authenticate, token_create, token_revoke
from tests.factories import make_member, make_project, make_token, make_user

pytestmark = pytest.mark.django_db


def refused(plaintext: str) -> str:
    with pytest.raises(TokenError) as error:
        token_authenticate(plaintext)
    return str(error.value)


def test_it_works():
    project = make_project()
    user = make_member(project, Role.CONTRIBUTOR)
    token, plaintext = token_create(project=project, user=user, name="nightly", scopes=[Scope.UPLOAD])
    found = token_authenticate(plaintext)
    assert (found, found.user, found.project) == (token, user, project)
    assert audit_of(project)[0].details == {"scopes": ["upload"]}


def test_only_the_digest_of_a_token_is_stored():
    project = make_project()
    token, plaintext = make_token(make_member(project), project, Scope.READ)
    secret = plaintext.rpartition("_")[2]
    assert plaintext.startswith(f"{token.prefix}_")
    assert len(secret) * 4 >= 160
    assert token.digest == hashlib.sha256(plaintext.encode()).hexdigest()
    assert not any(secret in str(value) for value in vars(token).values())


def test_tokens_differ():
    project = make_project()
    user = make_member(project)
    assert len({make_token(user, project, Scope.READ)[1] for _ in range(20)}) == 20


@pytest.mark.parametrize(
    "plaintext", ["", "pfw_", "pfw_00000000_" + "0" * 40, "pfw_00000000_" + "0" * 39 + "é", "x" * 10_000]
)
def test_an_unknown_token_is_refused(plaintext):
    assert "not known" in refused(plaintext)


def test_the_prefix_alone_gives_no_access():
    project = make_project()
    _, plaintext = make_token(make_member(project), project, Scope.READ)
    wrong = plaintext[:-1] + ("1" if plaintext[-1] == "0" else "0")
    assert "not known" in refused(wrong)


def test_the_error_for_an_expired_token_names_the_date():
    project = make_project()
    past = timezone.now() - timedelta(seconds=1)
    _, plaintext = make_token(make_member(project), project, Scope.READ, expires_at=past)
    assert f"expired on {past:%Y-%m-%d at %H:%M} UTC" in refused(plaintext)


def test_a_revoked_token_gives_no_access_and_is_not_listed():
    project = make_project()
    user = make_member(project)
    token, plaintext = make_token(user, project, Scope.READ)
    token_revoke(token=token, actor=user)
    token_revoke(token=token, actor=user)
    assert "revoked" in refused(plaintext)
    assert list(tokens_of(project)) == []
    assert [entry.action for entry in audit_of(project)].count("token.revoke") == 1


def test_a_token_gives_no_access_without_membership_or_active_user():
    project = make_project()
    user = make_member(project)
    _, plaintext = make_token(user, project, Scope.READ)
    user.is_active = False
    user.save()
    assert "no longer a member" in refused(plaintext)
    user.is_active = True
    user.save()
    membership_remove(project=project, user=user)
    assert "no longer a member" in refused(plaintext)


def test_users_revoke_their_own_tokens_and_maintainers_all_tokens():
    project = make_project()
    token, plaintext = make_token(make_member(project, Role.OWNER), project, Scope.READ)
    with pytest.raises(RoleRequired):
        token_revoke(token=token, actor=make_member(project, Role.CONTRIBUTOR))
    with pytest.raises(Http404):
        token_revoke(token=token, actor=make_user())
    token_authenticate(plaintext)
    token_revoke(token=token, actor=make_member(project, Role.MAINTAINER))
    refused(plaintext)


def test_a_viewer_cannot_make_a_token_that_writes():
    project = make_project()
    viewer = make_member(project)
    with pytest.raises(RoleRequired):
        token_create(project=project, user=viewer, name="x", scopes=[Scope.READ, Scope.UPLOAD])
    with pytest.raises(Http404):
        token_create(project=project, user=make_user(), name="x", scopes=[Scope.READ])
    assert not ApiToken.objects.exists()


def test_every_invalid_field_is_named():
    project = make_project()
    with pytest.raises(ValidationError) as error:
        token_create(project=project, user=make_member(project), name=" ", scopes=[], expires=timezone.now())
    assert set(error.value.message_dict) == {"name", "scopes", "expires"}


def test_last_use_is_written_at_most_once_a_minute(django_assert_num_queries):
    project = make_project()
    token, plaintext = make_token(make_member(project), project, Scope.READ)
    with django_assert_num_queries(3):
        token_authenticate(plaintext)
    with django_assert_num_queries(2):
        token_authenticate(plaintext)
    old = timezone.now() - timedelta(seconds=61)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=old)
    assert token_authenticate(plaintext).last_used_at == old
    token.refresh_from_db()
    assert timezone.now() - token.last_used_at < timedelta(seconds=10)
