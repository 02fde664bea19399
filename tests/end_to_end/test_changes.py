"""The inbox in a browser: by keyboard, without script, and from an upload to a closed change."""

import json

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from modeling.models import Alert
from perfweb.accounts.models import Role, Scope, User
from tests.end_to_end.accessibility import check_page
from tests.factories import make_alert, make_member, make_project, make_series, make_token
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db(transaction=True)

URL = "a/storm/hydro/changes/"


@pytest.fixture
def ada(transactional_db: None) -> User:
    member, application, campaigns = make_story(Role.CONTRIBUTOR)
    for campaign in campaigns:
        make_series(campaign)
    last, before = (application.comparisons.get(after=campaign) for campaign in (campaigns[2], campaigns[1]))
    make_alert(
        campaigns[2], "main->halo", last, verdict="law_worse", ratio=115.0, effect=0.6, law_probability=0.99
    )
    make_alert(campaigns[2], "main->sweep", last, effect=0.1, note="see the logs", due="2020-01-01")
    make_alert(campaigns[1], "main->setup", before, effect=0.02, assignee=member)
    member.set_password("engine no. 1")
    member.save()
    return member


def sign_in(page: Page, live_server: object, user: User) -> None:
    page.goto(f"{live_server}/sign-in/")
    page.get_by_label("Username").fill(user.username)
    page.get_by_label("Password").fill("engine no. 1")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{live_server}/")


def state(path: str) -> str:
    return Alert.objects.get(kernel__path=path).state


def test_pages_are_accessible_at_every_width(page: Page, ada: User, live_server: object) -> None:
    sign_in(page, live_server, ada)
    pk = Alert.objects.get(kernel__path="main->halo").pk
    for where in ("changes/", URL, f"{URL}{pk}/", f"{URL}silences/", "projects/storm/notices/"):
        check_page(page, f"{live_server}/{where}")


def test_triage_by_keyboard(page: Page, ada: User, live_server: object) -> None:
    sign_in(page, live_server, ada)
    page.goto(f"{live_server}/{URL}")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_text("1 change set to “acknowledged”.")).to_be_visible()
    assert state("main->halo") == "acknowledged"
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("e")
    expect(page.get_by_text("2 changes set to “expected”.")).to_be_visible()
    assert [state("main->sweep"), state("main->setup")] == ["expected", "expected"]
    page.keyboard.press("u")
    expect(page.get_by_text("Undone for 2 changes.")).to_be_visible()
    assert [state("main->sweep"), state("main->setup")] == ["new", "new"]
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys of this page")).to_be_visible()
    page.keyboard.press("n")  # in the dialog a letter does nothing
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keys of this page")).to_be_hidden()
    assert state("main->sweep") == "new"


def test_triage_without_script(browser: Browser, ada: User, live_server: object) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, live_server, ada)
    page.goto(f"{live_server}/{URL}")
    page.get_by_label("Choose sweep").check()
    page.get_by_role("button", name="Noise").click()
    expect(page.get_by_text("1 change set to “noise”.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone for 1 change.")).to_be_visible()
    context.close()


GOOD = {"main->halo": 0.0, "main->sweep": 0.01, "main->io": 0.0, "main->log": 0.002}
"""Kernels, and what each adds per process to 1 s."""


def upload(page: Page, live_server: object, user: User, version: str, **slopes: float) -> None:
    """Send a version as a job script does; the worker does the rest."""
    random = np.random.default_rng(len(version))
    rows = [
        {
            "params": {"p": p},
            "callpath": path,
            "metric": "time",
            "value": ((1 + slope * p) * random.uniform(0.995, 1.005, 3)).tolist(),
        }
        for path, slope in (GOOD | {f"main->{name}": slope for name, slope in slopes.items()}).items()
        for p in (4, 8, 16, 32, 64)
    ]
    _, token = make_token(user, user.memberships.get().project, Scope.UPLOAD)
    answer = page.request.post(
        f"{live_server}/api/v1/applications/solver/uploads/",
        headers={"Authorization": f"Bearer {token}"},
        multipart={
            "version": version,
            "machine": "cluster-a",
            "file": {
                "name": f"{version}.jsonl",
                "mimeType": "application/jsonl",
                "buffer": "\n".join(map(json.dumps, rows)).encode(),
            },
        },
    )
    assert answer.status == 202, answer.text()


def until(page: Page, address: str, text: str) -> None:
    """Look at a page again and again until it says something; the worker has half a minute for each step."""
    for _ in range(90):
        page.goto(address)
        if page.get_by_text(text).first.is_visible():
            return
        page.wait_for_timeout(1000)
    raise AssertionError(f"{address} never says “{text}”:\n{page.inner_text('main')}")


def test_from_an_upload_to_a_closed_change(page: Page, worker: None, live_server: object) -> None:
    user = make_member(make_project("storm"), Role.CONTRIBUTOR)
    user.set_password("engine no. 1")
    user.save()
    sign_in(page, live_server, user)
    upload(page, live_server, user, "1.0")
    until(page, f"{live_server}/", "first version")
    upload(page, live_server, user, "1.1", halo=0.05)
    inbox = f"{live_server}/a/storm/solver/changes/"
    until(page, f"{live_server}/", "1 open")
    page.goto(inbox)
    expect(page.get_by_text("law worse")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_text("1 change set to “acknowledged”.")).to_be_visible()
    upload(page, live_server, user, "1.2")
    until(page, f"{inbox}?state=fixed", "in 1.2")
    page.get_by_role("link", name="halo").click()
    expect(page.get_by_text("seen to be as before in 1.2, please verify")).to_be_visible()
    page.get_by_label("State").select_option("verified")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.goto(inbox)
    expect(page.get_by_role("heading", name="No open changes")).to_be_visible()
