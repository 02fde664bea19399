from datetime import timedelta

import pytest
from django.utils import timezone

from perfweb.accounts.models import ApiToken, Role, Scope
from perfweb.accounts.tokens import token_authenticate
from tests.factories import make_member, make_project, make_token

pytestmark = pytest.mark.django_db

FORM = {"name": "nightly", "scopes": ["upload"], "lasts": "30"}


@pytest.fixture
def project():
    return make_project("storm")


@pytest.fixture
def member(project, client):
    member = make_member(project, Role.CONTRIBUTOR)
    client.force_login(member)
    return member


def test_it_works(client, member, project):
    answer = client.post("/projects/storm/tokens/", FORM)
    token = ApiToken.objects.get()
    page = answer.content.decode()
    plaintext = page.partition('data-copy="')[2].partition('"')[0]
    assert token_authenticate(plaintext) == token
    assert (token.user, token.project, token.scopes) == (member, project, ["upload"])
    assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)
    assert f"Authorization: Bearer {plaintext}" in page.replace("&quot;", '"')
    assert "http://testserver/api/v1/applications/myapp/uploads/" in page


def test_a_token_is_shown_once_and_stored_as_a_digest(client, member):
    answer = client.post("/projects/storm/tokens/", FORM)
    assert "no-store" in answer["Cache-Control"]
    prefix = ApiToken.objects.get().prefix
    page = client.get("/projects/storm/tokens/").content.decode()
    assert prefix in page
    assert f"{prefix}_" not in page


def test_a_token_without_expiry_lasts_until_it_is_revoked(client, member):
    client.post("/projects/storm/tokens/", FORM | {"lasts": "0"})
    assert ApiToken.objects.get().expires_at is None
    assert "no end" in client.get("/projects/storm/tokens/").content.decode()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": " "}, "This field is required"),
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"scopes": []}, "This field is required"),
        ({"scopes": ["admin"]}, "Select a valid choice"),
        ({"lasts": "99999999"}, "Select a valid choice"),
    ],
)
def test_invalid_fields_are_refused(client, member, changed, said):
    answer = client.post("/projects/storm/tokens/", FORM | changed)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_a_viewer_can_only_make_tokens_that_read(client, project):
    client.force_login(make_member(project))
    refused = client.post("/projects/storm/tokens/", FORM)
    assert "needs the role contributor" in refused.content.decode()
    client.post("/projects/storm/tokens/", FORM | {"scopes": ["read"]})
    assert ApiToken.objects.get().scopes == ["read"]


def test_revoking(client, member, project):
    token, _ = make_token(member, project, Scope.READ)
    assert client.get(f"/projects/storm/tokens/{token.pk}/revoke/").status_code == 405
    client.post(f"/projects/storm/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_a_contributor_cannot_revoke_tokens_of_others(client, member, project):
    token, _ = make_token(make_member(project), project, Scope.READ)
    assert client.post(f"/projects/storm/tokens/{token.pk}/revoke/").status_code == 403
    assert f"/tokens/{token.pk}/revoke/" not in client.get("/projects/storm/tokens/").content.decode()


def test_a_token_of_another_project_is_not_found(client, member):
    other = make_project()
    token, _ = make_token(make_member(other), other, Scope.READ)
    assert client.post(f"/projects/storm/tokens/{token.pk}/revoke/").status_code == 404


def test_the_number_of_queries_does_not_grow_with_tokens(
    client, member, project, django_assert_max_num_queries
):
    for _ in range(20):
        make_token(member, project, Scope.READ)
    with django_assert_max_num_queries(12):
        client.get("/projects/storm/tokens/")


def test_a_viewer_is_offered_only_the_scope_read(client, project):
    client.force_login(make_member(project, Role.VIEWER))
    page = client.get("/projects/storm/tokens/").content.decode()
    assert 'value="read" id="id_scopes_0" checked' in page
    assert 'value="upload"' not in page
    assert "Uploading and triage need the role contributor." in page
    assert "--scope read" in page
    assert client.post("/projects/storm/tokens/", FORM | {"scopes": ["read"]}).status_code == 200
    refused = client.post("/projects/storm/tokens/", FORM)
    assert refused.status_code == 422
    assert "needs the role contributor" in refused.content.decode()


def test_a_contributor_is_offered_all_scopes(client, member):
    page = client.get("/projects/storm/tokens/").content.decode()
    assert all(f'value="{scope}"' in page for scope in Scope)
