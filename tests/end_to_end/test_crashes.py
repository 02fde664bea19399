"""Processes are killed at any moment, yet all work is done and each upload is stored once."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import zlib
from contextlib import closing, suppress
from pathlib import Path

import psycopg2
import pytest

from ingest.models import Upload
from ingest.work import PATIENCE
from modeling.models import Comparison, ModelRun, Portion
from perfweb.launcher.folder import DataFolder
from perfweb.notices.models import Delivery
from tests import made_campaign
from tests.client import Client
from tests.launcher.portals import COMMAND, Portal, environment, eventually
from tests.notices.servers import receiver

KERNELS = 250
FEW_KERNELS = 100
"""Number of kernels of campaigns that are modelled without any kill."""

BACKLOG = 22
"""Number of such campaigns that wait while a worker is killed. A fast machine needs 20 seconds for them.
The sweepers find the work of the killed worker after up to 10 seconds, because the test lets it look old.
With 14 campaigns, the waiting work was once done earlier.
"""

LOOK_OLD = [
    f"UPDATE {table._meta.db_table} SET queued_at = queued_at - interval '{PATIENCE.seconds} s'"
    for table in (Upload, ModelRun, Portion, Comparison, Delivery)
]
"""Lets the messages of all rows look old enough to be lost, so that the next sweep looks for them."""

NEXT_ATTEMPT = [f"UPDATE {Delivery._meta.db_table} SET due_at = now()"]
"""Makes the next delivery of notices due now.

Otherwise the test would wait for minutes, because the pause grows with every attempt that was interrupted.
"""


@pytest.fixture
def sent(running, tmp_path, request):
    """Send an upload of many kernels, which the portal has just accepted with status 202."""
    client = running.client
    seed = zlib.crc32(request.node.name.encode())
    file = made_campaign.write(tmp_path / "campaign.jsonl", KERNELS, seed=seed)
    return client.upload("crash", request.node.name[:60], file), file


def processes(portal: Portal, words: str) -> list[int]:
    """Return the ids of the portal's processes whose command contains these words, parents first."""
    listing = subprocess.run(
        ["ps", "-Awwo", "pid=,ppid=,command="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in listing.stdout.splitlines()]
    family, found = [portal.process.pid], []
    for ancestor in family:
        for pid, parent, command in rows:
            if int(parent) == ancestor:
                family.append(int(pid))
                found += [int(pid)] * (words in command)
    return found


def kill(portal: Portal, words: str) -> None:
    """Wait until a process has these words in its command, then kill all such processes with SIGKILL."""
    eventually(lambda: processes(portal, words))
    for pid in processes(portal, words):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_worker(portal: Portal, data: Path, *, deliveries: bool = False) -> None:
    """Kill the Celery workers, and let the next sweep look for what they lost, also for `deliveries`."""
    kill(portal, "celery")
    in_database(data, *LOOK_OLD, *(NEXT_ATTEMPT if deliveries else []))


def in_database(data: Path, *statements: str) -> None:
    """Execute statements in the database of the portal that uses this data folder."""
    opened = psycopg2.connect(host=DataFolder(data).sockets, user="perfweb", dbname="perfweb")
    with closing(opened), opened, opened.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def wait_for_state(client: Client, upload: int, states: set[str]) -> None:
    end = time.monotonic() + 60
    while state(client, upload) not in states:
        assert time.monotonic() < end
        time.sleep(0.02)


def check(client: Client, upload: int, kernels: int = KERNELS) -> str:
    """Wait until the upload is done, check that each kernel has one model, and return the end time."""
    found = client.wait(upload)
    assert found["state"] == "done", found
    models = client.get(found["models"].removeprefix(client.address) + "?limit=500")
    assert models["count"] == kernels
    paths = [row["kernel"]["path"] for row in models["models"]]
    assert len(set(paths)) == len(paths)
    return str(found["finished_at"])


def test_work_is_done_although_the_worker_is_killed_while_reading_and_while_modelling(running, sent):
    """If the file is sent again meanwhile, the portal answers with the same upload."""
    portal, data, client = running
    upload, file = sent
    wait_for_state(client, upload["id"], {"parsing", "done"})
    kill_worker(portal, data)
    again = client.upload("crash", upload["version"], file)
    assert again["id"] == upload["id"]
    wait_for_state(client, upload["id"], {"modeling", "done"})
    for _ in range(2):  # The second kill comes as soon as the worker has been restarted.
        kill_worker(portal, data)
    check(client, upload["id"])


def test_no_work_is_lost_if_valkey_is_killed_with_its_messages(running, sent):
    portal, _, client = running
    upload, _ = sent
    kill(portal, "valkey")
    check(client, upload["id"])


def test_no_work_is_lost_if_postgres_is_killed_while_modelling(running, sent):
    portal, _, client = running
    upload, _ = sent
    wait_for_state(client, upload["id"], {"modeling", "done"})
    kill(portal, "postgres")
    check(client, upload["id"])


def test_work_of_a_killed_worker_is_continued_before_waiting_work(running, tmp_path):
    """Uploads that the killed worker had begun are finished before others that were sent earlier and still
    wait.
    """
    portal, data, client = running
    sizes = [KERNELS] * 2 + [FEW_KERNELS] * BACKLOG
    made = [
        made_campaign.write(tmp_path / f"{number}.jsonl", kernels, seed=number)
        for number, kernels in enumerate(sizes)
    ]
    uploads = [client.upload("backlog", f"1.{number}", file)["id"] for number, file in enumerate(made)]
    wait_for_state(client, uploads[0], {"parsing", "stored", "modeling", "done"})
    states = {upload: state(client, upload) for upload in uploads}
    kill_worker(portal, data)
    ends = {upload: check(client, upload, kernels) for upload, kernels in zip(uploads, sizes, strict=True)}
    begun = {upload for upload, found in states.items() if found not in ("received", "done")}
    waiting = {upload for upload, found in states.items() if found == "received"}
    assert begun
    assert max(ends[upload] for upload in begun) < max(ends[upload] for upload in waiting)


def state(client: Client, upload: int) -> str:
    """Return the state of an upload."""
    return str(client.get(f"/api/v1/uploads/{upload}/")["state"])


HOOKED = """
from perfweb.accounts.models import Project
from perfweb.notices.models import Webhook
Webhook.objects.create(project=Project.objects.get(slug="bench"), url={url!r}, secret="secret")
"""


def in_shell(data: Path, code: str) -> None:
    """Run Python code in the Django shell of the portal that uses this data folder."""
    done = subprocess.run(
        [*COMMAND, "shell", "--no-imports", "-c", code],
        env=environment() | {"PERFWEB_DATA": str(data)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_notices_are_sent_once_although_the_worker_is_killed_between_the_steps(running, tmp_path):
    """Kill the worker three times: while it compares, after the change is stored, and while it sends the
    notice.
    """
    portal, data, client = running
    good = made_campaign.write(tmp_path / "1.0.jsonl", FEW_KERNELS, seed=1)
    worse = made_campaign.write(tmp_path / "1.1.jsonl", FEW_KERNELS, seed=2, worse={7})
    client.wait(client.upload("noticed", "1.0", good)["id"])
    with receiver() as hooks:
        hooks.hold.set()
        in_shell(data, HOOKED.format(url=hooks.url))
        upload = client.upload("noticed", "1.1", worse)["id"]
        pair = "/api/v1/comparisons/?application=noticed&before=1.0&after=1.1"
        eventually(lambda: compared(client, pair) in ("running", "done"), 60)
        kill_worker(portal, data)
        eventually(lambda: compared(client, pair) == "done", 60)
        kill_worker(portal, data, deliveries=True)
        eventually(lambda: hooks.requests, 60)
        kill_worker(portal, data, deliveries=True)  # before it gets an answer
        hooks.hold.clear()
        check(client, upload, FEW_KERNELS)
        # The kill interrupted the first attempt, so its outcome is unknown and the notice is sent again.
        eventually(lambda: len(hooks.requests) > 1, 60)
    (alert,) = client.get("/api/v1/applications/noticed/alerts/?state=all")["alerts"]
    assert alert["kernel"]["path"].endswith("kernel0007")
    told = {(headers["X-Perfweb-Delivery"], body) for headers, body in hooks.requests}
    assert len(told) == 1  # The second request has the same id and the same body.
    assert [change["id"] for change in json.loads(told.pop()[1])["changes"]] == [alert["id"]]


def compared(client: Client, pair: str) -> str:
    """Return the state of a comparison, or an empty text while nobody has requested it."""
    try:
        return str(client.get(pair)["state"])
    except urllib.error.HTTPError as missing:
        return "" if missing.code == 404 else missing.reason
