"""Child processes have limits, and they end when their parent does."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ingest.formats import Campaign, FormatError, Limits
from ingest.formats.contained import child, exchange

CAMPAIGN = Campaign(
    parameters=("p",),
    points=np.array([[8.0], [16.0]]),
    series={("main->é", "time"): np.array([[1.0, np.nan], [2.0, 3.0]])},
    units={"time": "s"},
    metadata={"machine": "x"},
    notes=("a note",),
    format="made",
)


def contained(read, **limits):
    return child.contained(read, Limits(**limits), None, 0)


def test_it_works():
    campaign = contained(lambda: CAMPAIGN)
    np.testing.assert_equal(vars(campaign), vars(CAMPAIGN))


def test_an_error_is_passed_on_with_its_position():
    def read():
        raise FormatError("this", "that", 7).inside("member")

    with pytest.raises(FormatError) as raised:
        contained(read)
    error = raised.value
    assert (error.found, error.expected, error.line, error.file) == ("this", "that", 7, "member")


def test_an_unexpected_failure_becomes_an_error_of_the_file(caplog):
    with pytest.raises(FormatError, match="the portal's reader failed"):
        contained(lambda: 1 / 0)
    assert "ZeroDivisionError" in caplog.text


def test_processor_time_is_limited():
    def read():
        while True:
            pass

    begun = time.process_time()
    with pytest.raises(FormatError, match=r"more than 0.2 s"):
        contained(read, child_seconds=0.2)
    assert time.process_time() - begun < 0.2


def test_waiting_time_is_limited(monkeypatch):
    monkeypatch.setattr(child, "PATIENCE", 1.0)
    with pytest.raises(FormatError, match=r"more than 0.2 s"):
        contained(lambda: time.sleep(60), child_seconds=0.2)


def test_memory_is_limited():
    with pytest.raises(FormatError, match="too much memory"):
        contained(lambda: bytearray(200 * 1024**2), child_memory=100 * 1024**2)


def test_the_child_cannot_write_files(tmp_path):
    with pytest.raises(FormatError, match="the portal's reader failed"):
        contained(lambda: (tmp_path / "file").write_bytes(bytes(20_000)), values=1000)
    assert (tmp_path / "file").stat().st_size == 12_000


def test_the_child_has_no_connections_of_the_parent():
    ours, other = socket.socketpair()
    with ours, other:
        with pytest.raises(FormatError, match="the portal's reader failed"):
            contained(lambda: ours.send(b"secret"))
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.recv(100)


def test_no_process_or_file_is_left():
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before = set(os.listdir("/proc/self/fd")), children.read_text()
    contained(lambda: CAMPAIGN)
    assert (set(os.listdir("/proc/self/fd")), children.read_text()) == before


READER = """
import os, sys, time
from ingest.formats import Limits
from ingest.formats.contained import child

def read():
    os.write(told, str(os.getpid()).encode())
    time.sleep(60)

opened = open(sys.argv[1], "wb")
told = opened.fileno()
child.contained(read, Limits(), opened, 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when its time is over")
def test_the_child_ends_with_a_killed_parent(tmp_path):
    told = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", READER, str(told)]) as parent:
        end = time.monotonic() + 20
        while not (told.exists() and told.read_text()) and time.monotonic() < end:
            time.sleep(0.02)
        parent.kill()
    assert eventually_ended(Path("/proc", told.read_text(), "stat"))


def eventually_ended(stat, seconds=5):
    """Return whether a process ends within some seconds.

    A zombie counts as ended: such a process remains if its parent does not wait for it.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"parameters": ("p\0",)}, "a control character"),
        ({"points": np.array([[8.0], [np.inf]])}, "“inf”"),
        ({"series": {("main", "time"): np.array([[1.0], [-1.0]])}}, "“-1.0”"),
        ({"series": {("", "time"): np.ones((2, 1))}}, "an empty name"),
        ({"series": {}}, "2 points with 0 values"),
        ({"series": {("main", "time"): np.ones((2, 9000))}}, "2 points with 9000 values"),
        ({"metadata": {"text": "x" * 20_000}}, "names and metadata of"),
    ],
)
def test_the_answer_of_the_child_is_checked(changes, found):
    with pytest.raises(FormatError, match=found):
        contained(lambda: Campaign(**{**vars(CAMPAIGN), **changes}), values=10_000, document_bytes=10_000)


def test_an_incomplete_answer_is_refused(tmp_path):
    path = tmp_path / "answer"
    with path.open("wb") as file:
        exchange.send(CAMPAIGN, file)
    whole = path.read_bytes()
    for size in (0, 4, 20, len(whole) - 1):
        path.write_bytes(whole[:size])
        with path.open("rb") as file, pytest.raises(EOFError):
            exchange.receive(file, Limits())
