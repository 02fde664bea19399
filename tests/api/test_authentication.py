from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from perfweb.accounts.models import ApiToken, Role
from perfweb.accounts.services import membership_remove
from perfweb.accounts.tokens import token_revoke
from tests.api.conftest import READ, UPLOAD, Api
from tests.factories import make_application, make_member, make_project

pytestmark = pytest.mark.django_db


def test_it_works(api):
    application = make_application(api.project)
    assert [row["slug"] for row in api.get("applications/")["results"]] == [application.slug]


def test_the_session_of_a_browser_works_too(api):
    client = Client()
    client.force_login(api.user)
    assert client.get("/api/v1/applications/").status_code == 200


def test_a_session_needs_the_csrf_token(api):
    client = Client(enforce_csrf_checks=True)
    client.force_login(api.user)
    answer = client.post("/api/v1/applications/hydro/uploads/", {"version": "1"})
    assert answer.status_code == 403
    assert "CSRF" in answer.json()["detail"]


@pytest.mark.parametrize("reason", ["expired", "revoked", "no longer a member", "not known"])
def test_an_error_says_why_a_token_is_invalid(api, reason):
    if reason == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    elif reason == "revoked":
        token_revoke(token=api.token, actor=api.user)
    elif reason == "no longer a member":
        membership_remove(project=api.project, user=api.user)
    else:
        ApiToken.objects.all().delete()
    assert reason in api.get("applications/", 401)["detail"]


def test_a_token_in_the_address_is_ignored(api):
    for name in ("token", "access_token", "api_key"):
        assert Client().get("/api/v1/applications/", {name: api.plaintext}).status_code == 401


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer é", "Bearer a b c", "Bearer " + "x" * 5000])
def test_an_unknown_token_is_refused(header):
    assert Client(headers={"Authorization": header}).get("/api/v1/applications/").status_code == 401


def test_a_token_sees_only_its_own_project():
    api = Api(READ)
    other = make_project()
    other.memberships.create(user=api.user, role=Role.OWNER)
    make_application(other)
    assert api.get("applications/")["results"] == []
    api.get("applications/hydro/", 404)


def test_a_token_for_uploads_cannot_read():
    api = Api(UPLOAD)
    assert "needs the scope read" in api.get("applications/", 403)["detail"]


def test_a_token_for_reading_cannot_upload():
    api = Api(READ)
    assert "needs the scope upload" in api.post("applications/hydro/uploads/", 403, version="1")["detail"]


def test_a_token_does_not_open_pages(api):
    assert api.client.get("/").status_code == 302


def test_each_token_has_its_own_rate_limit(api, monkeypatch):
    monkeypatch.setattr("perfweb.api.throttles.Reads.rate", "1/min")
    api.get("applications/")
    api.get("applications/", 429)
    Api(project=api.project).get("applications/")
    client = Client()
    client.force_login(make_member(api.project))
    assert client.get("/api/v1/applications/").status_code == 200
