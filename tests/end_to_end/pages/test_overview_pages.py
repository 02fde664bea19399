"""The overview pages in a real browser: they are accessible, fit the screen, and can be used by keyboard."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from ingest.models import Application, Upload
from perfweb.accounts.models import Project, Role
from tests.end_to_end.accessibility import broken_rules, check_page
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_series
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = (
    "/",
    "/a/storm/hydro/",
    "/a/storm/hydro/history/",
    "/a/storm/hydro/compare/",
    "/a/storm/hydro/forecasts/",
    "/a/storm/hydro/settings/",
    "/search/?q=halo",
    "/help/",
    "/help/formats/",
    "/help/all/",
    "/help/mathematics/",
    "/help/accuracy/",
)


@pytest.fixture
def portal(page: Page, client: Client, live_server: object) -> Page:
    """Sign in a maintainer of the project storm."""
    member, _, campaigns = make_story(Role.MAINTAINER)
    make_series(campaigns[-1])
    return sign_in(page, client, live_server, member)


def test_pages_are_accessible_and_fit_the_screen(portal, live_server):
    for path in PAGES:
        check_page(portal, f"{live_server}{path}")


def test_on_a_phone_names_have_enough_room(portal, live_server):
    Upload.objects.create(
        project=Project.objects.get(), application_slug="hydro", version_label="2.0",
        filename="a_long_name_of_a_nightly_campaign.jsonl", size=1, sha256="f" * 64,
        state=Upload.State.PARSING,
    )  # fmt: skip
    portal.set_viewport_size({"width": 390, "height": 844})
    portal.goto(f"{live_server}/")
    name = portal.get_by_role("link", name="a_long_name_of").bounding_box()
    assert name is not None
    assert name["height"] < 60
    version = portal.get_by_role("cell", name="over the versions").first.bounding_box()
    portal.goto(f"{live_server}/a/storm/hydro/compare/")
    row = portal.locator("table.compared tbody tr").first
    assert all(cell["width"] > 100 for cell in [version, row.locator("td").last.bounding_box()] if cell)
    assert row.evaluate("row => row.scrollWidth <= row.clientWidth")


def test_on_a_phone_long_names_and_verdicts_stay_in_their_cards(portal, live_server):
    Application.objects.update(name="a" * 60)
    portal.set_viewport_size({"width": 390, "height": 844})
    portal.goto(f"{live_server}/")
    expect(portal.get_by_role("heading", name="What the latest versions changed")).to_be_visible()
    fits = "all => all.map(table => table.scrollWidth <= table.clientWidth)"
    assert portal.locator(".table-wrap").evaluate_all(fits) == [True, True]


def test_the_groups_of_a_long_chapter_are_closed_on_a_phone_only(portal, live_server):
    portal.goto(f"{live_server}/help/formats/")
    example = portal.get_by_label("Example of Extra-P text")
    expect(example).to_be_visible()
    portal.set_viewport_size({"width": 390, "height": 844})
    portal.reload()
    expect(portal.get_by_label("Example of JSON Lines")).to_be_visible()
    expect(example).to_be_hidden()
    portal.get_by_role("heading", name="Extra-P text").click()
    expect(example).to_be_visible()


def test_keys_find_kernels_and_move_through_rows(portal, live_server):
    portal.goto(f"{live_server}/a/storm/hydro/")
    portal.keyboard.press("j")
    portal.keyboard.press("j")
    expect(portal.locator("table[data-rows] tr.current")).to_contain_text("sweep")
    portal.keyboard.press("/")
    portal.keyboard.type("halo")
    portal.keyboard.press("Enter")
    expect(portal.get_by_role("heading", level=1)).to_contain_text("Found for “halo”")


def test_results_appear_while_typing(portal, live_server):
    portal.goto(f"{live_server}/")
    portal.keyboard.press("/")
    portal.keyboard.type("hydro 1.2 ha")
    found = portal.get_by_role("region", name="Found so far")
    expect(found.get_by_role("link", name="halo")).to_be_visible()
    assert broken_rules(portal) == []
    portal.keyboard.press("ArrowDown")
    portal.keyboard.press("ArrowDown")
    expect(found.get_by_role("link", name="halo")).to_be_focused()
    portal.keyboard.press("Escape")
    expect(found).to_be_hidden()
    portal.get_by_role("searchbox").focus()
    portal.keyboard.press("ArrowDown")
    portal.keyboard.press("Enter")
    expect(portal.get_by_role("heading", level=1)).to_contain_text("Hydro")


def test_a_picker_reloads_the_page_and_back_restores_it(portal, live_server):
    portal.goto(f"{live_server}/a/storm/hydro/")
    portal.locator("select[name=version]").select_option("1.1")
    expect(portal.locator(".lead")).to_contain_text("version 1.1 is predicted")
    portal.go_back()
    expect(portal.locator(".lead")).to_contain_text("version 1.2 is predicted")


def test_the_theme_can_be_switched_and_is_remembered(portal, live_server):
    portal.emulate_media(color_scheme="light")
    portal.goto(f"{live_server}/help/")
    background = "getComputedStyle(document.body).backgroundColor"
    light = portal.evaluate(background)
    portal.get_by_role("button", name="Switch between light and dark").click()
    dark = portal.evaluate(background)
    assert dark != light
    portal.reload()
    assert portal.evaluate(background) == dark


def test_pages_can_be_read_without_a_script(browser, portal, live_server):
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(portal.context.cookies())
    page = context.new_page()
    page.goto(f"{live_server}/a/storm/hydro/")
    page.locator("select[name=version]").select_option("1.1")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".lead")).to_contain_text("version 1.1 is predicted")
    page.get_by_text("Show as table").click()
    expect(page.get_by_role("region", name="Shares of time along p as a table")).to_contain_text("65,536")
    context.close()
