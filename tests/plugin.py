"""Gives every process of tests a PostgreSQL and a Valkey of its own, before Django reads its settings."""

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from perfweb.launcher.folder import DataFolder
from perfweb.launcher.hold import take
from perfweb.launcher.postgres import Postgres
from perfweb.launcher.processes import Processes
from perfweb.launcher.valkey import Valkey

portal = ExitStack()
"""Servers to stop and locks to release at the end."""


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start the servers, unless the environment names others."""
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # as the launcher does; NumPy asks once
        os.environ.setdefault(threads, "1")
    if early_config.known_args_namespace.numprocesses and "PYTEST_XDIST_WORKER" not in os.environ:
        return  # this process only hands the tests to others, which start here too
    os.environ["PERFWEB_DATA"] = tempfile.mkdtemp(prefix="perfweb-tests-")
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's loop runs in the tests' thread
    folder = DataFolder(Path(os.environ["PERFWEB_DATA"]))
    portal.callback(shutil.rmtree, folder.path, ignore_errors=True)
    folder.prepare()
    processes = Processes(portal.enter_context(take(folder)))
    portal.callback(processes.stop)
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
    portal.close()
