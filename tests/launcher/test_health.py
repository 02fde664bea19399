from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as BrokerAway

from ingest.models import Upload
from ingest.services.growing import campaigns_settle
from perfweb.launcher import tables
from tests.factories import make_application, make_campaign, make_project

pytestmark = pytest.mark.django_db


State = Upload.State
AGO = timedelta(minutes=2)


def _upload(**fields: object) -> Upload:
    """An upload that was sent two minutes ago."""
    names = {"application_slug": "a", "version_label": "1", "filename": "a.jsonl", "sha256": "0" * 64}
    then = timezone.now() - AGO
    fields = {"created_at": then, "queued_at": then} | fields
    return Upload.objects.create(project=make_project(), size=1, **names, **fields)


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
        "oldest_waiting_seconds": None,
    }
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("state", [State.RECEIVED, State.PARSING, State.STORED, State.MODELING])
def test_it_tells_how_long_uploads_wait(client: Client, state: str) -> None:
    _upload(state=state)
    assert _waiting(client) == pytest.approx(120, abs=10)


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.REPLACED, State.READ])
def test_what_no_worker_has_to_do_anything_about_does_not_wait(client: Client, state: str) -> None:
    _upload(state=state, dry_run=state == State.READ)
    assert _waiting(client) is None


def test_a_preview_that_is_stored_waits_since_then(client: Client) -> None:
    _upload(created_at=timezone.now() - timedelta(hours=20))
    assert _waiting(client) == pytest.approx(120, abs=10)


def test_a_campaign_that_still_grows_waits_for_its_runs_and_then_for_the_modeler(client: Client) -> None:
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


def test_without_a_broker(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise BrokerAway("away")

    monkeypatch.setattr(cache, "get", refuse)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["broker"]) == (503, False)


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
