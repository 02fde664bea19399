"""Gives every test run a PostgreSQL and a Valkey of its own, before Django reads its settings."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from perfweb.launcher.folder import DataFolder
from perfweb.launcher.postgres import Postgres
from perfweb.launcher.processes import Processes
from perfweb.launcher.valkey import Valkey

processes: Processes | None = None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Start the servers, unless the environment names others."""
    global processes  # noqa: PLW0603 -- one for the whole run, which pytest gives no other place
    os.environ["PERFWEB_DATA"] = tempfile.mkdtemp(prefix="perfweb-tests-")
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's loop runs in the tests' thread
    folder = DataFolder(Path(os.environ["PERFWEB_DATA"]))
    folder.prepare()
    processes = Processes()
    if "DATABASE_URL" not in os.environ:
        # Nothing here has to outlive the run.
        postgres = Postgres(folder, {"fsync": "off", "full_page_writes": "off"})
        database = postgres.program()
        processes.start(database)
        postgres.wait(database)
    if "REDIS_URL" not in os.environ:
        valkey = Valkey(folder)
        broker = valkey.program()
        processes.start(broker)
        valkey.wait(broker)


def pytest_unconfigure() -> None:
    """Stop them and leave nothing behind."""
    if processes is not None:
        processes.stop()
        folder = DataFolder(Path(os.environ["PERFWEB_DATA"]))
        shutil.rmtree(folder.path, ignore_errors=True)
        shutil.rmtree(folder.sockets, ignore_errors=True)
