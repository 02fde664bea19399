"""Fixtures for all tests, such as a real worker and pages in a real browser."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.db import connection, transaction
from django.test import TransactionTestCase, override_settings
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright
from pytest_django import DjangoDbBlocker

from modeling.engine.modelers.adaptive.adaptation import adapt_here
from perfweb.accounts.models import Project
from perfweb.celery import app
from tests.__main__ import CHROMIUM
from tests.factories import make_project
from tests.launcher.portals import eventually

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


# On a busy machine an example may take long, which is not a failure.
hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")


@pytest.fixture(autouse=True, scope="session")
def _static_files() -> None:
    """Collect static files, so that pages refer to them by names with a hash, as in production."""
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(autouse=True, scope="session")
def _static_files_by_the_middleware() -> Iterator[None]:
    """Let whitenoise serve static files on the live server.

    Django's own handler does not know the names with a hash.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "_should_handle", lambda *_: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def _networks_as_they_are_shipped() -> None:
    """Use the shipped networks, because adapting one takes half a minute. Tests of adapting
    switch it on.
    """
    adapt_here(False)


@pytest.fixture(autouse=True, scope="session")
def _fast_passwords() -> Iterator[None]:
    """Hash passwords fast. The shipped hash takes 0.1 s each time, which only makes guessing slow."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture
def project(db: None) -> Project:
    """Return a project without members and applications."""
    return make_project()


@pytest.fixture(autouse=True)
def _fresh_caches() -> None:
    """Empty all caches, which may hold rows that the last test has changed and changed back."""
    from django.core.cache import cache  # noqa: PLC0415 -- Django must be set up

    from modeling.selectors.kernel import modelers  # noqa: PLC0415 -- likewise
    from modeling.selectors.run import expected, rows  # noqa: PLC0415

    cache.clear()
    for kept in (rows._runs, expected._kept, modelers._others):
        kept.clear()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Create the tables from the models, because 60 migrations one after another take ten times as long.

    The portals that tests start in separate processes create theirs by the migrations. A test of
    `create_user` checks that migrations and models describe the same tables.
    """
    connection.settings_dict["TEST"]["MIGRATE"] = False


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Note that the new tables need no migration. At the end close all other sessions of the test database,
    so that it can be dropped: a browser's connection that is kept alive may still use such a session.
    """
    with django_db_blocker.unblock():
        call_command("migrate", fake=True, verbosity=0)
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture(autouse=True, scope="session")
def _rows_are_deleted() -> Iterator[None]:
    """Delete rows after tests that commit, because truncating all tables takes ten times as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: _delete_rows())
        yield


def _delete_rows() -> None:
    """Delete the rows of all models but those that Django itself makes with the tables."""
    models = apps.get_models(include_auto_created=True)
    made = ("contenttypes.ContentType", "auth.Permission")
    tables = {model._meta.db_table for model in models if model._meta.label not in made}
    any_row = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in tables)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(any_row)
        filled = [table for (table,) in cursor.fetchall()]
        # No references to deleted rows are checked, because the referring rows are deleted, too. Only a
        # superuser may switch the checks off; the user of the tests' own server is one.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in filled:
            cursor.execute(f"DELETE FROM {table}")


@pytest.fixture(scope="module")
def rows_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let fixtures of a module make rows that all of its tests find.

    Each test undoes its own changes, because its transaction is a savepoint in this one. Tests with
    `transaction=True` cannot use it.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a small file system that is full. Only root can mount such a file system."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", tmp_path], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with suppress(OSError), (tmp_path / "all").open("wb", buffering=0) as file:
            while file.write(b"\0" * 4096):
                pass
        yield tmp_path
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


@pytest.fixture(scope="session")
def _worker_process(django_db_setup: None, django_db_blocker: object) -> Iterator[None]:
    """Run a Celery worker on the test database."""
    database = connection.settings_dict["NAME"]
    base, _, _ = settings.EMBEDDED.database_url.rpartition("/")
    url = os.environ.get("DATABASE_URL", base + "/x").rpartition("/")[0] + f"/{database}"
    log = Path(settings.DATA_DIR) / "worker.log"
    command = [sys.executable, "-m", "celery", "--skip-checks", "-A", "perfweb.celery", "worker"]
    command += ["-Q", "idle", "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=os.environ | {"DATABASE_URL": url}, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            end = time.monotonic() + 30
            while b" ready." not in log.read_bytes():
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"The worker did not start:\n{log.read_text()}")
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


QUEUES = [queue.name for queue in settings.CELERY_TASK_QUEUES]
ONE_REPLY = {"reply": True, "limit": 1, "timeout": 10}
"""A limit of one reply, because there is one worker. Without the limit Celery would wait until
the timeout.
"""


@pytest.fixture
def worker(transactional_db: None, _worker_process: None) -> Iterator[None]:
    """Give one test a real worker that sees what the test commits, and begin with empty queues.

    At other times the worker takes no messages, because other tests execute their tasks themselves.
    """
    app.control.purge()
    for queue in QUEUES:
        app.control.add_consumer(queue, **ONE_REPLY)
    yield
    for queue in QUEUES:
        app.control.cancel_consumer(queue, **ONE_REPLY)
    app.control.purge()
    # A task that still writes would lock tables that are emptied now.
    eventually(lambda: not (_tasks("active") or _tasks("reserved")), 60)


def _tasks(state: str) -> list[object]:
    """Return the worker's tasks in this state."""
    replies = app.control.broadcast(state, **ONE_REPLY)
    return [task for reply in replies for tasks in reply.values() for task in tasks]


@pytest.fixture(scope="session")
def _playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(_playwright: Playwright) -> Iterator[Browser]:
    """Run the first of the browsers that the system has, or else the one that Playwright has installed."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    browser = _playwright.chromium.launch(executable_path=found, args=CHROMIUM_FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Open a browser profile for one test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, live_server: object) -> Iterator[Page]:
    """Open a page on the live server. Errors in its console and requests to other hosts make the
    test fail.
    """
    page = context.new_page()
    problems: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(f"console: {message.text}")

    page.on("console", listen)
    page.on("pageerror", lambda error: problems.append(f"script: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((str(live_server), "data:", "blob:"))
            else problems.append(f"other host: {request.url}")
        ),
    )
    page.expected_problems = []  # type: ignore[attr-defined] # a test may say what it provokes
    yield page
    unexpected = [
        text
        for text in problems
        if not any(part in text for part in page.expected_problems)  # type: ignore[attr-defined]
    ]
    assert not unexpected, "\n".join(unexpected)
