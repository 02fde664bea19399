import pytest
from django.test import Client

from tests.factories import make_application

pytestmark = pytest.mark.django_db


def problem(answer, status):
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["request_id"] == answer["X-Request-ID"]
    assert body["instance"] == answer.request["PATH_INFO"]
    assert {"type", "title", "detail"} <= set(body)
    return body


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
@pytest.mark.parametrize(
    "address", ["/api/", "/api/v1/nothing/", "/api/v1/applications", "/api/v2/uploads/1/"]
)
def test_an_unknown_address(address, method):
    body = problem(getattr(Client(), method)(address), 404)
    assert body["type"] == "urn:perfweb:problem:not_found"
    assert "/api/schema/" in body["detail"]


def test_who_does_not_sign_in_is_told_how():
    answer = Client().get("/api/v1/applications/")
    assert problem(answer, 401)["type"] == "urn:perfweb:problem:not_authenticated"
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_method_that_there_is_not(api):
    for method in ("post", "put", "patch", "delete"):
        body = problem(getattr(api.client, method)("/api/v1/applications/"), 405)
        assert method.upper() in body["detail"]


def test_an_object_that_there_is_not(api):
    assert "campaign 7 " in problem(api.client.get("/api/v1/campaigns/7/"), 404)["detail"]


def test_a_number_beyond_all_ids_is_nothing_special(api):
    problem(api.client.get(f"/api/v1/campaigns/{'9' * 40}/"), 404)


def test_a_body_that_is_no_form(api):
    make_application(api.project)
    answer = api.client.post(
        "/api/v1/applications/hydro/uploads/", "[" * 100_000, content_type="application/json"
    )
    detail = problem(answer, 415)["detail"]
    assert "application/json" in detail
    assert "-F file=@NAME" in detail


@pytest.mark.parametrize(
    "content_type",
    ["multipart/form-data", "multipart/form-data; boundary=é", "multipart/form-data; boundary=x"],
)
def test_a_form_that_breaks_off(api, content_type):
    answer = api.client.post(
        "/api/v1/applications/hydro/uploads/", b"--x\r\nContent-Disposition: ", content_type=content_type
    )
    problem(answer, 400)


def test_more_fields_than_any_form_has(api):
    fields = {f"field{number}": "" for number in range(2000)}
    problem(api.client.post("/api/v1/applications/hydro/uploads/", fields), 400)


def test_our_own_fault_is_500_with_the_id_to_look_for(api, monkeypatch, caplog):
    def broken(*_):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("perfweb.api.views.campaigns.campaign_find", broken)
    api.client.raise_request_exception = False
    answer = api.client.get("/api/v1/campaigns/1/", headers={"X-Request-ID": "job-4711-step-2"})
    body = problem(answer, 500)
    assert body["request_id"] == "job-4711-step-2"
    assert "secret detail" not in answer.text
    assert any(record.exc_info and "secret detail" in str(record.exc_info[1]) for record in caplog.records)


def test_a_host_that_is_not_ours(settings):
    settings.ALLOWED_HOSTS = ["portal.example"]
    problem(Client().get("/api/v1/applications/", headers={"Host": "evil.example"}), 400)


def test_too_many_requests_say_when_to_come_back(api, monkeypatch):
    monkeypatch.setattr("perfweb.api.throttles.Reads.rate", "3/min")
    for _ in range(3):
        api.get("applications/")
    answer = api.client.get("/api/v1/applications/")
    problem(answer, 429)
    assert 0 < int(answer["Retry-After"]) <= 60
