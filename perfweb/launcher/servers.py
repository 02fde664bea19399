"""PostgreSQL and Valkey of a data folder, or the ones that the environment names."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from perfweb.launcher.folder import DataFolder, FolderInUse
from perfweb.launcher.hold import Hold, take
from perfweb.launcher.postgres import Postgres
from perfweb.launcher.processes import Processes
from perfweb.launcher.valkey import Valkey


def of(folder: DataFolder) -> list[Postgres | Valkey]:
    """The folder's own servers: those that the environment does not name."""
    servers: list[Postgres | Valkey] = []
    if "DATABASE_URL" not in os.environ:
        servers.append(Postgres(folder))
    if "REDIS_URL" not in os.environ:
        servers.append(Valkey(folder))
    return servers


def start(folder: DataFolder, processes: Processes) -> list[Callable[[], None]]:
    """Start the folder's own servers; each of what is returned waits until one of them answers."""
    waits: list[Callable[[], None]] = []
    for server in of(folder):
        program = server.program()
        processes.start(program)
        waits.append(partial(server.wait, program))
    return waits


@contextmanager
def running(folder: DataFolder) -> Iterator[None]:
    """The folder's servers for the length of the block, started for it where they are not running.

    Raises:
        FolderError: the folder cannot be used.
    """
    folder.prepare()
    with (folder.path / "users").open("a") as users:
        # Whoever started the servers stops them only when no other command uses them.
        fcntl.flock(users, fcntl.LOCK_SH)
        hold = _take_or_find(folder)
        if hold is None:
            yield
            return
        with hold:
            processes = Processes(hold)
            try:
                for wait in start(folder, processes):
                    wait()
                yield
                fcntl.flock(users, fcntl.LOCK_EX)
            finally:
                processes.stop()


def _take_or_find(folder: DataFolder, seconds: float = 30.0) -> Hold | None:
    """The folder, or None as soon as the servers that somebody else started answer."""
    servers = of(folder)
    end = time.monotonic() + seconds
    while servers:
        try:
            return take(folder)  # first: servers that still answer may be those of a killed launcher
        except FolderInUse:  # its holder is about to start the servers, or to stop them
            if all(server.answers() for server in servers):
                return None
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    return None
