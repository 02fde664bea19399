"""A report is made on the application's page, printed, and read by a visitor who has no account."""

import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from perfweb.accounts.models import Role
from tests.end_to_end.accessibility import CHARTS_ARE_DRAWN, broken_rules, check_page
from tests.end_to_end.signing_in import sign_in
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db(transaction=True)

A4 = (595, 842)
"""Width and height of a sheet in points (1/72 inch), rounded."""

PAPER = 703
"""Width between the margins of print.css, in CSS pixels."""


@pytest.fixture
def portal(page: Page, client: Client, live_server: object) -> Page:
    """Sign in a maintainer of the project storm."""
    member, _, _ = make_story(Role.MAINTAINER)
    return sign_in(page, client, live_server, member)


def freeze(portal: Page, live_server: object) -> str:
    portal.goto(f"{live_server}/a/storm/hydro/")
    portal.get_by_role("link", name="Reports").click()
    portal.get_by_role("link", name="New report").click()
    portal.get_by_label("Note", exact=False).fill("Ready for the steering committee.")
    portal.get_by_role("button", name="Freeze this report").click()
    expect(portal.get_by_role("heading", level=1)).to_have_text("Hydro 1.2: release report")
    return portal.url


def test_a_visitor_reads_a_report_until_its_link_is_revoked(portal, live_server, browser):
    freeze(portal, live_server)
    portal.get_by_label("For", exact=True).fill("board")
    portal.get_by_role("button", name="Make a link").click()
    link = portal.locator(".state-done code").inner_text()
    visitor = browser.new_context().new_page()
    answer = visitor.goto(link)
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "noindex" in answer.headers["x-robots-tag"]
    assert "no-store" in answer.headers["cache-control"]
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Hydro 1.2: release report")
    expect(visitor.get_by_text("Ready for the steering committee.")).to_be_visible()
    assert "Storm" not in visitor.content()
    assert broken_rules(visitor) == []
    portal.get_by_role("button", name="Revoke the link for board").click()
    expect(portal.get_by_text("The link for board no longer works.")).to_be_visible()
    assert visitor.goto(link).status == 404
    expect(visitor.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    visitor.context.close()


def test_pages_of_reports_are_accessible_and_fit_the_screen(portal, live_server):
    report = freeze(portal, live_server)
    more = ["/a/storm/hydro/reports/", "/a/storm/hydro/reports/new/"]
    for address in [report, f"{report}since/", *(f"{live_server}{path}" for path in more)]:
        check_page(portal, address)


def sheets(portal: Page) -> tuple[int, tuple[int, int]]:
    """Return the number of sheets on which the page is printed, and the size of a sheet in points."""
    printed = portal.pdf(prefer_css_page_size=True)
    width, height = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", printed)[0]
    return len(re.findall(rb"/Type\s*/Page\b", printed)), (round(float(width)), round(float(height)))


def test_a_report_is_printed_on_few_sheets(portal, live_server):
    freeze(portal, live_server)
    count, size = sheets(portal)
    assert size == A4
    assert count <= 3


def test_a_phone_shows_the_answer_first_and_paper_everything(portal, live_server):
    report = freeze(portal, live_server)
    law = portal.get_by_role("region", name="Kernels that cost most, as a table").locator(".law").first
    expect(law).to_be_visible()
    whole = sheets(portal)
    portal.set_viewport_size({"width": 390, "height": 844})
    portal.goto(report)
    expect(portal.get_by_text("is predicted to take")).to_be_visible()
    expect(portal.get_by_role("heading", name="Kernels that cost most")).to_be_visible()
    expect(law).not_to_be_visible()
    portal.locator("section[aria-labelledby=kernels] summary").click()
    expect(law).to_be_visible()
    portal.reload()
    assert sheets(portal) == whole


PRINTED = ("/a/storm/hydro/", "/a/storm/hydro/compare/", "/a/storm/hydro/history/")


@pytest.mark.parametrize("path", PRINTED)
def test_pages_are_printed_dark_on_white_and_complete(portal, live_server, path):
    """Charts that were drawn for a wide, dark screen are readable on paper."""
    portal.emulate_media(color_scheme="dark")
    portal.goto(f"{live_server}{path}")
    portal.wait_for_function(CHARTS_ARE_DRAWN)
    portal.set_viewport_size({"width": PAPER, "height": 1000})
    portal.emulate_media(media="print", color_scheme="dark")
    portal.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert portal.evaluate("getComputedStyle(document.body).color") == "rgb(21, 24, 28)"
    label = portal.locator(".chart-area svg text").first
    assert label.evaluate("text => getComputedStyle(text).fill") in ("rgb(21, 24, 28)", "rgb(86, 96, 107)")
    widths = portal.locator(".chart-area svg.main-svg").evaluate_all("all => all.map(svg => svg.clientWidth)")
    assert widths
    assert max(widths) <= PAPER
    assert portal.evaluate("document.documentElement.scrollWidth") <= PAPER
    for hidden in ("button", "select", ".bar", ".foot"):
        assert not portal.locator(hidden).filter(visible=True).count(), hidden
    expect(portal.locator("p.print-only").first).to_contain_text("time in s")
    portal.evaluate("dispatchEvent(new Event('afterprint'))")
    portal.emulate_media(media="screen", color_scheme="dark")
    assert portal.evaluate("getComputedStyle(document.body).color") == "rgb(231, 234, 237)"


def test_the_first_sheet_is_not_empty(portal, live_server):
    """A card that is longer than the rest of the first sheet begins there and continues on the next one."""
    portal.goto(f"{live_server}/a/storm/hydro/")
    portal.emulate_media(media="print")
    assert portal.evaluate("getComputedStyle(document.querySelector('.card')).breakInside") == "auto"
    assert sheets(portal)[0] <= 2
