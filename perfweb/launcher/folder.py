"""The data folder: what lies where, whose it is, and that only one launcher uses it.

Standard library only: the settings read addresses from here.
"""

import fcntl
import hashlib
import os
import secrets
import shutil
import stat
import time
from pathlib import Path
from typing import IO

NOBODY = 65534

LEAST_FREE = 200 * 1024 * 1024
"""Bytes; PostgreSQL's first files take a third of it."""


class FolderError(Exception):
    """The folder cannot be used; the message says why and what to do."""


class FolderInUse(FolderError):  # noqa: N818 -- a state of the folder, told as it is
    """Another launcher has the folder."""


class DataFolder:
    """Everything that a portal keeps: PostgreSQL's files, uploads, logs, the secret."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.postgres = self.path / "postgres"
        self.logs = self.path / "logs"
        self.secret = self.path / "secret-key"
        # A socket's path may have 107 bytes at most, so sockets cannot lie in a folder of any depth.
        digest = hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:12]
        self.sockets = Path("/tmp") / f"perfweb-{os.getuid()}-{digest}"  # noqa: S108 -- see `prepare`

    @property
    def database_url(self) -> str:
        """Address of the folder's own PostgreSQL."""
        return f"postgres://perfweb@/{self.sockets}/perfweb"

    @property
    def redis_url(self) -> str:
        """Address of the folder's own Valkey."""
        return f"unix://{self.sockets}/valkey.sock"

    def secret_key(self) -> str | None:
        """The folder's secret; None before its first use."""
        return self.secret.read_text() if self.secret.is_file() else None

    def prepare(self) -> None:
        """Make what is missing.

        Raises:
            FolderError: the folder cannot be written, or is full, or somebody else made the sockets' folder.
        """
        try:
            for folder in (self.path, self.logs):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.secret.exists():
                _write_private(self.secret, secrets.token_urlsafe(48))
            probe = self.path / ".probe"
            probe.write_bytes(b"\0" * 65536)
            probe.unlink()
        except OSError as error:
            raise FolderError(
                f"The data folder {self.path} cannot be written ({error.strerror}). "
                "Give another one with --data DIR."
            ) from error
        free = shutil.disk_usage(self.path).free
        if free < LEAST_FREE:
            raise FolderError(
                f"The data folder {self.path} has {free // 2**20} MiB left and needs "
                f"{LEAST_FREE // 2**20} MiB. Make room or give another one with --data DIR."
            )
        self._prepare_sockets()

    def _prepare_sockets(self) -> None:
        """Private to us: whoever can reach the sockets is let in without a password."""
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        found = self.sockets.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in _ours() or found.st_mode & 0o077:
            raise FolderError(f"{self.sockets} is not a private folder of ours. Remove it and start again.")

    def lock(self, seconds: float = 10.0) -> IO[str]:
        """Take the folder for this process and all that inherit the returned file, until they have closed it.

        What a killed launcher leaves behind stops within seconds and is waited for.

        Raises:
            FolderInUse: another launcher has it.
        """
        file = (self.path / "lock").open("a+")
        end = time.monotonic() + seconds
        while not _locked(file):
            file.seek(0)
            holder = file.read()
            if _alive(holder) or time.monotonic() > end:
                file.close()
                raise FolderInUse(
                    f"Another portal (process {holder}) is running on {self.path}. "
                    "Stop it first, or give another folder with --data DIR."
                )
            time.sleep(0.05)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        return file


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _alive(process: str) -> bool:
    """Whether this process exists; one that has not yet written its number is just starting."""
    try:
        os.kill(int(process or os.getpid()), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it exists, and is another user's
        pass
    return True


def _ours() -> set[int]:
    """Owners of files that we trust; root's PostgreSQL may have to run as the real nobody."""
    return {os.getuid(), NOBODY} if os.getuid() == 0 else {os.getuid()}


def _write_private(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
