"""Only one portal uses a data folder at a time, and processes of an earlier portal in it are ended."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from perfweb.launcher import holders, sockets
from perfweb.launcher.folder import SOCKETS, DataFolder, FolderError, FolderInUse
from perfweb.launcher.hold import take

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(flush=True); time.sleep(99)"
)
"""A program that ignores SIGINT."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    yield folder
    with suppress(FileNotFoundError):
        folder.sockets.rmdir()


def test_only_one_process_can_lock_the_folder(folder: DataFolder) -> None:
    with take(folder), pytest.raises(FolderInUse, match=f"process {os.getpid()}"):
        take(folder)
    with take(folder):
        assert folder.sockets.is_dir()
    assert not folder.sockets.exists()


def test_the_launcher_waits_for_a_process_that_is_ending(folder: DataFolder) -> None:
    with take(folder):
        (folder.path / "lock").write_text("999999999")  # No process has this id.
        with pytest.raises(FolderInUse):
            take(folder, seconds=0.2)


def test_processes_of_an_earlier_portal_are_ended_first(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "PATIENCE", 0.3)
    descriptor = sockets.take(folder.sockets)
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, pass_fds=[descriptor], stdout=subprocess.PIPE, text=True) as left:
        assert left.stdout is not None
        left.stdout.readline()
        os.close(descriptor)  # The descriptor is closed, as if the launcher had been killed.
        assert holders.holders(folder.sockets) == [left.pid]
        with take(folder, seconds=0.2):
            assert left.wait(5) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("found", "named"),
    [([os.getpid()], rf"{os.getpid()} \(.*python"), ([], "of unknown number")],
    ids=["with its command", "without a number"],
)
def test_a_process_that_does_not_end_is_named(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, found: list[int], named: str
) -> None:
    monkeypatch.setattr(sockets, "PATIENCE", 0.1)
    descriptor = sockets.take(folder.sockets)
    monkeypatch.setattr(sockets, "holders", lambda _: found)
    monkeypatch.setattr(sockets.os, "kill", lambda *_: None)
    with pytest.raises(FolderInUse, match=f"do not end: {named}"):
        take(folder, seconds=0.1)
    os.close(descriptor)


@pytest.mark.skipif(not holders.PROCESSES.joinpath("self", "fd").is_dir(), reason="nothing to compare with")
def test_holders_are_found_without_proc(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """macOS does not list open files of processes under /proc, so lsof has to find the processes."""
    lsof = tmp_path / "lsof"
    lsof.write_text(f"#!/bin/sh\necho {os.getpid()}\necho 123\n")
    lsof.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(holders, "PROCESSES", tmp_path)
    assert holders.holders(folder.path) == [123]


def test_a_foreign_folder_in_place_of_the_sockets_is_refused(folder: DataFolder, tmp_path: Path) -> None:
    folder.sockets.symlink_to(tmp_path)
    try:
        with pytest.raises(FolderError, match="not a private folder"):
            take(folder)
    finally:
        folder.sockets.unlink()


def _sockets_of(name: str, *, age: float) -> Path:
    """Make a folder of sockets as a killed portal leaves it."""
    path = Path("/tmp") / (SOCKETS.format(user=os.getuid()) + name)
    path.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path / "valkey.sock"))
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_unused_folders_of_sockets_are_removed(folder: DataFolder) -> None:
    stale, young = _sockets_of("test-stale", age=3600), _sockets_of("test-young", age=0)
    served, locked = _sockets_of("test-served", age=3600), _sockets_of("test-locked", age=3600)
    descriptor = os.open(locked, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        (served / "valkey.sock").unlink()
        server.bind(str(served / "valkey.sock"))
        server.listen()
        os.utime(served, (time.time() - 3600, time.time() - 3600))
        sockets.locked(descriptor)
        with take(folder):
            kept = [path for path in (stale, young, served, locked) if path.exists()]
    os.close(descriptor)
    for path in kept:
        (path / "valkey.sock").unlink()
        path.rmdir()
    assert kept == [young, served, locked]
