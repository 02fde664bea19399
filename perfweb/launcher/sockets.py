"""The folder of a portal's sockets: private, locked by every process of the portal, and removed after use."""

import fcntl
import os
import shutil
import signal
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path

from perfweb.launcher.folder import NOBODY, SOCKETS, FolderError, FolderInUse
from perfweb.launcher.holders import command_of, holders

PATIENCE = 5.0
"""Seconds that a process has to end after a signal."""

YOUNG = 600.0
"""Seconds for which a folder without a lock may belong to a portal that is just starting."""


def take(path: Path, seconds: float = 10.0) -> int:
    """Create and lock the folder, and return its descriptor; its processes have `seconds` to end.

    Raises:
        FolderInUse: a process of an earlier portal does not end.
        FolderError: another user made the folder.
    """
    # First no signal is sent, then one at which PostgreSQL writes everything and ends.
    for number, patience in ((0, seconds), (signal.SIGINT, PATIENCE), (signal.SIGKILL, PATIENCE)):
        _signal_holders(path, number)
        descriptor = _locked_within(path, patience)
        if descriptor is not None:
            _sweep(path)
            return descriptor
    left = ", ".join(f"{pid} ({command_of(pid)[:80]})" for pid in holders(path)) or "of unknown number"
    raise FolderInUse(f"Processes of an earlier portal do not end: {left}. End them and start again.")


def _signal_holders(path: Path, number: int) -> None:
    for pid in holders(path) if number else []:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _locked_within(path: Path, seconds: float) -> int | None:
    end = time.monotonic() + seconds
    while (descriptor := _locked_folder(path)) is None and time.monotonic() < end:
        time.sleep(0.05)
    return descriptor


def _locked_folder(path: Path) -> int | None:
    """Return the locked folder; None if that fails. It is private: its sockets need no password."""
    path.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileNotFoundError):  # another portal has just removed it as stale
        if not _private(path):
            raise FolderError(f"{path} is not a private folder of ours. Remove it and start again.")
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        if locked(descriptor) and _same(descriptor, path):
            return descriptor
        os.close(descriptor)
    return None


def _same(descriptor: int, path: Path) -> bool:
    """Return whether the path still leads to the folder that was opened."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False


def locked(descriptor: int) -> bool:
    """Lock an open file or folder; return False if another process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _private(path: Path) -> bool:
    found = path.lstat()
    # Root's PostgreSQL may have to run as the user nobody, who then owns its folder.
    ours = {os.getuid(), NOBODY} if os.getuid() == 0 else {os.getuid()}
    return stat.S_ISDIR(found.st_mode) and found.st_uid in ours and not found.st_mode & 0o077


def _sweep(ours: Path) -> None:
    """Remove the socket folders of killed portals, whose data folders may no longer exist."""
    for path in ours.parent.glob(f"{SOCKETS.format(user=os.getuid())}*"):
        with suppress(OSError):  # the folder belongs to another user, or another portal has removed it
            if path != ours and _private(path) and time.time() - path.stat().st_mtime > YOUNG:
                _remove_unused(path)


def _remove_unused(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if locked(descriptor) and not any(map(_answers, path.iterdir())):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)


def _answers(path: Path) -> bool:
    """Return whether a server listens here; older portals did not lock the folder of sockets."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1.0)
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True
