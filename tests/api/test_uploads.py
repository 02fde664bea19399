import errno
import json
import time
from pathlib import Path
from threading import BoundedSemaphore
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from redis.exceptions import ConnectionError as BrokerAway

from ingest.models import Application, Campaign, Upload
from ingest.tasks import upload_ingest
from perfweb.accounts.models import Role
from perfweb.api import waiting
from perfweb.api.waiting import LONGEST_WAIT
from tests.api.conftest import READ, UPLOAD, Api
from tests.factories import make_application, make_campaign, make_member, make_project

pytestmark = pytest.mark.django_db

LINES = b'{"params": {"p": 4}, "callpath": "main", "metric": "time", "value": [1.0, 1.1]}\n'
ADDRESS = "applications/hydro/uploads/"


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    """Let no worker process the uploads of these tests."""
    monkeypatch.setattr("ingest.services.uploads.enqueue", lambda task, row: None)


def file(content: bytes = LINES, name: str = "nightly.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def fields(problem: Any) -> set[str]:
    return {error["field"] for error in problem["errors"]}


def test_it_works(api, conforms):
    answer = api.client.post(f"/api/v1/{ADDRESS}", {"file": file(), "version": "1.0"})
    assert answer.status_code == 202
    body = answer.json()
    conforms(body, "Upload")
    upload = Upload.objects.get()
    assert answer["Location"] == body["url"] == f"http://testserver/api/v1/uploads/{upload.pk}/"
    assert body == api.get(f"uploads/{upload.pk}/")
    assert (body["state"], body["application"], body["version"]) == ("received", "hydro", "1.0")
    assert (upload.user, upload.token, upload.project) == (api.user, api.token, api.project)
    assert not Application.objects.exists()


def test_all_fields(api):
    metadata = {"compiler": {"name": "gcc", "flags": ["-O3"]}}
    api.post(
        ADDRESS, file=file(), version="1.0", commit="4f2c91a", branch="main",
        date="2026-07-01T12:00:00+02:00",
        machine="cluster-a", format="jsonl", metadata=json.dumps(metadata),
    )  # fmt: skip
    upload = Upload.objects.get()
    assert (upload.commit, upload.branch, upload.machine_name) == ("4f2c91a", "main", "cluster-a")
    assert upload.committed_at.isoformat() == "2026-07-01T10:00:00+00:00"
    assert upload.metadata == metadata


def test_format_options_are_stored(api, conforms):
    body = api.post(ADDRESS, file=file(), version="1.0", options="scaling=strong; inclusive=no")
    conforms(body, "Upload")
    assert body["options"] == {"scaling": "strong", "inclusive": "no"}


def test_an_upload_can_name_the_modelers_of_its_new_campaign(api):
    api.post(ADDRESS, file=file(), version="1.0", modelers="adaptive, regression,adaptive")
    upload_ingest(Upload.objects.get().pk)
    runs = Campaign.objects.get().runs.order_by("-shown", "pk")
    assert [(run.modeler, run.shown) for run in runs] == [("adaptive", True), ("regression", False)]


def test_an_unknown_modeler_is_refused_before_anything_is_stored(api):
    problem = api.post(ADDRESS, status=400, file=file(), version="1.0", modelers="adaptive, oracle")
    assert fields(problem) == {"modelers"}
    assert "“oracle”, expected some of evidence, regression" in problem["errors"][0]["message"]
    assert not Upload.objects.exists()


def test_units_and_directions_of_new_metrics_can_be_sent(api, conforms):
    metrics = json.dumps({"time": {"unit": "zones/s"}, "x": {"lower_is_better": False}})
    api.post(f"{ADDRESS}?dry_run=true", file=file(), version="1.0", metrics=metrics)
    upload = Upload.objects.get()
    upload_ingest(upload.pk)
    body = api.get(f"uploads/{upload.pk}/")
    conforms(body, "Upload")
    told = {"name": "time", "unit": "zones/s", "lower_is_better": False}
    assert body["diagnosis"]["metrics"] == [told]
    api.post(ADDRESS, file=file(), version="1.0", metrics=metrics)
    upload_ingest(Upload.objects.latest("pk").pk)
    assert api.get("applications/hydro/")["metrics"] == [told]


@pytest.mark.parametrize(
    "metrics",
    [
        "fom",
        '{"fom": "higher"}',
        '{"fom": {"unit": 3}}',
        '{"fom": {"lower_is_better": "no"}}',
        '{"fom": {"better": "higher"}}',
        json.dumps({"fom": {"unit": "x" * 41}}),
    ],
)
def test_descriptions_of_unknown_metrics_are_refused(api, metrics):
    assert fields(api.post(ADDRESS, 400, file=file(), version="1.0", metrics=metrics)) == {"metrics"}
    assert not Upload.objects.exists()


def test_the_same_bytes_are_the_same_upload(api):
    first = api.post(ADDRESS, file=file(), version="1.0")
    assert api.post(ADDRESS, file=file(name="again.jsonl"), version="1.0") == first
    assert api.post(ADDRESS, file=file(), version="1.1") != first
    assert api.post(ADDRESS, file=file(), version="1.0", run="2")["run"] == "2"
    assert fields(api.post(ADDRESS, 400, file=file(), version="1.0", run="r" * 81)) == {"run"}


def test_the_same_key_is_the_same_upload(api):
    key = {"Idempotency-Key": "job 4711"}
    first = api.post(ADDRESS, headers=key, file=file(), version="1.0")
    assert api.post(ADDRESS, headers=key, file=file(), version="1.0") == first
    problem = api.post(ADDRESS, 422, headers=key, file=file(LINES * 2), version="1.0")
    assert fields(problem) == {"Idempotency-Key"}
    assert fields(api.post(ADDRESS, 400, headers={"Idempotency-Key": "k" * 256}, version="1", file=file()))


def test_the_same_bytes_from_another_user_return_the_same_upload(api):
    first = api.post(ADDRESS, file=file(), version="1.0")
    assert Api(UPLOAD, project=api.project).post(ADDRESS, file=file(), version="1.0") == first


@pytest.mark.parametrize(
    ("changed", "status", "wrong"),
    [
        ({"file": None}, 400, "file"),
        ({"file": file(b"")}, 400, "file"),
        ({"version": None}, 400, "version"),
        ({"version": " "}, 400, "version"),
        ({"version": "v" * 81}, 400, "version"),
        ({"version": "1.0\N{RIGHT-TO-LEFT OVERRIDE}"}, 422, "version"),
        ({"machine": "a\nb"}, 422, "machine"),
        ({"date": "yesterday"}, 400, "date"),
        ({"format": "xlsx"}, 422, "format"),
        ({"options": "strong"}, 400, "options"),
        ({"options": "scaling=strong", "format": "jsonl"}, 422, "options"),
        ({"create": "perhaps"}, 400, "create"),
        ({"metadata": "[" * 50_000}, 400, "metadata"),
        ({"metadata": "[1]"}, 400, "metadata"),
        ({"metadata": '{"a": NaN}'}, 400, "metadata"),
        ({"metadata": '{"a": 1e999}'}, 400, "metadata"),
        ({"metadata": '{"a": 1, "a": 2}'}, 400, "metadata"),
        ({"metadata": '{"a": "\\u0000"}'}, 400, "metadata"),
        ({"metadata": '{"a": "\\ud800"}'}, 400, "metadata"),
        ({"metadata": '{"a": "\\u202e"}'}, 400, "metadata"),
        ({"metadata": '{"a\\u3164": 1}'}, 400, "metadata"),
        ({"metadata": '{"a": ' + "9" * 5000 + "}"}, 400, "metadata"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_every_invalid_field_is_named(api, changed, status, wrong):
    sent = {"file": file(), "version": "1.0"} | changed
    problem = api.post(ADDRESS, status, **{name: value for name, value in sent.items() if value is not None})
    assert fields(problem) == {wrong}
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"file": None}, "Found no file, expected one; curl sends it with -F file=@NAME"),
        ({"file": "nightly.jsonl"}, "Found a text, expected a file"),
        ({"version": "1.0\N{RIGHT-TO-LEFT OVERRIDE}"}, "Found the character U+202E"),
    ],
)
def test_errors_say_what_was_found_and_what_was_expected(api, changed, said):
    sent = {"file": file(), "version": "1.0"} | changed
    answer = api.client.post(
        f"/api/v1/{ADDRESS}", {name: value for name, value in sent.items() if value is not None}
    )
    assert said in answer.json()["detail"]


def test_runs_are_added_to_one_campaign_and_a_correction_replaces_one(api, conforms):
    first = api.post(ADDRESS, file=file(), version="1.0", campaign="night")
    assert (first["campaign_key"], first["replaces"]) == ("night", None)
    assert fields(api.post(ADDRESS, 422, file=file(LINES * 2), version="1.0", replaces="99")) == {"replaces"}
    for upload in Upload.objects.all():
        upload_ingest(upload.pk)
    again = api.post(ADDRESS, file=file(LINES * 2), version="1.0", replaces=str(first["id"]))
    conforms(again, "Upload")
    assert (again["campaign_key"], again["replaces"]) == ("night", first["url"])
    first = api.get(f"uploads/{first['id']}/")
    assert first["state"] == "collecting"
    campaign = api.get(f"campaigns/{Campaign.objects.get().pk}/")
    conforms(campaign, "Campaign")
    assert campaign["key"] == "night"
    assert campaign["settles_at"]
    assert campaign["uploads"] == [first["url"]]


@pytest.mark.parametrize("said", ["", "true", "1"])
def test_a_dry_run_describes_the_file_and_stores_nothing(api, conforms, said):
    sent = api.post(f"{ADDRESS}?dry_run={said}", file=file(), version="1.0")
    assert sent["dry_run"]
    upload_ingest(sent["id"])
    found = api.get(f"uploads/{sent['id']}/")
    conforms(found, "Upload")
    assert (found["state"], found["campaign"]) == ("read", None)
    assert found["diagnosis"]["parameters"][0]["name"] == "p"
    assert not Application.objects.exists()


def test_an_invalid_value_of_dry_run_is_refused(api):
    assert not api.post(f"{ADDRESS}?dry_run=false", file=file(), version="1.0")["dry_run"]
    assert fields(api.post(f"{ADDRESS}?dry_run=perhaps", 400, file=file(), version="1.0")) == {"dry_run"}


def test_metadata_may_contain_brackets_in_texts(api):
    api.post(ADDRESS, file=file(), version="1.0", metadata=json.dumps({"flags": "[" * 100 + '"'}))
    assert Upload.objects.get().metadata["flags"].startswith("[[[")


def test_create_false_creates_nothing(api):
    problem = api.post(ADDRESS, 404, file=file(), version="1.0", create="false")
    assert "no application “hydro”" in problem["detail"]
    make_campaign(make_application(api.project), "1.0")
    assert fields(api.post(ADDRESS, 422, file=file(), version="2.0", create="false")) == {"version"}
    api.post(ADDRESS, file=file(), version="1.0", create="false")


@pytest.mark.parametrize("name", ["My Solver.2", "My%20Solver%2F2", "my solver 2"])
def test_a_name_that_is_no_slug_is_converted_and_the_answer_says_so(api, conforms, name):
    body = api.post(f"applications/{name}/uploads/", file=file(), version="1.0")
    conforms(body, "Upload")
    assert body["application"] == "my-solver-2"
    assert body["notes"] == [f"The application “{unquote(name)}” is stored as my-solver-2."]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "Found “”"),
        ("+++", "Found “+++”, expected a name with"),
        ("x" * 70, "a name of 70 characters"),
        ("x" + "+" * 120, "a name of 121 characters"),
    ],
)
def test_a_name_that_gives_no_address_is_refused(api, name, said):
    problem = api.post(f"applications/{name}/uploads/", 422, file=file(), version="1.0")
    assert fields(problem) == {"application"}
    assert said in problem["detail"]


def test_create_false_creates_nothing_for_a_name_either(api):
    api.post("applications/Hydro/uploads/", 404, file=file(), version="1.0", create="false")
    make_campaign(make_application(api.project), "1.0")
    api.post("applications/Hydro/uploads/", file=file(), version="1.0", create="false")


def test_a_body_that_is_too_large_is_refused_unread(api, settings, monkeypatch):
    settings.UPLOAD_BYTES = 1000
    monkeypatch.setattr("perfweb.api.views.uploads.FORM_BYTES", 500)
    monkeypatch.setattr("rest_framework.parsers.MultiPartParser.parse", None)
    problem = api.post(ADDRESS, 413, file=file(b"x" * 2000), version="1.0")
    assert "expected a file of at most 1\N{NO-BREAK SPACE}kB" in problem["detail"]


def test_a_form_whose_file_is_too_large_is_refused(api, settings):
    settings.UPLOAD_BYTES = 1000
    assert fields(api.post(ADDRESS, 422, file=file(b"x" * 2000), version="1.0")) == {"file"}


@pytest.mark.parametrize("length", ["", "-1", "many", "1" * 5000])
def test_a_body_of_unknown_length_is_refused(api, length):
    answer = api.client.post(f"/api/v1/{ADDRESS}", {"version": "1"}, CONTENT_LENGTH=length)
    assert answer.status_code == 411


def test_a_token_of_a_user_who_became_a_viewer_cannot_upload(api):
    api.project.memberships.update(role=Role.VIEWER)
    problem = api.post(ADDRESS, 403, file=file(), version="1.0")
    assert "needs the role contributor" in problem["detail"]


def test_without_a_token_the_project_must_be_clear():
    project, other = make_project("storm"), make_project("calm")
    client = Client()
    client.force_login(make_member(project, Role.CONTRIBUTOR))

    def post(**more: object) -> Any:
        return client.post(f"/api/v1/{ADDRESS}", {"file": file(), "version": "1.0", **more})

    assert post().json()["project"] == "storm"
    assert post(project="calm").status_code == 404
    other.memberships.create(user=project.memberships.get().user, role=Role.VIEWER)
    assert fields(post().json()) == {"project"}
    assert post(project="storm").status_code == 202
    assert post(project="calm").status_code == 403


def test_a_token_cannot_upload_to_another_project(api):
    make_project("calm").memberships.create(user=api.user, role=Role.OWNER)
    api.post(ADDRESS, 404, file=file(), version="1.0", project="calm")


def test_a_token_that_only_uploads_sees_only_the_uploads_of_its_user():
    api = Api(UPLOAD)
    mine = api.post(ADDRESS, file=file(), version="1.0")
    other = Api(UPLOAD, project=api.project).post(ADDRESS, file=file(), version="1.1")
    assert api.get(f"uploads/{mine['id']}/") == mine
    api.get(f"uploads/{other['id']}/", 404)
    assert Api(READ, project=api.project).get(f"uploads/{other['id']}/") == other


def test_a_failed_upload_names_file_and_line(api, conforms):
    upload = api.post(ADDRESS, file=file(), version="1.0")
    error = {"message": "…", "file": "nightly.jsonl", "line": 7, "found": "NaN", "expected": "a number"}
    Upload.objects.update(state=Upload.State.FAILED, error=error)
    body = api.get(f"uploads/{upload['id']}/")
    conforms(body, "Upload")
    assert body["error"] == error
    Upload.objects.update(error={"message": "Set aside."})
    body = api.get(f"uploads/{upload['id']}/")
    conforms(body, "Upload")
    assert body["error"] == {
        "message": "Set aside.",
        "file": None,
        "line": None,
        "found": None,
        "expected": None,
    }


def test_after_disk_full_errors_the_portal_says_so_and_stores_nothing(api, monkeypatch, settings):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ingest.services.uploads._sync", full)
    before = set(Path(settings.MEDIA_ROOT).rglob("*"))
    answer = api.client.post(f"/api/v1/{ADDRESS}", {"file": file(), "version": "1.0"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert answer.json()["type"] == "urn:perfweb:problem:disk_full"
    assert not [path for path in set(Path(settings.MEDIA_ROOT).rglob("*")) - before if path.is_file()]
    assert not Upload.objects.exists()


def test_uploads_to_a_full_disk_are_refused(api, full_disk, settings):
    settings.MEDIA_ROOT = full_disk
    answer = api.client.post(f"/api/v1/{ADDRESS}", {"file": file(LINES * 100), "version": "1.0"})
    assert answer.json()["type"] == "urn:perfweb:problem:disk_full"
    assert [path.name for path in full_disk.rglob("*") if path.is_file()] == ["all"]
    assert not Upload.objects.exists()


def test_an_unreachable_database_leaves_no_file(api, monkeypatch, settings):
    def away(*_: object) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr("ingest.services.uploads.receipt_record", away)
    before = set(Path(settings.MEDIA_ROOT).rglob("*"))
    answer = api.client.post(f"/api/v1/{ADDRESS}", {"file": file(), "version": "1.0"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["type"] == "urn:perfweb:problem:database_away"
    assert not [path for path in set(Path(settings.MEDIA_ROOT).rglob("*")) - before if path.is_file()]
    assert not Upload.objects.exists()


def test_uploads_are_accepted_if_rate_limits_cannot_be_counted(api, monkeypatch):
    def away(*_: object, **__: object) -> None:
        raise BrokerAway("away")

    for name in ("get", "set"):
        monkeypatch.setattr(cache, name, away)
    assert api.client.post(f"/api/v1/{ADDRESS}", {"file": file(), "version": "1.0"}).status_code == 202


@pytest.mark.parametrize("query", ["", "?dry_run"])
def test_a_waiting_client_gets_the_error_of_its_file(api, monkeypatch, query):
    monkeypatch.setattr("ingest.services.uploads.enqueue", lambda task, row: upload_ingest(row.pk))
    answer = api.client.post(
        f"/api/v1/{ADDRESS}{query}",
        {"file": file(b'{"params": {"p": 4}, "value": -1}'), "version": "1.0"},
        headers={"Prefer": "respond-async, wait=10"},
    )
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:perfweb:problem:unreadable"
    assert "nightly.jsonl, line 1: found the value “-1.0”" in problem["detail"]
    assert answer["Location"] == f"http://testserver/api/v1/uploads/{Upload.objects.get().pk}/"


def test_a_waiting_client_of_a_dry_run_gets_the_diagnosis(api, conforms, monkeypatch):
    monkeypatch.setattr("ingest.services.uploads.enqueue", lambda task, row: upload_ingest(row.pk))
    data = {"file": file(), "version": "1.0"}
    answer = api.client.post(f"/api/v1/{ADDRESS}?dry_run", data, headers={"Prefer": "wait=10"})
    assert answer.status_code == 202
    assert answer.json()["diagnosis"]["point_count"] == 1
    conforms(answer.json(), "Upload")


def test_the_answer_comes_at_the_latest_after_the_preferred_seconds(api, monkeypatch):
    monkeypatch.setattr(waiting, "PAUSE", 0.3)
    data = {"file": file(), "version": "1.0"}
    begun = time.monotonic()
    answer = api.client.post(f"/api/v1/{ADDRESS}", data, headers={"Prefer": "wait=1"})
    assert answer.json()["state"] == "received"
    assert 1 <= time.monotonic() - begun < 3


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("wait=5", 5), ("respond-async, wait=10", 10), ('wait = "7"', 7), ("WAIT=7", 7), ("wait=0", 0),
        ("wait=3600", LONGEST_WAIT), ("wait=-1", 0), ("wait=soon", 0), ("wait", 0), ("await=5", 0), ("", 0),
    ],
)  # fmt: skip
def test_the_preferred_seconds_are_read_and_limited(monkeypatch, api, header, seconds):
    begun, waited = 1000.0, []
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: begun))
    monkeypatch.setattr(waiting, "_after", lambda pk, end: waited.append(end - begun))
    data = {"file": file(), "version": "1.0"}
    assert api.client.post(f"/api/v1/{ADDRESS}", data, headers={"Prefer": header}).status_code == 202
    assert waited == [seconds] * bool(seconds)


def test_only_a_few_clients_wait_at_the_same_time(api, monkeypatch):
    monkeypatch.setattr(waiting, "PLACES", BoundedSemaphore(1))
    assert waiting.PLACES.acquire(blocking=False)
    data = {"file": file(), "version": "1.0"}
    begun = time.monotonic()
    assert api.client.post(f"/api/v1/{ADDRESS}", data, headers={"Prefer": "wait=20"}).status_code == 202
    assert time.monotonic() - begun < 10


def test_a_stored_upload_links_to_its_campaign(api, conforms):
    campaign = make_campaign(make_application(api.project), "1.0")
    body = api.get(f"uploads/{campaign.uploads.get().pk}/")
    conforms(body, "Upload")
    assert body["campaign"] == f"http://testserver/api/v1/campaigns/{campaign.pk}/"
    assert body["models"] == f"http://testserver/api/v1/campaigns/{campaign.pk}/models/"
    conforms(api.get(f"campaigns/{campaign.pk}/"), "Campaign")
