import errno
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from ingest.models import Upload
from ingest.services import preview_store
from ingest.tasks import upload_ingest
from perfweb.accounts.models import Role
from perfweb.portal.text.topics.stages import stages
from tests.factories import make_application, make_campaign, make_member, make_project
from tests.ingest.formats import cubex

pytestmark = pytest.mark.django_db

LINES = b'{"params": {"p": 4}, "callpath": "main", "metric": "time", "value": [1.0, 1.1]}\n'

RUNS = cubex.tar({f"app.p{p}/profile.cubex": cubex.profile(*cubex.simple(p)) for p in (2, 4)})


@pytest.fixture
def project():
    return make_project("storm")


@pytest.fixture
def member(project, client, monkeypatch):
    monkeypatch.setattr("ingest.services.uploads.enqueue", lambda task, row: None)
    member = make_member(project, Role.CONTRIBUTOR)
    client.force_login(member)
    return member


def send(client: Client, content: bytes = LINES, **changed: object) -> Any:
    fields = {"project": "storm", "application": "Hydro", "version": "1.0", "machine": "", "format": ""}
    file = SimpleUploadedFile("night.jsonl", content)
    return client.post("/upload/", {"file": file, **fields, **changed})


def test_it_works(client, member, project):
    answer = send(client, commit="4f2c91a", machine="cluster-a")
    upload = Upload.objects.get()
    assert answer["Location"] == f"/uploads/{upload.pk}/"
    assert (upload.application_slug, upload.version_label, upload.commit) == ("hydro", "1.0", "4f2c91a")
    assert (upload.user, upload.project, upload.token) == (member, project, None)


def test_the_form_shows_limits_formats_and_the_command(client, member, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        page = client.get("/upload/").content.decode()
    assert "537 MB" in page
    assert "Score-P, Caliper" in page
    assert "http://testserver/api/v1/applications/myapp/uploads/" in page


def test_modelers_of_the_campaign_can_be_chosen(client, member):
    send(client, modelers=["evidence", "adaptive"])
    upload = Upload.objects.get()
    assert upload.modelers == ["evidence", "adaptive"]
    assert "evidence, adaptive" in client.get(f"/uploads/{upload.pk}/").content.decode()
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    runs = upload.campaign.runs.order_by("-shown")
    assert [(run.modeler, run.shown) for run in runs] == [("evidence", True), ("adaptive", False)]


def test_an_unknown_modeler_is_refused(client, member):
    assert send(client, modelers=["oracle"]).status_code == 422
    assert not Upload.objects.exists()


def test_the_address_can_fill_in_the_form(client, member):
    page = client.get("/upload/?project=storm&application=hydro&version=2.0").content.decode()
    assert 'value="hydro"' in page
    assert 'value="2.0"' in page


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"version": ""}, "This field is required"),
        ({"version": "1\N{RIGHT-TO-LEFT OVERRIDE}0"}, "printable characters"),
        ({"application": "→"}, "at least one letter a–z or digit"),
        ({"project": "calm"}, "Select a valid choice"),
        ({"format": "xlsx"}, "Select a valid choice"),
        ({"content": b""}, "The submitted file is empty"),
        ({"file": ""}, "This field is required"),
    ],
)
def test_invalid_fields_are_refused_beside_the_field(client, member, changed, said):
    make_member(make_project("calm"), Role.OWNER)
    answer = send(client, **changed)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Upload.objects.exists()


def test_a_body_that_is_too_large_is_not_read(client, member, settings, monkeypatch):
    settings.UPLOAD_BYTES = 1000
    monkeypatch.setattr("perfweb.portal.views.uploads.upload.FORM_BYTES", 500)
    monkeypatch.setattr("django.core.handlers.wsgi.WSGIRequest._load_post_and_files", None)
    answer = send(client, b"x" * 2000)
    assert answer.status_code == 413
    assert 'up to <span title="1000 B">1 kB</span>' in answer.content.decode()


def test_a_request_needs_the_csrf_token(member):
    client = Client(enforce_csrf_checks=True)
    client.force_login(member)
    answer = send(client)
    assert answer.status_code == 403
    assert "This form is out of date" in answer.content.decode()
    assert not Upload.objects.exists()


def test_the_same_bytes_lead_to_the_same_upload(client, member):
    assert send(client)["Location"] == send(client)["Location"]


def test_a_file_that_was_stored_long_ago_is_said_to_be_there_already(client, member):
    told = "Version 1.0 has this file already. It was not stored again."
    address = send(client)["Location"]
    assert told not in client.get(address).content.decode()
    Upload.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    send(client)
    assert told in client.get(address).content.decode()
    upload_ingest(Upload.objects.get().pk)
    upload = look(client)
    upload_ingest(upload.pk)
    client.post(f"/uploads/{upload.pk}/preview/", {"store": "yes"})
    assert told in client.get(address).content.decode()


def test_the_page_reloads_until_the_upload_is_done(client, member):
    send(client)
    upload = Upload.objects.get()
    page = client.get(f"/uploads/{upload.pk}/").content.decode()
    assert f'hx-get="/uploads/{upload.pk}/" hx-trigger="every 1s"' in page
    assert "tries again" not in page
    Upload.objects.update(cause="the portal's disk was full")
    page = client.get(f"/uploads/{upload.pk}/").content.decode()
    assert "It waits, because the portal" in page
    Upload.objects.update(state=Upload.State.DONE)
    part = client.get(f"/uploads/{upload.pk}/", headers={"HX-Request": "true"})
    assert "hx-get" not in part.content.decode()
    assert "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]


def test_a_failure_names_the_line_and_what_to_do(client, member):
    send(client)
    error = {"message": "m", "file": "night.jsonl", "line": 7, "found": "“NaN”", "expected": "a number"}
    Upload.objects.update(state=Upload.State.FAILED, error=error)
    page = client.get(f"/uploads/{Upload.objects.get().pk}/").content.decode()
    assert "The file cannot be read." in page  # the message would repeat the facts below it
    for said in ("night.jsonl", "<dd>7</dd>", "“NaN”", "a number", "None of its values were stored"):
        assert said in page
    assert "/upload/?project=storm&amp;application=hydro&amp;version=1.0" in page


def test_names_are_escaped(client, member):
    send(client, version="<b>1</b>")
    page = client.get(f"/uploads/{Upload.objects.get().pk}/").content.decode()
    assert "<b>1</b>" not in page
    assert "&lt;b&gt;1" in page


def test_a_stored_upload_links_to_its_campaign(client, member, project):
    campaign = make_campaign(make_application(project), "1.0")
    assert (
        f'href="/campaigns/{campaign.pk}/"'
        in client.get(f"/uploads/{campaign.uploads.get().pk}/").content.decode()
    )


def test_a_campaign_that_waits_for_runs_says_so(client, member, project, django_assert_max_num_queries):
    send(client, campaign="night")
    upload = Upload.objects.get()
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    page = client.get(f"/uploads/{upload.pk}/").content.decode()
    assert "Collecting" in page
    assert "waits for further runs" in page
    with django_assert_max_num_queries(12):
        page = client.get(f"/campaigns/{upload.campaign_id}/").content.decode()
    assert "1 upload of the campaign “night” is stored so far" in page
    send(client, LINES.replace(b"4", b"8"), campaign="night")
    for waiting in Upload.objects.filter(campaign=None):
        upload_ingest(waiting.pk)
    page = client.get(f"/campaigns/{upload.campaign_id}/").content.decode()
    assert f"/projects/storm/uploads/?campaign={upload.campaign_id}" in page
    listed = client.get(f"/projects/storm/uploads/?campaign={upload.campaign_id}").content.decode()
    assert listed.count("night.jsonl") == 2
    assert "night.jsonl" not in client.get("/projects/storm/uploads/?campaign=99").content.decode()


def test_a_corrected_file_can_be_sent_from_the_page_of_the_wrong_one(client, member, project):
    send(client)
    wrong = Upload.objects.get()
    upload_ingest(wrong.pk)
    address = f"replaces={wrong.pk}"
    page = client.get(f"/uploads/{wrong.pk}/").content.decode()
    assert address in page
    assert f"replaces upload {wrong.pk}" in client.get(f"/upload/?{address}").content.decode()
    send(client, LINES.replace(b"1.1", b"1.2"), replaces=wrong.pk)
    upload_ingest(Upload.objects.latest("pk").pk)
    page = client.get(f"/uploads/{wrong.pk}/").content.decode()
    assert "A corrected file has taken its place" in page
    assert "corrected by" in page
    assert address not in page


@pytest.mark.parametrize("wrong", ["x", "0", "9" * 30])
def test_a_corrected_upload_must_exist(client, member, wrong):
    assert client.get(f"/upload/?replaces={wrong}").status_code == 200
    assert send(client, replaces=wrong).status_code == 422


def test_the_list(client, member, project, django_assert_max_num_queries):
    application = make_application(project)
    for number in range(60):
        make_campaign(application, f"1.{number}")
    with django_assert_max_num_queries(12):
        page = client.get("/projects/storm/uploads/").content.decode()
    assert "1.59" in page
    assert "1.9.jsonl" not in page
    assert "1.9.jsonl" in client.get("/projects/storm/uploads/?page=2").content.decode()
    assert client.get("/projects/storm/uploads/?page=x").status_code == 200


def test_an_upload_of_another_project_is_not_found(client, member):
    other = make_campaign(make_application(), "1.0")
    assert client.get(f"/uploads/{other.uploads.get().pk}/").status_code == 404


NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("state", "stored", "expected"),
    [
        ("received", False, ("done", "later", "later")),
        ("parsing", False, ("done", "now", "later")),
        ("stored", True, ("done", "done", "later")),
        ("modeling", True, ("done", "done", "now")),
        ("done", True, ("done", "done", "done")),
        ("failed", False, ("done", "failed", "later")),
        ("failed", True, ("done", "done", "failed")),
    ],
)
def test_stages(state, stored, expected):
    upload = Upload(state=state, progress=0.5, created_at=NOW, finished_at=NOW)
    way = stages(upload, NOW if stored else None)
    assert tuple(step.state for step in way) == expected
    assert [step.progress for step in way] == [0.5 if step.state == "now" else None for step in way]


def test_the_form_stores_branch_date_and_metadata(client, member):
    send(client, branch="main", committed_at="2026-05-04T10:30", metadata='{"compiler": "gcc 14"}')
    upload = Upload.objects.get()
    assert (upload.branch, upload.metadata) == ("main", {"compiler": "gcc 14"})
    assert upload.committed_at == datetime(2026, 5, 4, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ("{compiler: gcc}", "something that is not JSON at line 1, column 2"),
        ("[1]", "JSON that is no object"),
        ('{"a": NaN}', "NaN, which is not JSON"),
        ('{"a": 1e999}', "a number too large for JSON"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_invalid_metadata_is_explained(client, member, metadata, found):
    answer = send(client, metadata=metadata)
    assert answer.status_code == 422
    assert f"Found {found}, expected one JSON object" in answer.content.decode()
    assert '<details class="more" open>' in answer.content.decode()


def test_file_names_lose_their_control_characters(client, member):
    file = SimpleUploadedFile("x", LINES)
    file.name = "run\u202elnosj.\x07txt"
    client.post("/upload/", {"file": file, "project": "storm", "application": "hydro", "version": "1"})
    assert Upload.objects.get().filename == "runlnosj.txt"


def test_a_full_disk_is_reported(client, member, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ingest.services.uploads._sync", full)
    answer = send(client)
    assert answer.status_code == 503
    assert "disk is full. Nothing was stored" in answer.content.decode()
    assert not Upload.objects.exists()


def look(client: Client, content: bytes = LINES, **changed: object) -> Upload:
    answer = send(client, content, preview="yes", **changed)
    upload = Upload.objects.latest("pk")
    assert answer["Location"] == f"/uploads/{upload.pk}/preview/"
    return upload


def test_a_preview_describes_the_content_of_the_file(client, member, django_assert_max_num_queries):
    upload = look(client)
    assert "It is being read" in client.get(f"/uploads/{upload.pk}/preview/").content.decode()
    upload_ingest(upload.pk)
    with django_assert_max_num_queries(12):
        page = client.get(f"/uploads/{upload.pk}/preview/").content.decode()
    assert "JSON Lines" in page
    assert "p has only one value, so no law can depend on it" in page
    assert "<dd>2 at each point</dd>" in page
    assert '<details class="more" open><summary>1 kernel</summary>' in page
    assert '<option value="processes" selected>' in page
    assert 'name="metric.time" value="s"' in page
    assert client.get(f"/uploads/{upload.pk}/")["Location"] == f"/uploads/{upload.pk}/preview/"


def test_a_preview_is_stored_with_corrections(client, member):
    upload = look(client)
    upload_ingest(upload.pk)
    fields = {
        "store": "yes",
        "role.p": "other",
        "unit.p": "nodes",
        "metric.time": "ms",
        "better.time": "higher",
    }
    answer = client.post(f"/uploads/{upload.pk}/preview/", fields)
    assert answer["Location"] == f"/uploads/{upload.pk}/"
    upload.refresh_from_db()
    assert upload.described == {
        "application": "Hydro",
        "roles": {"p": "other"},
        "units": {"p": "nodes"},
        "metric_units": {"time": "ms"},
        "metric_better": {"time": "higher"},
    }


def test_the_direction_of_a_metric_can_be_changed_in_the_preview(client, member):
    upload = look(client, b'{"params": {"p": 4}, "callpath": "main", "metric": "GFLOPS", "value": 3}')
    upload_ingest(upload.pk)
    page = client.get(f"/uploads/{upload.pk}/preview/").content.decode()
    assert 'name="metric.GFLOPS" value="GFLOP/s"' in page
    assert '<option value="higher" selected>higher</option>' in page
    fields = {"store": "yes", "better.GFLOPS": "sideways"}
    answer = client.post(f"/uploads/{upload.pk}/preview/", fields)
    assert answer.status_code == 422
    assert "expected lower or higher" in answer.content.decode()


def test_a_second_click_leads_to_the_stored_upload(client, member, monkeypatch):
    upload = look(client)
    upload_ingest(upload.pk)

    def both(**fields):
        preview_store(**fields)
        return preview_store(**fields)

    monkeypatch.setattr("perfweb.portal.views.uploads.preview.preview_store", both)
    answer = client.post(f"/uploads/{upload.pk}/preview/", {"store": "yes"})
    assert answer["Location"] == f"/uploads/{upload.pk}/"


def test_an_invalid_role_is_refused_in_the_preview(client, member):
    upload = look(client)
    upload_ingest(upload.pk)
    answer = client.post(f"/uploads/{upload.pk}/preview/", {"store": "yes", "role.p": "<king>"})
    assert answer.status_code == 422
    assert "found the role “&lt;king&gt;”" in answer.content.decode()


def test_a_preview_can_be_read_again_with_other_options(client, member, monkeypatch):
    monkeypatch.setattr("ingest.services.previews.enqueue", lambda task, row: None)
    upload = look(client, RUNS)
    upload_ingest(upload.pk)
    address = f"/uploads/{upload.pk}/preview/"
    assert "how a run&#x27;s processes" in client.get(address).content.decode()
    assert client.post(address, {"reread": "yes", "options": "scaling"}).status_code == 422
    assert client.post(address, {"reread": "yes", "options": "scaling=sideways"})["Location"] == address
    upload_ingest(upload.pk)
    page = client.get(address).content.decode()
    assert "found the scaling “sideways”" in page
    assert 'value="scaling=sideways"' in page
    client.post(address, {"reread": "yes", "options": "scaling=strong; metrics=time"})
    upload_ingest(upload.pk)
    page = client.get(address).content.decode()
    assert 'name="metric.time"' in page
    assert 'name="metric.visits"' not in page


def test_options_of_the_form_are_kept_for_a_correction(client, member):
    assert "expected scaling or" in send(client, RUNS, options="scalign=strong").content.decode()
    page = client.get(send(client, RUNS, options="scaling=strong")["Location"]).content.decode()
    assert "<dt>scaling</dt><dd>strong</dd>" in page
    assert Upload.objects.get().options == {"scaling": "strong"}


def test_a_preview_can_be_discarded(client, member):
    upload = look(client)
    assert client.post(f"/uploads/{upload.pk}/preview/", {"discard": "yes"})["Location"] == "/upload/"
    assert not Upload.objects.exists()


def test_a_preview_of_an_unreadable_file_shows_the_error(client, member):
    upload = look(client, b"{")
    upload_ingest(upload.pk)
    page = client.get(f"/uploads/{upload.pk}/preview/", headers={"HX-Request": "true"}).content.decode()
    assert "It cannot be read" in page
    assert "<html" not in page


def test_a_viewer_sees_a_preview_but_cannot_store_it(client, member, project):
    upload = look(client)
    upload_ingest(upload.pk)
    client.force_login(make_member(project, Role.VIEWER))
    assert "Store it" not in client.get(f"/uploads/{upload.pk}/preview/").content.decode()
    assert client.post(f"/uploads/{upload.pk}/preview/", {"store": "yes"}).status_code == 403


def test_previews_are_not_listed_as_work_under_way(client, member):
    look(client)
    assert "night.jsonl" not in client.get("/").content.decode()
