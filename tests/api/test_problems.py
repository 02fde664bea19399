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
def test_an_unknown_address_is_a_problem_document(address, method):
    body = problem(getattr(Client(), method)(address), 404)
    assert body["type"] == "urn:perfweb:problem:not_found"
    assert "/api/schema/" in body["detail"]


def test_without_authentication_the_problem_says_how_to_authenticate():
    answer = Client().get("/api/v1/applications/")
    assert problem(answer, 401)["type"] == "urn:perfweb:problem:not_authenticated"
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_an_unsupported_method_is_a_problem_document(api):
    for method in ("post", "put", "patch", "delete"):
        body = problem(getattr(api.client, method)("/api/v1/applications/"), 405)
        assert method.upper() in body["detail"]


def test_a_missing_object_is_a_problem_document(api):
    assert "campaign 7 " in problem(api.client.get("/api/v1/campaigns/7/"), 404)["detail"]


def test_a_number_larger_than_any_id_is_not_found(api):
    problem(api.client.get(f"/api/v1/campaigns/{'9' * 40}/"), 404)


def test_a_body_that_is_no_form_is_refused(api):
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
def test_a_form_that_is_cut_off_is_refused(api, content_type):
    answer = api.client.post(
        "/api/v1/applications/hydro/uploads/", b"--x\r\nContent-Disposition: ", content_type=content_type
    )
    problem(answer, 400)


def test_too_many_fields_are_refused(api):
    fields = {f"field{number}": "" for number in range(2000)}
    problem(api.client.post("/api/v1/applications/hydro/uploads/", fields), 400)


def test_an_internal_error_is_500_with_the_request_id(api, monkeypatch, caplog):
    def broken(*_):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("perfweb.api.views.campaigns.campaign_find", broken)
    api.client.raise_request_exception = False
    answer = api.client.get("/api/v1/campaigns/1/", headers={"X-Request-ID": "job-4711-step-2"})
    body = problem(answer, 500)
    assert body["request_id"] == "job-4711-step-2"
    assert "secret detail" not in answer.text
    assert any(record.exc_info and "secret detail" in str(record.exc_info[1]) for record in caplog.records)


def test_an_unknown_host_name_is_refused(settings):
    settings.ALLOWED_HOSTS = ["portal.example"]
    problem(Client().get("/api/v1/applications/", headers={"Host": "evil.example"}), 400)


def test_after_too_many_requests_retry_after_is_given(api, monkeypatch):
    monkeypatch.setattr("perfweb.api.throttles.Reads.rate", "3/min")
    for _ in range(3):
        api.get("applications/")
    answer = api.client.get("/api/v1/applications/")
    problem(answer, 429)
    assert 0 < int(answer["Retry-After"]) <= 60
