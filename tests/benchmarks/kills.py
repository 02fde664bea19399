"""Kills of every process of a portal under a backlog: `python -m tests.benchmarks.kills [UPLOADS]`.

Bar: every upload is modelled once, and what a killed process had in hand is finished within 60 s of the kill.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
import urllib.error
from contextlib import suppress
from pathlib import Path

from tests import made_campaign
from tests.client import FINAL, Client
from tests.end_to_end.test_crashes import processes
from tests.launcher.portals import Portal, made_token

UPLOADS = 300
KERNELS = 20
LARGE = 1500
"""Kernels of every tenth upload, which is shared out in portions."""

BETWEEN = 6.0
"""Seconds between two kills."""

VICTIMS = {
    "worker's main process": lambda portal: processes(portal, "perfweb.celery worker")[:1],
    "worker's processes": lambda portal: processes(portal, "perfweb.celery worker")[1:],
    "whole worker": lambda portal: processes(portal, "perfweb.celery worker"),
    "clock": lambda portal: processes(portal, "perfweb.clock"),
    "Valkey": lambda portal: processes(portal, "valkey"),
    "PostgreSQL": lambda portal: processes(portal, "postgres")[:1],
    "a session of PostgreSQL": lambda portal: processes(portal, "postgres:")[-1:],
    "web server": lambda portal: processes(portal, "gunicorn"),
}


class Watch(threading.Thread):
    """Notes when each upload was first seen to be in hand, and when it was finished."""

    def __init__(self, client: Client) -> None:
        super().__init__(daemon=True)
        self.client = client
        self.in_hand: set[int] = set()
        self.finished: dict[int, tuple[float, str]] = {}
        self.sent: list[int] = []

    def run(self) -> None:
        """Look at every upload that is not finished, again and again."""
        while True:
            for upload in list(self.sent):
                if upload in self.finished:
                    continue
                with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                    state = self.client.get(f"/api/v1/uploads/{upload}/")["state"]
                    if state in FINAL:
                        self.finished[upload] = time.monotonic(), state
                    elif state != "received":
                        self.in_hand.add(upload)
            time.sleep(0.2)


def main() -> None:
    """Send uploads, kill, and tell how long what was in hand took."""
    uploads = int(sys.argv[1]) if sys.argv[1:] else UPLOADS
    with tempfile.TemporaryDirectory() as place, Portal(Path(place) / "data") as portal:
        client = Client(portal.address(), made_token(Path(place) / "data"))
        watch = Watch(client)
        watch.start()
        for number in range(uploads):
            kernels = KERNELS if number % 10 else LARGE
            file = made_campaign.write(Path(place) / "campaign.jsonl", kernels, seed=number)
            watch.sent.append(client.upload("kills", f"1.{number}", file)["id"])
        held = kill_all(portal, watch)
        end = time.monotonic() + 900
        while len(watch.finished) < uploads and time.monotonic() < end:
            time.sleep(0.5)
        for name, began, some in held:
            last = max((watch.finished.get(each, (end, ""))[0] - began for each in some), default=0.0)
            print(f"{name}: {len(some)} uploads in hand, the last one finished {last:.1f} s later (bar 60 s)")
        check(client, watch)


def kill_all(portal: Portal, watch: Watch) -> list[tuple[str, float, set[int]]]:
    """Kill each victim twice, in any order; return who, when, and what was in hand."""
    held = []
    for name in random.Random(1).sample(2 * list(VICTIMS), 2 * len(VICTIMS)):
        time.sleep(BETWEEN)
        held.append((name, time.monotonic(), watch.in_hand - set(watch.finished)))
        for pid in VICTIMS[name](portal):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return held


def check(client: Client, watch: Watch) -> None:
    """Every upload has a model of each of its kernels, once."""
    wrong = [upload for upload, (_, state) in watch.finished.items() if state != "done"]
    for number, upload in enumerate(watch.sent):
        found = client.get(f"/api/v1/uploads/{upload}/")
        models = client.get(found["models"].removeprefix(client.address) + "?limit=1")
        if models["count"] != (KERNELS if number % 10 else LARGE) or found["state"] != "done":
            wrong.append(upload)
    print(f"{len(watch.finished)} of {len(watch.sent)} uploads finished, {len(wrong)} of them wrong")


if __name__ == "__main__":
    main()
