"""The list of open changes in a browser: by keyboard, and without a script."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from ingest.models import Application, Kernel
from modeling.models import Alert, Silence
from perfweb.accounts.models import Role, User
from tests.end_to_end.accessibility import check_page
from tests.end_to_end.signing_in import PASSWORD, fill_in
from tests.factories import make_alert, make_series
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
    member.set_password(PASSWORD)
    member.save()
    return member


def state(path: str) -> str:
    return Alert.objects.get(kernel__path=path).state


def test_pages_are_accessible_at_every_width(page: Page, ada: User, live_server: object) -> None:
    fill_in(page, live_server, ada)
    pk = Alert.objects.get(kernel__path="main->halo").pk
    for where in ("changes/", URL, f"{URL}{pk}/", f"{URL}silences/", "projects/storm/notices/"):
        check_page(page, f"{live_server}/{where}")


def test_a_silence_can_be_ended_on_a_phone(page: Page, ada: User, live_server: object) -> None:
    Silence.objects.create(
        application=Application.objects.get(), pattern="*->halo_exchange_with_neighbours", user=ada,
        reason="It is being rewritten", until=timezone.now() + timedelta(days=9),
    )  # fmt: skip
    fill_in(page, live_server, ada)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server}/{URL}silences/")
    button = page.get_by_role("button", name="End the silence").bounding_box()
    assert button
    assert button["x"] + button["width"] <= 390


def test_a_long_name_does_not_cover_the_verdict(page: Page, ada: User, live_server: object) -> None:
    long = "cpp_vqsort_with_a_very_long_name/hot/u64-random_with_a_suffix"
    Kernel.objects.filter(path="main->halo").update(path=f"main->{long}")
    fill_in(page, live_server, ada)
    for width in (1440, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{live_server}/{URL}")
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=long))
        name, verdict = row.get_by_role("link").bounding_box(), row.locator(".verdict").bounding_box()
        assert name
        assert verdict
        assert name["x"] + name["width"] <= verdict["x"]


def test_laws_have_room_in_windows_of_usual_widths(page: Page, ada: User, live_server: object) -> None:
    fill_in(page, live_server, ada)
    cut = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.innerText)"
    for width in (1210, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{live_server}/{URL}")
        law = page.locator(".changes .law-cell").first.bounding_box()
        assert law
        assert law["width"] > 230
        assert page.eval_on_selector_all(".changes td, .changes thead th", cut) == []


STATES_IN_LINES = """() => [...document.querySelectorAll(".changes td[data-label=state]")].map(cell => {
  const word = document.createRange()
  word.selectNodeContents(document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode())
  return [cell.innerText.trim(), word.getClientRects().length]
})"""
"""Returns the text of each state and the number of lines of its label."""


def test_the_longest_state_of_one_word_is_not_broken(page: Page, ada: User, live_server: object) -> None:
    Alert.objects.update(state=Alert.State.ACKNOWLEDGED)
    fill_in(page, live_server, ada)
    for width in (1210, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{live_server}/{URL}")
        assert page.evaluate(STATES_IN_LINES) == [["acknowledged", 1]] * 3


def test_changes_are_decided_by_keyboard(page: Page, ada: User, live_server: object) -> None:
    fill_in(page, live_server, ada)
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
    page.keyboard.press("n")  # While the dialog is open, letter keys do nothing.
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keys of this page")).to_be_hidden()
    assert state("main->sweep") == "new"


def test_changes_are_decided_without_a_script(browser: Browser, ada: User, live_server: object) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    fill_in(page, live_server, ada)
    page.goto(f"{live_server}/{URL}")
    page.get_by_label("Choose sweep").check()
    page.get_by_role("button", name="Noise").click()
    expect(page.get_by_text("1 change set to “noise”.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone for 1 change.")).to_be_visible()
    context.close()
