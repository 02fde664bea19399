"""The history and the comparison page in a real browser: by keyboard, without a script, and from a version to
the reason of its change.
"""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from ingest.models import Kernel
from modeling.models import Change, Model
from modeling.services.predictions.trends import trends_follow
from perfweb.accounts.models import Role
from tests.end_to_end.accessibility import check_page
from tests.end_to_end.signing_in import sign_in
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db(transaction=True)

HISTORY, COMPARE = "/a/storm/hydro/history/", "/a/storm/hydro/compare/"


@pytest.fixture
def portal(page: Page, client: Client, live_server: object) -> Page:
    """Sign in a maintainer. The application's last version renames the kernel `sweep` to `sweep_cells`."""
    member, application, campaigns = make_story(Role.MAINTAINER)
    new = Kernel.objects.create(application=application, path="main->sweep_cells")
    Model.objects.filter(run__campaign=campaigns[-1], kernel__path="main->sweep").update(kernel=new)
    trends_follow(application, campaigns[-1].machine, campaigns[-1].version_id)
    return sign_in(page, client, live_server, member)


def test_hover_and_focus_show_the_laws_of_a_change(portal, live_server):
    portal.goto(f"{live_server}{HISTORY}")
    cell, tip = portal.locator(".cell-law_worse a"), portal.locator(".cell-law_worse .tip")
    expect(tip).to_be_hidden()
    cell.focus()
    expect(tip).to_be_visible()
    expect(tip).to_contain_text("1.2")
    portal.locator("h1").click()
    expect(tip).to_be_hidden()
    cell.hover()
    expect(tip).to_be_visible()


def test_the_laws_of_a_change_do_not_cover_the_rows_below(portal, live_server):
    """At the edge of a narrow window they had the whole width, and nothing in most of it."""
    portal.set_viewport_size({"width": 1220, "height": 700})
    portal.goto(f"{live_server}{HISTORY}")
    portal.locator(".cell-law_worse a").hover()
    assert portal.locator(".cell-law_worse .tip").bounding_box()["width"] < 600


def test_an_overhead_has_its_own_sign_in_history_and_comparison(portal, live_server):
    Change.objects.filter(kernel__path="main->halo").update(
        kind=Change.Kind.OVERHEAD, ratio=1.03, ratio_lower=1.01, ratio_upper=1.05, law_probability=0.04,
        overhead_probability=0.95,
    )  # fmt: skip
    portal.goto(f"{live_server}{HISTORY}")
    expect(portal.locator(".cell-overhead_worse a")).to_contain_text("⊕")
    portal.goto(f"{live_server}{COMPARE}")
    portal.get_by_role("link", name="Why halo?").click()
    expect(portal.get_by_text("the same growth, another overhead")).to_be_visible()
    expect(portal.get_by_role("link", name="▲△⊕ worse")).to_be_visible()


def test_the_state_is_in_the_address(portal, live_server):
    portal.goto(f"{live_server}{HISTORY}")
    portal.locator("select[name=kernels]").select_option("all")
    expect(portal.locator(".grid tbody tr")).to_have_count(4)
    assert "kernels=all" in portal.url
    portal.go_back()
    expect(portal.locator(".grid tbody tr")).to_have_count(3)


def test_a_verdict_leads_to_its_reason_and_a_renamed_kernel_can_be_joined(portal, live_server):
    portal.goto(f"{live_server}{COMPARE}")
    portal.get_by_role("link", name="Why halo?").click()
    expect(portal.get_by_role("heading", name="Why “halo” is said to be")).to_be_visible()
    portal.get_by_role("button", name="Join main->sweep with main->sweep_cells").click()
    expect(portal.get_by_text("sweep continues as sweep_cells")).to_be_visible()
    portal.get_by_role("link", name="● unchanged").click()
    expect(portal.get_by_text("was main->sweep")).to_be_visible()


def test_a_long_verdict_does_not_run_into_the_next_column(portal, live_server):
    Change.objects.update(kind=Change.Kind.OVERHEAD, ratio=1.1)
    portal.set_viewport_size({"width": 390, "height": 800})
    portal.goto(f"{live_server}{COMPARE}")
    expect(portal.get_by_text("overhead worse").first).to_be_visible()
    right, left = (
        portal.locator(f".pairs tr:has-text('overhead worse') td[data-label={label}]").first.bounding_box()
        for label in ("verdict", "change")
    )
    assert right["x"] + right["width"] <= left["x"]


def test_a_measured_change_takes_two_lines_instead_of_widening_the_table(portal, live_server):
    Change.objects.update(kind=Change.Kind.UNKNOWN, ratio=0.941, ratio_lower=0.917, ratio_upper=0.966)
    portal.goto(f"{live_server}{COMPARE}")
    cell = portal.locator("td[data-label=change]", has_text="faster").first
    expect(cell).to_contain_text("measured 5.9 % faster".replace(" %", "\N{NO-BREAK SPACE}%"))
    word, number = cell.evaluate(
        """cell => [...cell.childNodes].filter(node => node.textContent.trim()).map(node => {
            const range = document.createRange();
            range.selectNodeContents(node);
            return range.getBoundingClientRect();
        })"""
    )
    assert word["bottom"] <= number["top"]


def test_a_column_of_pairs_becomes_narrower_before_the_table_is_wider_than_its_card(portal, live_server):
    portal.set_viewport_size({"width": 1220, "height": 800})
    portal.goto(f"{live_server}{COMPARE}?show=all")
    portal.locator(".compared tbody td.law-cell").first.evaluate("cell => { cell.style.minWidth = '240px' }")
    table = portal.locator(".compared-wrap")
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 1


def test_all_parts_of_the_pages_are_accessible(portal, live_server):
    halo = Kernel.objects.get(path="main->halo")
    check_page(portal, f"{live_server}{COMPARE}?show=all&why={halo.pk}")
    check_page(portal, f"{live_server}{HISTORY}?kernels=all&target=p:1024,n:4000&scale=linear")
