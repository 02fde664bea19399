"""The pages of invitations: members make a link, invited people open it, and members end it."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from perfweb.accounts.invitations import invitation_create
from perfweb.accounts.models import Invitation, Role, User
from perfweb.accounts.selectors import role_of
from perfweb.logs.access_log import masked
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db

FORM = {"invitation-name": "Ada", "invitation-role": "20", "invitation-lasts": "7"}
ACCOUNT = {"username": "ada", "password": "engine no. 1", "again": "engine no. 1"}


@pytest.fixture
def project():
    return make_project("storm")


@pytest.fixture
def owner(project):
    return make_member(project, Role.OWNER, "olga")


@pytest.fixture
def address(project, owner):
    _, token = invitation_create(
        project=project, name="Ada", role=Role.CONTRIBUTOR, lasts=timedelta(days=7), user=owner
    )
    return f"/invitations/{token}/"


def test_the_link_is_shown_once(client, project, owner, django_assert_max_num_queries):
    client.force_login(owner)
    answer = client.post("/projects/storm/invitations/", FORM)
    found = re.search(r"http://testserver(/invitations/[\w-]+/)", answer.content.decode())
    assert found is not None
    assert "no-store" in answer["Cache-Control"]
    with django_assert_max_num_queries(12):
        page = client.get("/projects/storm/").content.decode()
    assert found[1] not in page
    assert "Revoke the invitation for Ada" in page
    assert "invited by a link" in page
    assert (
        "olga invites you as <strong>contributor</strong> of Storm" in Client().get(found[1]).content.decode()
    )


@pytest.mark.parametrize(
    "wrong", [{"invitation-role": "99"}, {"invitation-lasts": "400"}, {"invitation-name": ""}]
)
def test_invalid_fields_are_refused(client, owner, wrong):
    client.force_login(owner)
    answer = client.post("/projects/storm/invitations/", FORM | wrong)
    assert answer.status_code == 422
    assert not Invitation.objects.exists()


def test_a_maintainer_cannot_invite_an_owner(client, project, owner):
    client.force_login(make_member(project, Role.MAINTAINER))
    assert client.post("/projects/storm/invitations/", FORM | {"invitation-role": "40"}).status_code == 422
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    assert "Invite by a link" not in client.get("/projects/storm/").content.decode()


def test_somebody_without_an_account_can_make_one(client, project, address):
    page = client.get(address)
    assert page["Referrer-Policy"] == "same-origin"
    assert page["Cache-Control"] == "private, no-store"
    assert "Make an account" in page.content.decode()
    answer = client.post(address, ACCOUNT)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    ada = User.objects.get(username="ada")
    assert role_of(ada, project) == Role.CONTRIBUTOR
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert Client().get(address).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"again": "other"}, "The two passwords differ."),
        ({"password": "12345", "again": "12345"}, "too short"),
        ({"username": "olga"}, "already exists"),
        ({"username": "a b"}, "valid username"),
    ],
)
def test_a_refused_account_leaves_the_link_valid(client, address, wrong, said):
    answer = client.post(address, ACCOUNT | wrong)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert client.get(address).status_code == 200


def test_somebody_with_an_account_can_join(client, project, address):
    user = make_user("ada")
    client.force_login(user)
    assert "Join as ada" in client.get(address).content.decode()
    assert role_of(user, project) is None  # Looking at the page does not make the user a member.
    assert client.post(address)["Location"] == "/projects/storm/"
    assert role_of(user, project) == Role.CONTRIBUTOR


def test_a_member_does_not_use_up_the_link(client, project, owner, address):
    client.force_login(owner)
    assert client.post(address, follow=True).content.decode().count("You are owner of Storm already.") == 1
    assert role_of(owner, project) == Role.OWNER
    assert Client().get(address).status_code == 200


def test_wrong_used_and_revoked_links_get_the_same_answer(client, owner, address):
    wrong = client.get("/invitations/" + "a" * 27 + "/")
    client.force_login(owner)
    client.post(f"/projects/storm/invitations/{Invitation.objects.get().pk}/revoke/")
    revoked = Client().get(address)
    assert wrong.status_code == revoked.status_code == 404
    assert wrong.content == revoked.content
    assert "This link invites nobody" in revoked.content.decode()
    assert Client().post(address, ACCOUNT).status_code == 404
    assert not User.objects.filter(username="ada").exists()


def test_an_invitation_of_another_project_cannot_be_revoked(client, address):
    client.force_login(make_member(make_project("calm"), Role.OWNER))
    pk = Invitation.objects.get().pk
    assert client.post(f"/projects/calm/invitations/{pk}/revoke/").status_code == 404
    assert client.get(address).status_code == 200


def test_the_log_does_not_contain_the_token(address):
    token = address.split("/")[2]
    for line in (address, f"/sign-in/?next={address}", f"/sign-in/?next={address.replace('/', '%2F')}"):
        assert token not in masked(line)
