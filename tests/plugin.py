"""Gives every test process its own PostgreSQL and Valkey, before Django reads its settings."""

import gc
import os
import shutil
import sys
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
"""Stops the servers and releases the locks at the end."""

LONGEST = ("tests/end_to_end/test_crashes.py", "tests/end_to_end/test_client_delivery.py", "tests/launcher/")
"""Beginnings of the names of tests that wait for other processes for a minute."""


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start the servers, except those that the environment already names."""
    keep_bytecode()
    # The launcher sets these variables, too. NumPy reads them when it is imported.
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    if early_config.known_args_namespace.numprocesses and "PYTEST_XDIST_WORKER" not in os.environ:
        return  # This process only distributes the tests to others, which start their own servers.
    os.environ["PERFWEB_DATA"] = tempfile.mkdtemp(prefix="perfweb-tests-")
    # The loop of Playwright runs in the thread of the tests.
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    folder = DataFolder(Path(os.environ["PERFWEB_DATA"]))
    portal.callback(shutil.rmtree, folder.path, ignore_errors=True)
    folder.prepare()
    processes = Processes(portal.enter_context(take(folder)))
    portal.callback(processes.stop)
    if "DATABASE_URL" not in os.environ:
        # Data need not survive a crash here, so PostgreSQL need not wait for the disk.
        postgres = Postgres(folder, {"fsync": "off", "full_page_writes": "off"})
        database = postgres.program()
        processes.start(database)
        postgres.wait(database)
    if "REDIS_URL" not in os.environ:
        valkey = Valkey(folder)
        broker = valkey.program()
        processes.start(broker)
        valkey.wait(broker)


def keep_bytecode() -> None:
    """Let Python keep what it has compiled, even if the environment says otherwise, as in many containers.

    Otherwise each test process would spend 11 s on compiling the tests. Each command of the portal that a
    test starts would spend 0.7 s on compiling its modules.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First run the tests that start a portal in separate processes, because these wait longest. If they came
    last, one process would run them while all others have nothing left to do.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Exclude the code and the tests from garbage collection, which would search them again and again, and
    collect more objects at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_unconfigure() -> None:
    """Stop the servers and remove their data."""
    portal.close()
