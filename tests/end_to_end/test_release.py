"""A release from its first upload to its report, through the client, the worker, the list of changes and the
gate.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from modeling.models import Alert
from perfweb.accounts.models import Role, Scope, User
from perfweb.client import perfweb as client
from tests.end_to_end.signing_in import PASSWORD, fill_in
from tests.factories import make_member, make_project, make_token

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = {"main->halo": 0.0, "main->sweep": 0.01, "main->io": 0.0, "main->log": 0.002}
"""Kernel → seconds per process that the kernel takes in addition to 1 s."""

WAIT = ("--wait", "90")


class Pipeline:
    """Runs the client as a separate program, as a job of a CI pipeline does."""

    def __init__(self, portal: str, token: str, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "PERFWEB_URL": portal, "PERFWEB_TOKEN": token, "PERFWEB_SPOOL": str(folder / "spool"),
        }  # fmt: skip

    def run(self, command: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the client for the application `solver`."""
        return subprocess.run(
            [sys.executable, client.__file__, command, *options, "--application", "solver"],
            env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def upload(self, version: str, **slopes: float) -> None:
        """Send a version, and wait until it is modelled."""
        file = self.folder / f"{version}.jsonl"
        file.write_text("\n".join(map(json.dumps, rows(version, slopes))))
        options = ("--version", version, "--machine", "cluster-a", "--no-git", "--no-metadata", *WAIT)
        done = self.run("upload", str(file), *options)
        assert done.returncode == client.DELIVERED, done.stderr

    def gate(self, version: str, *options: str) -> tuple[int, str]:
        """Return the exit code of the gate, and the reasons that it prints into the pipeline's log."""
        done = self.run("gate", "--version", version, *options, *WAIT)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout


def rows(version: str, slopes: dict[str, float]) -> list[dict[str, object]]:
    """Return the measurements of a version: three repetitions with 1 % of noise at each point."""
    random = np.random.default_rng(int(version.replace(".", "")))
    laws = GOOD | {f"main->{name}": slope for name, slope in slopes.items()}
    return [
        {
            "params": {"p": p},
            "callpath": path,
            "metric": "time",
            "value": ((1 + slope * p) * random.uniform(0.995, 1.005, 3)).tolist(),
        }
        for path, slope in laws.items()
        for p in (4, 8, 16, 32, 64)
    ]


def maintainer() -> User:
    user = make_member(make_project("storm"), Role.MAINTAINER)
    user.set_password(PASSWORD)
    user.save()
    return user


def decide(page: Page, **choices: str) -> None:
    """Choose the state or the assignee on the page of a change, and save."""
    for label, choice in choices.items():
        page.get_by_role("combobox", name=label.capitalize()).select_option(label=choice)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()


def test_a_version_is_uploaded_judged_and_released(
    page: Page, worker: None, live_server: object, browser: Browser, tmp_path: Path
) -> None:
    user = maintainer()
    _, token = make_token(user, user.memberships.get().project, Scope.UPLOAD, Scope.READ)
    pipeline = Pipeline(str(live_server), token, tmp_path)
    fill_in(page, live_server, user)
    application = f"{live_server}/a/storm/solver/"

    pipeline.upload("1.0")
    assert pipeline.gate("1.0")[0] == client.PASSED  # There is no earlier version to compare with.
    pipeline.upload("1.1", halo=0.05)
    code, reasons = pipeline.gate("1.1")
    assert code == client.NOT_PASSED
    assert "main->halo (time) has another law" in reasons
    assert "sweep" not in reasons

    page.goto(f"{application}changes/")
    expect(page.get_by_text("law worse")).to_be_visible()
    page.get_by_role("link", name="halo").click()
    decide(page, state="acknowledged", assignee=user.username)
    decide(page, state="being fixed")
    page.goto(f"{live_server}/changes/?assignee=me&state=fixing")
    expect(page.get_by_role("link", name="halo")).to_be_visible()

    pipeline.upload("1.2")
    assert pipeline.gate("1.2")[0] == client.PASSED
    # The gate still refuses the version that it refused before.
    assert pipeline.gate("1.1")[0] == client.NOT_PASSED
    code, reasons = pipeline.gate("1.2", "--before", "1.0", "--format", "markdown")
    assert code == client.PASSED, reasons
    page.goto(f"{application}changes/?state=fixed")
    page.get_by_role("link", name="halo").click()
    expect(page.get_by_text("in 1.2 the kernel is as before the change")).to_be_visible()
    decide(page, state="verified")
    page.goto(f"{application}changes/")
    expect(page.get_by_role("heading", name="No open changes")).to_be_visible()
    assert Alert.objects.filter(improvement=False).count() == 1

    report = freeze(page, application)
    expect(page.get_by_role("heading", level=1)).to_have_text("solver 1.2: release report")
    page.get_by_label("For", exact=True).fill("board")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator(".state-done code").inner_text()
    shown = page.locator("article.report").inner_text()
    pipeline.upload("1.3", sweep=0.09)  # A later version does not change any number of the report.
    assert pipeline.gate("1.3")[0] == client.NOT_PASSED
    visitor = browser.new_context().new_page()
    visitor.goto(link)
    # The public page does not name the author of the report.
    anonymous = shown.replace(f" by {user.username}.", ".")
    assert visitor.locator("article.report").inner_text() == anonymous != shown
    assert "halo" in anonymous
    visitor.context.close()
    page.goto(report)
    assert page.locator("article.report").inner_text() == shown


def freeze(page: Page, application: str) -> str:
    """Make a report on the latest version, and return its address."""
    page.goto(application)
    page.get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="New report").click()
    page.get_by_role("button", name="Freeze this report").click()
    expect(page.get_by_text("The report is frozen")).to_be_visible()
    return page.url
