import resource
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as BrokerAway

from ingest.models import Upload
from ingest.services.growing import campaigns_settle
from ingest.tasks import upload_ingest
from ingest.work import MOST_ATTEMPTS, claimed
from modeling.models import Comparison, ModelRun, Portion
from perfweb.health import probes
from perfweb.launcher import tables
from perfweb.notices.models import Delivery, Notice, Webhook
from tests.factories import make_application, make_campaign, make_project

pytestmark = pytest.mark.django_db


State = Upload.State
AGO = timedelta(minutes=2)


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    probes.database_takes.cache_clear()
    probes.files_take.cache_clear()


def _upload(**fields: object) -> Upload:
    """Return an upload that was sent two minutes ago."""
    names = {"application_slug": "a", "version_label": "1", "filename": "a.jsonl", "sha256": "0" * 64}
    then = timezone.now() - AGO
    fields = names | {"created_at": then, "queued_at": then} | fields
    return Upload.objects.create(project=make_project(), size=1, **fields)


def _waiting(client: Client) -> float | None:
    seconds: float | None = client.get("/readyz").json()["oldest_waiting_seconds"]
    return seconds


def test_it_works(client: Client) -> None:
    answer = client.get("/livez")
    assert (answer.status_code, answer.content) == (200, b"ok")


def test_ready(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "database": True,
        "tables": True,
        "broker": True,
        "files": True,
        "oldest_waiting_seconds": None,
        "warnings": [],
    }
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("state", [State.RECEIVED, State.PARSING, State.STORED])
def test_the_probe_returns_how_long_uploads_have_waited(client: Client, state: str) -> None:
    _upload(state=state)
    assert _waiting(client) == pytest.approx(120, abs=10)


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.REPLACED, State.READ])
def test_work_that_no_worker_has_to_do_does_not_count_as_waiting(client: Client, state: str) -> None:
    _upload(state=state, dry_run=state == State.READ)
    assert _waiting(client) is None


def test_work_in_progress_does_not_count_as_waiting(client: Client) -> None:
    _upload(state=State.MODELING)  # Its portions are modelled without claiming the upload.
    parsed = _upload(state=State.PARSING, sha256="1" * 64)
    with claimed(Upload.objects.all(), parsed.pk):
        assert _waiting(client) is None
    assert _waiting(client) == pytest.approx(120, abs=10)  # The worker no longer holds the upload.


def test_a_campaign_to_be_read_again_counts_as_waiting(client: Client) -> None:
    campaign = make_campaign(make_application(), "1.0")
    campaign.queued_at = timezone.now() - AGO
    campaign.save()
    assert _waiting(client) == pytest.approx(120, abs=10)


def test_a_stored_preview_counts_as_waiting_since_it_was_stored(client: Client) -> None:
    _upload(created_at=timezone.now() - timedelta(hours=20))
    assert _waiting(client) == pytest.approx(120, abs=10)


def test_a_growing_campaign_waits_only_once_it_is_complete(client: Client) -> None:
    campaign = make_campaign(make_application(), "1.0")
    campaign.settles_at = timezone.now() + timedelta(seconds=5)
    campaign.save()
    _upload(state=State.COLLECTING, campaign=campaign)
    assert _waiting(client) is None
    campaign.settles_at = timezone.now() - timedelta(seconds=5)
    campaign.save()
    assert _waiting(client) == pytest.approx(120, abs=10)
    campaigns_settle()
    assert _waiting(client) == pytest.approx(0, abs=10)


def _warnings(client: Client) -> list[str]:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    found: list[str] = answer.json()["warnings"]
    return found


def test_work_that_lost_its_worker_gives_a_warning(client: Client) -> None:
    upload = _upload(state=State.PARSING, attempts=1)
    (warning,) = _warnings(client)
    assert warning.startswith("Uploads that lost their worker and that no other has taken for up to 12")
    assert " s: 1. Check" in warning
    with claimed(Upload.objects.all(), upload.pk):
        assert not _warnings(client)
    Upload.objects.update(queued_at=timezone.now())  # The upload has been sent to another worker.
    assert not _warnings(client)


def test_work_in_the_queue_gives_no_warning(client: Client) -> None:
    _upload(state=State.RECEIVED)
    assert not _warnings(client)


@pytest.mark.parametrize("work", ["run", "portion", "comparison"])
def test_modeling_that_lost_its_worker_gives_a_warning(client: Client, work: str) -> None:
    begun = {"attempts": 1, "queued_at": timezone.now() - AGO}
    application = make_application()
    before, after = (make_campaign(application, label) for label in ("1.0", "1.1"))
    if work == "comparison":
        Comparison.objects.create(application=application, before=before, after=after, **begun)
    else:
        run = ModelRun.objects.create(campaign=before, modeler="evidence", **(begun if work == "run" else {}))
    if work == "portion":
        metric = application.metrics.get()
        Portion.objects.create(run=run, metric=metric, kernels=[1], in_total=[True], **begun)
    (warning,) = _warnings(client)
    assert work in warning.lower()


def test_abandoned_work_gives_a_warning_for_a_day(client: Client) -> None:
    _upload(state=State.FAILED, attempts=2)
    assert not _warnings(client)
    Upload.objects.update(attempts=MOST_ATTEMPTS)
    upload_ingest(_upload(state=State.PARSING, attempts=MOST_ATTEMPTS, sha256="1" * 64).pk)
    (warning,) = _warnings(client)
    assert warning.startswith("Uploads that were given up within the last day")
    assert "never finished: 1." in warning
    Upload.objects.update(queued_at=timezone.now() - timedelta(days=2))
    assert not _warnings(client)


def _delivery(**fields: object) -> Delivery:
    """Return a notice for a webhook that has been due for two minutes."""
    application = make_application()
    hook = Webhook.objects.create(project=application.project, url="https://example.org/", secret="x")
    notice = Notice.objects.create(application=application, kind=Notice.Kind.OPENED)
    given = {"due_at": timezone.now() - AGO} | fields
    return Delivery.objects.create(notice=notice, webhook=hook, **given)


def test_a_notice_that_nobody_sends_gives_a_warning(client: Client) -> None:
    delivery = _delivery()
    (warning,) = _warnings(client)
    assert warning.startswith("Notices of changes that are due but that no worker has sent for up to 12")
    with claimed(Delivery.objects.all(), delivery.pk):
        assert not _warnings(client)
    Delivery.objects.update(due_at=timezone.now() + AGO)  # The next attempt is due later.
    assert not _warnings(client)


def test_an_abandoned_notice_gives_a_warning_for_a_day(client: Client) -> None:
    _delivery(state=Delivery.State.FAILED)
    (warning,) = _warnings(client)
    assert warning.startswith("Notices of changes that were given up within the last day")
    Delivery.objects.update(due_at=timezone.now() - timedelta(days=2))
    assert not _warnings(client)


def _refuses(client: Client, part: str) -> bool:
    answer = client.get("/readyz")
    return answer.status_code == 503 and answer.json()[part] is False


def test_a_full_broker_gives_status_503(client: Client) -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        most = broker.config_get("maxmemory")["maxmemory"]
        broker.config_set("maxmemory", 1)
        try:
            assert _refuses(client, "broker")
        finally:
            broker.config_set("maxmemory", most)


def test_a_full_database_gives_status_503(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL temp_file_limit = '64kB'")
    assert _refuses(client, "database")


def test_a_read_only_database_gives_status_503(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    assert _refuses(client, "database")


def test_a_full_disk_gives_status_503(client: Client) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
    try:
        assert _refuses(client, "files")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk(client: Client, full_disk: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = full_disk
    assert _refuses(client, "files")


def test_the_result_of_writing_is_cached(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes.time, "monotonic", lambda: 1000.0)
    client.get("/readyz")
    monkeypatch.setattr(probes, "_write", None)
    assert client.get("/readyz").status_code == 200


def test_without_a_broker(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BrokerAway("away")

    monkeypatch.setattr(cache, "set", refuse)
    assert _refuses(client, "broker")


def test_without_a_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OperationalError("away")

    monkeypatch.setattr(connection, "ensure_connection", refuse)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert not answer.json()["database"]
    assert not answer.json()["tables"]


def test_without_tables(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "up_to_date", lambda: False)
    assert client.get("/readyz").status_code == 503


def test_only_reading(client: Client) -> None:
    assert client.post("/readyz").status_code == 405
