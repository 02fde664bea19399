"""Kill every process of a portal while many uploads wait.

    python -m tests.benchmarks.portal.kills [BACKLOG]

Two conditions are checked. Every upload is modelled exactly once. Within 60 s of a kill, other processes have
continued all rows that the killed process held, at every stage. Uploads are sent until the last kill, so that
BACKLOG of them always wait.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import psycopg2

from perfweb.launcher.folder import DataFolder
from tests import made_campaign
from tests.benchmarks.portal.held_rows import Held, Watch, attempts, fetched, in_hand
from tests.client import Client
from tests.end_to_end.test_crashes import processes
from tests.launcher.portals import Portal, made_token

BACKLOG = 300
KERNELS = 20
LARGE = 1500
"""Number of kernels in every tenth upload, which is large enough to be split into portions."""

BETWEEN = 6.0
"""Seconds between two kills."""

PATIENCE = 40.0
"""Seconds to wait until a row reaches a stage."""

OFTEN = 3
"""Number of attempts of a row from which on its process is not killed any more.

After further kills the row would be set aside as one that kills its workers.
"""

BAR = 60.0
STAGES = ("parse", "store", "run", "portions", "finish")


def workers(portal: Portal) -> list[int]:
    """Return the worker's main process and its child processes."""
    return processes(portal, "perfweb.celery worker")


Victims = Callable[[Portal, list[Held]], list[int]]

HOLDERS: dict[str, Victims] = {
    "worker's processes": lambda portal, _: workers(portal)[1:],
    "worker's main process": lambda portal, _: workers(portal)[:1],
    "whole worker": lambda portal, _: workers(portal),
    "session of PostgreSQL": lambda _, held: [each.session for each in held if each.session][:1],
    "PostgreSQL": lambda portal, _: processes(portal, "postgres")[:1],
    "worker and clock": lambda portal, _: workers(portal) + processes(portal, "perfweb.workers.clock"),
    "worker and Valkey": lambda portal, _: workers(portal) + processes(portal, "valkey"),
}
"""Processes that hold rows and are killed at each stage."""

OTHERS: dict[str, Victims] = {
    "clock": lambda portal, _: processes(portal, "perfweb.workers.clock"),
    "Valkey": lambda portal, _: processes(portal, "valkey"),
    "web server": lambda portal, _: processes(portal, "gunicorn"),
}

LOSE_MESSAGES = ("worker's main process", "whole worker", "worker and clock")
"""Processes whose kill loses the messages that a worker has fetched and not begun.

A kill of Valkey loses all messages.
"""


class Sender(threading.Thread):
    """Sends uploads until it is stopped, so that enough of them always wait."""

    def __init__(self, client: Client, watch: Watch, place: Path, backlog: int) -> None:
        super().__init__(daemon=True)
        self.client, self.watch, self.place, self.backlog = client, watch, place, backlog
        self.sent: list[int] = []
        self.end = threading.Event()

    def run(self) -> None:
        """Send the next upload whenever too few uploads wait."""
        while not self.end.is_set():
            if len(self.sent) >= self.backlog and self.watch.backlog >= self.backlog:
                time.sleep(0.1)
                continue
            file = made_campaign.write(self.place / "campaign.jsonl", self.kernels(), seed=len(self.sent))
            # If the answer is lost, the same file is sent again, and the portal recognises the upload.
            with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                self.sent.append(self.client.upload("kills", f"1.{len(self.sent)}", file)["id"])

    def kernels(self, number: int | None = None) -> int:
        """Return the number of kernels of the upload with that number, or of the next upload."""
        return KERNELS if (len(self.sent) if number is None else number) % 10 else LARGE


def main() -> None:
    """Send uploads, kill processes, and print how long the held rows waited."""
    backlog = int(sys.argv[1]) if sys.argv[1:] else BACKLOG
    with tempfile.TemporaryDirectory() as place, Portal(Path(place) / "data") as portal:
        folder = DataFolder(Path(place) / "data")
        client = Client(portal.address(), made_token(folder.path))
        watch = Watch(folder)
        watch.start()
        sender = Sender(client, watch, Path(place), backlog)
        sender.start()
        while len(sender.sent) < backlog:
            time.sleep(0.5)
        kill_all(portal, watch)
        sender.end.set()
        sender.join()
        end = time.monotonic() + 1200
        while watch.waiting and time.monotonic() < end:
            time.sleep(0.5)
        report(watch)
        while watch.finished < len(sender.sent) and time.monotonic() < end:
            time.sleep(0.5)
        check(client, sender)


def kill_all(portal: Portal, watch: Watch) -> None:
    """Kill, in random order, each holder of rows at each stage, and each other process twice."""
    plan = [(name, stage) for stage in STAGES for name in HOLDERS] + 2 * [(name, "") for name in OTHERS]
    random.Random(1).shuffle(plan)
    for name, stage in plan:
        time.sleep(BETWEEN)
        held = kill_at(stage, name, portal, watch)
        waited = f"{watch.backlog} uploads wait"
        print(f"killed: {name}, at {stage or 'any stage'}: {len(held)} rows in hand, {waited}", flush=True)


def kill_at(stage: str, name: str, portal: Portal, watch: Watch) -> list[Held]:
    """Kill the process when a row is at the stage. Kill nothing if this does not happen in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(psycopg2.Error), closing(watch.connect()) as connection:
            while time.monotonic() < end:
                if stage and not any(each.stage == stage for each in in_hand(connection, name)):
                    continue
                with standing_still(portal):
                    held = in_hand(connection, name)
                    if stage and not any(each.stage == stage for each in held):
                        continue
                    if any(attempts(connection, each.row) >= OFTEN for each in held):
                        continue
                    held.sort(key=lambda each: each.stage != stage)
                    if name in LOSE_MESSAGES:
                        held += fetched(watch.folder, connection, name)
                    kill({**HOLDERS, **OTHERS}[name](portal, held))
                    if "Valkey" in name:
                        watch.lose_messages()
                    if name in OTHERS:
                        return []  # These processes hold no rows.
                    watch.hold(held)
                    return held
        time.sleep(0.1)
    return []


@contextmanager
def standing_still(portal: Portal) -> Iterator[None]:
    """Stop the worker's processes for a moment, so that the rows observed are those that they hold when they
    are killed.
    """
    stopped = workers(portal)
    kill(stopped, signal.SIGSTOP)
    try:
        yield
    finally:
        kill(stopped, signal.SIGCONT)


def kill(pids: list[int], number: int = signal.SIGKILL) -> None:
    """Send a signal to the processes that still run."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def report(watch: Watch) -> None:
    """Print how long rows waited, by stage and by killed process. The limit applies to the longest wait."""
    everything = [*watch.taken, *watch.waiting]
    for kind in ("stage", "victim"):
        for which in sorted({getattr(each, kind) for each in everything}):
            some = [each for each in everything if getattr(each, kind) == which]
            seconds = [each.seconds if each.seconds is not None else np.inf for each in some]
            half, most, last = np.quantile(seconds, [0.5, 0.9, 1], method="higher")
            print(f"{kind} {which}: {len(some)} rows, taken up after {half:.1f} s (median), ", end="")
            print(f"{most:.1f} s (90 %), {last:.1f} s (longest, bar {BAR:.0f} s)")


def check(client: Client, sender: Sender) -> None:
    """Check that every upload has exactly one model of each of its kernels."""
    wrong = []
    for number, upload in enumerate(sender.sent):
        found = client.get(f"/api/v1/uploads/{upload}/")
        models = client.get(found["models"].removeprefix(client.address) + "?limit=1")
        if models["count"] != sender.kernels(number) or found["state"] != "done":
            wrong.append((upload, found["state"], models["count"]))
    print(f"{len(sender.sent)} uploads, {len(wrong)} of them wrong {wrong}")


if __name__ == "__main__":
    main()
