"""The data folder: the places of its files, and its preparation before the first use.

Only the standard library is used, because the settings read addresses from here.
"""

import hashlib
import os
import secrets
import shutil
from pathlib import Path

NOBODY = 65534

SOCKETS = "perfweb-{user}-"
"""Prefix of the names of all socket folders of a user."""

SECRET_LENGTH = 32
"""Smallest number of characters of a secret."""

LEAST_FREE = 200 * 1024 * 1024
"""Smallest number of free bytes on the disk; PostgreSQL's first files take a third of this."""


class FolderError(Exception):
    """Raised if the folder cannot be used; the message says why and what to do."""


class FolderInUse(FolderError):  # noqa: N818 -- it names a state of the folder
    """Raised if another launcher uses the folder."""


class DataFolder:
    """The paths of everything that a portal stores."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.postgres = self.path / "postgres"
        self.logs = self.path / "logs"
        self.secret = self.path / "secret-key"
        # A socket's path may have at most 107 bytes, so sockets cannot be in a folder with a long path.
        digest = hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:12]
        self.sockets = Path("/tmp") / (SOCKETS.format(user=os.getuid()) + digest)  # noqa: S108 -- see `sockets`

    @property
    def database_url(self) -> str:
        """Address of the folder's own PostgreSQL."""
        return f"postgres://perfweb@/{self.sockets}/perfweb"

    @property
    def redis_url(self) -> str:
        """Address of the folder's own Valkey."""
        return f"unix://{self.sockets}/valkey.sock"

    def secret_key(self) -> str | None:
        """Return the folder's secret; None before the first use, or if it was not written as a whole."""
        if not self.secret.is_file():
            return None
        text = self.secret.read_text(errors="replace").strip("\0\n ")
        return text if len(text) >= SECRET_LENGTH else None

    def prepare(self) -> None:
        """Create missing parts; raise FolderError if the folder cannot be written or is full."""
        try:
            for folder in (self.path, self.logs):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.secret_key() is None:
                _write_whole(self.secret, secrets.token_urlsafe(48))
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


def _write_whole(path: Path, text: str) -> None:
    """Write a private file that exists as a whole or not at all."""
    attempt = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        handle = os.open(attempt, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        attempt.replace(path)
    finally:
        attempt.unlink(missing_ok=True)
