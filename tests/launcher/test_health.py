from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as BrokerAway

from ingest.models import Upload
from perfweb.launcher import tables
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def _unfinished() -> Upload:
    names = {"application_slug": "a", "version_label": "1", "filename": "a.jsonl", "sha256": "0" * 64}
    return Upload.objects.create(project=make_project(), size=1, **names)


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


def test_it_tells_how_long_uploads_wait(client: Client) -> None:
    upload = _unfinished()
    Upload.objects.filter(pk=upload.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    assert client.get("/readyz").json()["oldest_waiting_seconds"] == pytest.approx(120, abs=10)
    Upload.objects.update(state=Upload.State.DONE)
    assert client.get("/readyz").json()["oldest_waiting_seconds"] is None


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
