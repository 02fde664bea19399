"""Workers process uploads, and continue with those of a worker that has died."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import psycopg2
import pytest
import redis
from celery import current_app
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from ingest import formats, work
from ingest.formats import Campaign as Parsed
from ingest.models import Application, Campaign, Series, Upload, Version
from ingest.services import uploads
from ingest.services.reading import upload_read
from ingest.signals import campaign_stored
from ingest.tasks import upload_ingest, uploads_sweep
from ingest.work import MOST_ATTEMPTS, ROW, SENT, UPKEEP, queue_of
from tests.factories import make_project
from tests.ingest.sent import measured, send

LOCK = "SELECT pg_try_advisory_lock(hashtext('ingest_upload'), %s)"


@pytest.fixture
def heard():
    campaigns = []

    def listen(campaign, **_):
        campaigns.append(campaign)

    campaign_stored.connect(listen)
    yield campaigns
    campaign_stored.disconnect(listen)


@pytest.fixture
def another_worker(project):
    """Return a database connection that is not the one of the test."""
    options = connection.get_connection_params()
    options.pop("cursor_factory", None)
    options.pop("context", None)
    other = psycopg2.connect(**options)
    other.autocommit = True
    yield other
    other.close()


def test_it_works(project, heard):
    upload = send(project)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.attempts, upload.error) == (Upload.State.STORED, 1, None)
    assert heard == [upload.campaign]
    assert Series.objects.get().rows()[0] == [4.0, 4.5]


def test_a_repeated_message_stores_the_upload_once(project, heard):
    upload = send(project)
    for _ in range(3):
        upload_ingest(upload.pk)
    assert Campaign.objects.count() == len(heard) == 1


def test_a_message_of_a_deleted_upload_has_no_effect(db):
    upload_ingest(12345)
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("content", [measured(solve=1.0), "nothing that is known"])
@pytest.mark.parametrize("dry_run", [True, False])
def test_an_upload_deleted_while_it_is_read_leaves_nothing(project, monkeypatch, content, dry_run):
    def read_and_delete(upload):
        Upload.objects.all().delete()
        return upload_read(upload)

    monkeypatch.setattr("ingest.services.uploads.upload_read", read_and_delete)
    upload_ingest(send(project, content, dry_run=dry_run).pk)
    assert not Upload.objects.exists()
    assert not Application.objects.exists()


def test_an_invalid_file_stores_only_its_error(project, heard):
    upload = send(project, measured(solve=1.0) + '\n{"params": {"p": 8}, "value": -1}')
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    assert upload.finished_at is not None
    expected = "a finite number that is not negative: 0, or from 1e-60 to 1e+60"
    assert upload.error == {
        "message": f"run.jsonl, line 6: found the value “-1.0”; expected {expected}",
        "file": "run.jsonl",
        "line": 6,
        "found": "the value “-1.0”",
        "expected": expected,
    }
    assert not Application.objects.exists()
    assert not Version.objects.exists()
    assert not heard


def test_missing_points_are_stored_and_noted(project):
    rows = measured(solve=1.0, io=2.0).splitlines()
    upload = send(project, "\n".join(rows[:-1]))
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.notes == ["main->io (time) lacks 1 of 5 points"]
    assert Series.objects.get(kernel__path="main->io").rows()[-1] == []


def test_the_named_format_is_used(project):
    upload = send(project, format="extrap-text")
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.error["line"] == 1
    assert "keyword" in upload.error["found"]


def test_a_missing_file_fails_at_once(project):
    upload = send(project)
    Path(upload.file.path).unlink()
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.FAILED, 1)
    assert "send it again" in upload.error["message"]


def test_values_refused_by_the_database_fail_at_once(project, monkeypatch):
    parsed = Parsed(("p",), np.array([[8.0]]), {("main", "m" * 81): np.array([[1.0]])})
    monkeypatch.setattr(uploads, "upload_read", lambda upload: parsed)
    upload = send(project)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.FAILED, 1)
    assert "too long" in upload.error["message"]
    assert not Application.objects.exists()


def test_a_failing_signal_receiver_does_not_undo_the_campaign(project):
    def fail(**_):
        raise RuntimeError("modeling is away")

    upload = send(project)
    campaign_stored.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            upload_ingest(upload.pk)
    finally:
        campaign_stored.disconnect(fail)
    upload.refresh_from_db()
    assert upload.state == Upload.State.STORED
    assert upload.campaign.kernel_count == 1


def test_an_upload_that_kills_its_workers_is_set_aside(project, monkeypatch):
    def die(*args):
        raise MemoryError

    monkeypatch.setattr(uploads, "upload_read", die)
    upload = send(project)
    for _ in range(MOST_ATTEMPTS):
        with pytest.raises(MemoryError):
            upload_ingest(upload.pk)
        upload.refresh_from_db()
        assert upload.state == Upload.State.PARSING
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    assert upload.error["message"] == (
        "Set aside: reading it was begun 5 times and never finished. The last time, memory ran out while "
        "reading its file."
    )


@pytest.mark.parametrize(
    ("step", "error", "said"),
    [
        ("upload_read", SystemExit, "the worker's process was killed while reading its file"),
        ("campaign_store", SystemExit, "the worker's process was killed while storing its values"),
        ("campaign_store", SoftTimeLimitExceeded, "time ran out while storing its values"),
        ("campaign_store", OperationalError, "the database went away while storing its values"),
        ("upload_read", ZeroDivisionError, "reading its file failed with ZeroDivisionError, see the log"),
    ],
)
def test_the_reason_of_the_last_interruption_is_stored(project, monkeypatch, step, error, said):
    def die(*args, **named):
        raise error

    monkeypatch.setattr(uploads, step, die)
    upload = send(project)
    Upload.objects.update(attempts=MOST_ATTEMPTS - 1)
    with pytest.raises(error):
        upload_ingest(upload.pk)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert f"never finished. The last time, {said}" in upload.error["message"]


def test_a_full_disk_does_not_set_uploads_aside(project, monkeypatch):
    """However often an attempt finds the disk full, the upload waits, and is stored once there is room."""

    def full(**named):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE disk_full; END $$")

    upload = send(project)
    with monkeypatch.context() as patched:
        patched.setattr(uploads, "campaign_store", full)
        for _ in range(MOST_ATTEMPTS + 2):
            with pytest.raises(OperationalError):
                upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.attempts, upload.cause) == (0, "the portal's disk was full while storing its values")
    assert upload.queued_at > timezone.now() + work.DISK_FULL_PAUSE / 2
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.cause) == (Upload.State.STORED, "")


def test_a_killed_reader_fails_its_upload_but_not_its_worker(project, monkeypatch):
    monkeypatch.setattr(formats, "_module", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    upload = send(project)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.FAILED, 1)
    assert "reader was killed by the system" in upload.error["message"]


def test_an_upload_that_another_worker_reads_is_skipped(project, another_worker):
    upload = send(project)
    with another_worker.cursor() as cursor:
        cursor.execute(LOCK, [upload.pk])
    upload_ingest(upload.pk)
    assert not Campaign.objects.exists()
    another_worker.close()
    wait_for_unlock(upload)
    upload_ingest(upload.pk)
    assert Campaign.objects.count() == 1


def wait_for_unlock(upload):
    """Wait until no worker holds the upload.

    PostgreSQL needs a moment to notice a lost connection.
    """
    wait_for(upload, held=False)


def wait_for(upload, held):
    """Wait until a worker holds the upload, or, if `held` is false, until none does."""
    end = time.monotonic() + 8
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s", [upload.pk]
            )
            if bool(cursor.fetchone()[0]) == held:
                return
            time.sleep(0.01)
    raise AssertionError("The lock outlives its owner." if not held else "Nobody took the lock.")


def begun_and_lost(project, seconds=60, **fields):
    """Return an upload that a worker began to read some time ago, and never finished."""
    upload = send(project, **fields)
    earlier = timezone.now() - timedelta(seconds=seconds)
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.PARSING, attempts=1, queued_at=earlier)
    return upload


def test_the_sweeper_finds_uploads_after_a_crash(project, sent_tasks):
    upload = begun_and_lost(project)
    uploads_sweep()
    assert sent_tasks == [("ingest.tasks.upload_ingest", [upload.pk])]
    uploads_sweep()  # Its message has been sent only just now.
    assert len(sent_tasks) == 1
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.STORED, 2)


def test_the_sweeper_ignores_new_and_finished_uploads(project, sent_tasks):
    begun_and_lost(project, seconds=1)
    finished = begun_and_lost(project, version="1.1")
    upload_ingest(finished.pk)
    uploads_sweep()
    assert not sent_tasks


def test_the_sweeper_ignores_uploads_being_read(project, sent_tasks, another_worker):
    upload = begun_and_lost(project)
    with another_worker.cursor() as cursor:
        cursor.execute(LOCK, [upload.pk])
    uploads_sweep()
    assert not sent_tasks


HOLD = """
import sys, time, psycopg2
other = psycopg2.connect(sys.argv[1])
cursor = other.cursor()
cursor.execute(sys.argv[2], [int(sys.argv[3])])
print(cursor.fetchone()[0], flush=True)
time.sleep(60)
"""


def test_a_killed_worker_releases_its_upload_at_once(project, another_worker, sent_tasks):
    upload = begun_and_lost(project)
    command = [sys.executable, "-c", HOLD, another_worker.dsn, LOCK, str(upload.pk)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        uploads_sweep()
        assert not sent_tasks
        process.kill()
    wait_for_unlock(upload)
    uploads_sweep()
    assert sent_tasks == [("ingest.tasks.upload_ingest", [upload.pk])]


def test_a_worker_killed_during_a_long_statement_releases_its_upload(project, another_worker):
    upload = begun_and_lost(project)
    statement = LOCK + ", pg_sleep(30)"
    command = [sys.executable, "-c", HOLD, another_worker.dsn, statement, str(upload.pk)]
    with subprocess.Popen(command) as process:
        wait_for(upload, held=True)
        process.kill()
    wait_for_unlock(upload)


@pytest.mark.usefixtures("worker")
def test_a_real_worker_stores_an_upload():
    good, bad = send(make_project()), send(make_project(), "{")
    end = time.monotonic() + 30
    while not (good.finished and bad.finished) and time.monotonic() < end:
        time.sleep(0.05)
        good.refresh_from_db()
        bad.refresh_from_db()
    assert (good.state, bad.state) == (Upload.State.DONE, Upload.State.FAILED)
    assert good.campaign.kernel_count == 1


def waiting_since(seconds, queue="ingest"):
    """Put a message into the queue that looks as if it was sent this number of seconds ago."""
    sent = (timezone.now() - timedelta(seconds=seconds)).isoformat()
    current_app.send_task("ingest.tasks.upload_ingest", args=[0], queue=queue, headers={SENT: sent})


@pytest.fixture
def worker_queues():
    """Use the real broker's queues, which are empty before and after the test."""
    current_app.control.purge()
    yield
    current_app.control.purge()


def sent_to(queue):
    """Return the row ids in the messages of a queue, the oldest first."""
    with redis.Redis.from_url(settings.REDIS_URL) as server:
        messages = server.lrange(queue, 0, -1)
    return [json.loads(base64.b64decode(json.loads(each)["body"]))[0][0] for each in reversed(messages)]


@pytest.mark.usefixtures("worker_queues")
def test_an_upload_of_a_killed_worker_overtakes_waiting_ones(project):
    waiting_since(120)
    upload = begun_and_lost(project, seconds=20)
    uploads_sweep()
    uploads_sweep()
    assert sent_to("upkeep") == [upload.pk]
    assert sent_to("ingest") == [0]


def never_begun(project, seconds, version="1.0"):
    """Return an upload that was sent some time ago and that no worker has begun."""
    upload = begun_and_lost(project, seconds=seconds, version=version)
    Upload.objects.filter(pk=upload.pk).update(attempts=0, state=Upload.State.RECEIVED)
    return upload


@pytest.mark.usefixtures("worker_queues")
def test_a_waiting_message_is_not_lost_unlike_a_fetched_one(project):
    """Of two messages sent in the same second, a worker that died had fetched only one."""
    fetched, waits = never_begun(project, 60), never_begun(project, 60, "1.1")
    current_app.send_task("ingest.tasks.upload_ingest", args=[waits.pk], headers={ROW: waits.pk})
    uploads_sweep()
    assert (sent_to("ingest"), sent_to("upkeep")) == ([waits.pk], [fetched.pk])
    Upload.objects.update(queued_at=timezone.now() - timedelta(seconds=60))
    uploads_sweep()
    assert sent_to("upkeep") == [fetched.pk]  # The message still waits in that queue and is not sent again.


@pytest.mark.usefixtures("worker_queues")
def test_a_message_is_lost_once_later_ones_come_first_in_a_long_queue(project, monkeypatch):
    monkeypatch.setattr(work, "LOOKED_AT", 1)
    upload = never_begun(project, 60)
    waiting_since(61)
    uploads_sweep()
    assert sent_to("ingest") == [0]  # The upload's message may be the next one in the queue.
    current_app.control.purge()
    waiting_since(30)
    uploads_sweep()
    # The upload's message would have come before the waiting one, so it is lost.
    assert (sent_to("ingest"), sent_to("upkeep")) == ([0], [upload.pk])


@pytest.mark.usefixtures("worker_queues")
def test_only_the_first_of_all_lost_messages_overtake_others(project, monkeypatch):
    monkeypatch.setattr(work, "FETCHED", 1)
    later, first, last = (never_begun(project, 60 - age, f"1.{age}") for age in (10, 0, 20))
    uploads_sweep()
    assert (sent_to("ingest"), sent_to("upkeep")) == ([later.pk, last.pk], [first.pk])


def test_sweepers_have_an_empty_queue_of_their_own():
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert queue_of(entry["task"]) == UPKEEP
    assert queue_of("modeling.tasks.portion_execute") != queue_of("modeling.tasks.run_execute")


@pytest.mark.usefixtures("worker_queues")
def test_a_worker_reads_the_sweepers_queue_before_each_other_queue():
    """Otherwise sweep messages would expire before a worker reads them, if tasks take seconds."""
    queues = ["ingest", "modeling", "portions", UPKEEP]
    for queue in 3 * queues:
        waiting_since(1, queue)
    taken = []
    with current_app.connection_for_read() as connected:
        channel = connected.channel()
        channel.qos.prefetch_count = 1
        for queue in queues:
            channel.basic_consume(
                queue, False, lambda message, queue=queue: taken.append((queue, message.ack())), queue
            )
        while len(taken) < 7:
            connected.drain_events(timeout=5)
    assert [queue for queue, _ in taken[:3]] == 3 * [UPKEEP]
    assert len({queue for queue, _ in taken[3:6]}) == 3
