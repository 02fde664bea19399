"""PostgreSQL and Valkey of a data folder, or the ones that the environment names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from perfweb.launcher import valkey
from perfweb.launcher.folder import DataFolder
from perfweb.launcher.postgres import Postgres
from perfweb.launcher.processes import Processes


def start(folder: DataFolder, processes: Processes) -> None:
    """Start the servers that the environment does not name, both at once, and wait for them."""
    waits = []
    if "DATABASE_URL" not in os.environ:
        postgres = Postgres(folder)
        database = postgres.program()
        processes.start(database)
        waits.append(lambda: postgres.wait(database))
    if "REDIS_URL" not in os.environ:
        broker = valkey.program(folder)
        processes.start(broker)
        waits.append(lambda: valkey.wait(broker, folder.redis_url))
    for wait in waits:
        wait()


@contextmanager
def running(folder: DataFolder) -> Iterator[bool]:
    """The folder's servers for the length of the block; whether they had to be started for it."""
    if ("DATABASE_URL" in os.environ and "REDIS_URL" in os.environ) or (
        Postgres(folder).answers() and valkey.answers(folder.redis_url)
    ):
        yield False
        return
    folder.prepare()
    with folder.lock():
        processes = Processes()
        try:
            start(folder, processes)
            yield True
        finally:
            processes.stop()
