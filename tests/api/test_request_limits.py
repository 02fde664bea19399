import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.factories import make_application, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/applications/hydro/?project=%00",
        "/api/v1/comparisons/?application=x%00y&before=1&after=2",
        "/search/?q=x%00y",
        "/projects/storm/members/%00/remove/",
    ],
)
def test_a_nul_character_in_an_address_is_refused(address, client):
    client.force_login(make_member(make_project("storm")))
    assert client.post(address).status_code == 400


def test_a_nul_character_in_an_api_address_is_a_problem_document(api):
    make_application(api.project)
    answer = api.client.get("/api/v1/applications/hydro/?project=%00")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("address", ["/sign-in/", "/projects/", "/help/", "/api/v1/applications/"])
def test_a_file_sent_to_another_address_is_not_read(address, settings, monkeypatch):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    monkeypatch.setattr("django.http.request.HttpRequest.parse_file_upload", None)
    client = Client(enforce_csrf_checks=True)
    client.get("/sign-in/")  # Without the cookie, Django would refuse the request before it reads the body.
    answer = client.post(address, {"file": SimpleUploadedFile("x", b"x" * 2000)})
    assert answer.status_code == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_pages_refuse_unknown_methods(method):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_member(make_project("storm")))
    for address in ("/", "/upload/", "/projects/"):
        answer = client.generic(method, address)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, POST")


@pytest.mark.parametrize("address", ["/", "/help/", "/search/", "/a/storm/hydro/", "/a/storm/hydro/history/"])
def test_pages_without_forms_refuse_post(address, client):
    client.force_login(make_member(make_project("storm")))
    assert client.post(address).status_code == 405
