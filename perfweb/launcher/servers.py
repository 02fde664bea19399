"""PostgreSQL and Valkey of a data folder, or the servers that the environment names."""

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
    """Return the folder's own servers; a server for which the environment names an address is left out."""
    servers: list[Postgres | Valkey] = []
    if "DATABASE_URL" not in os.environ:
        servers.append(Postgres(folder))
    if "REDIS_URL" not in os.environ:
        servers.append(Valkey(folder))
    return servers


def start(folder: DataFolder, processes: Processes) -> list[Callable[[], None]]:
    """Start the folder's own servers. Return for each server a function that waits until it answers."""
    waits: list[Callable[[], None]] = []
    for server in of(folder):
        program = server.program()
        processes.start(program)
        waits.append(partial(server.wait, program))
    return waits


@contextmanager
def running(folder: DataFolder) -> Iterator[None]:
    """Keep the folder's servers running during the block; start them if necessary."""
    folder.prepare()
    with (folder.path / "users").open("a") as users:
        # the process that started the servers stops them only when no other command uses them
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
    """Lock the folder, or return None as soon as servers that another process started answer."""
    servers = of(folder)
    end = time.monotonic() + seconds
    while servers:
        try:
            return take(
                folder
            )  # this is tried first, because servers that still answer may belong to a killed launcher
        except FolderInUse:  # another process is starting or stopping the servers
            if all(server.answers() for server in servers):
                return None
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    return None
