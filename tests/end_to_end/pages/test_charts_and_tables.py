"""The campaign page and the kernel page in a real browser: charts, keys, accessibility, and the state in the
address.
"""

import json
import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from ingest.models import Campaign
from modeling.models import Change
from tests.end_to_end.accessibility import CHARTS_ARE_DRAWN, check_page
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_change, make_comparison, make_member
from tests.measured import STORY, make_measured

pytestmark = pytest.mark.django_db(transaction=True)

HALO = "main->timestep->halo_exchange"


@pytest.fixture
def campaign(page: Page, client: Client, live_server: object) -> Campaign:
    """Make a campaign that has an earlier version, and sign in a viewer."""
    application = make_application()
    before, _ = make_measured(application, "1.2.1", STORY | {HALO: (0.02, [(9e-3, (1 / 3, 0.0, 0.0, 0.0))])})
    after, _ = make_measured(application, "1.3.0")
    make_change(make_comparison(before, after), HALO, Change.Kind.LAW, 2.31)
    sign_in(page, client, live_server, make_member(application.project))
    return after


def address(campaign: Campaign, path: str = "", query: str = "") -> str:
    if path:
        kernel = campaign.version.application.kernels.get(path=path)
        return f"/campaigns/{campaign.pk}/kernels/{kernel.pk}/{query}"
    return f"/campaigns/{campaign.pk}/{query}"


def test_pages_are_accessible_at_every_width(page: Page, campaign: Campaign, live_server: object) -> None:
    tabs = [address(campaign, HALO, f"?tab={tab}") for tab in ("fit", "history", "data")]
    for where in [address(campaign), *tabs]:
        check_page(page, f"{live_server}{where}")


def test_charts_are_drawn_and_follow_the_theme(page: Page, campaign: Campaign, live_server: object) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{live_server}{address(campaign, HALO)}")
    expect(page.locator("figure.chart .main-svg").first).to_be_visible()
    line = page.locator("figure.chart .scatterlayer .js-line").first
    ink = "() => getComputedStyle(document.querySelector('.xtick text')).fill"
    before = page.evaluate(ink)
    page.locator("[data-theme-switch]").click()
    page.wait_for_function(f"before => ({ink})() !== before", arg=before)
    expect(line).to_be_attached()
    expect(page.locator("figure.chart .gtitle, figure.chart .legend")).to_have_count(0)


def test_the_focused_button_of_a_chart_is_visible_in_dark_mode(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{live_server}{address(campaign, HALO)}")
    page.wait_for_function(CHARTS_ARE_DRAWN)
    page.get_by_label("n of the target").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    focused = page.locator(".modebar-btn:focus-visible")
    expect(focused).to_have_count(1)
    expect(focused).to_have_css("outline-style", "solid")
    expect(focused).not_to_have_css("outline-color", "rgb(0, 0, 0)")


def test_long_labels_of_shares_and_their_squares_stay_in_the_chart(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    for width in (1440, 820):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{live_server}/a/{campaign.version.application.project.slug}/hydro/")
        page.wait_for_function(CHARTS_ARE_DRAWN)
        chart = page.locator("figure.chart").first
        edge = chart.bounding_box()
        assert edge
        for label in chart.locator(".annotation-text").all():
            box = label.bounding_box()
            assert box
            assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 1


def test_the_slider_moves_the_target_and_the_address(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    page.goto(f"{live_server}{address(campaign, HALO)}")
    predicted = page.locator(".predicted strong, .predicted .doubtful")
    first = predicted.inner_text()
    slider = page.get_by_label("p of the target")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(predicted).not_to_have_text(first)
    expect(page).to_have_url(re.compile(r"target=p%3A46000%2Cn%3A8000"))
    assert page.locator("input[name=at-p]").input_value() == "46000"
    expect(page.locator("select[name=target] option:checked")).to_have_text(re.compile("46,000"))
    expect(page.get_by_role("link", name="Data", exact=True)).to_have_attribute("href", re.compile("46000"))
    moved = predicted.inner_text()
    # A second change while the first answer is on its way is no error, so the console stays empty.
    page.locator("#controls").evaluate("form => [1, 2].forEach(() => htmx.trigger(form, 'change'))")
    page.wait_for_load_state("networkidle")
    page.reload()
    expect(predicted).to_have_text(moved)


def test_search_order_and_page_are_kept_in_the_address(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    page.goto(f"{live_server}{address(campaign)}")
    rows = page.locator("#rows tbody tr")
    expect(rows).to_have_count(7)
    page.keyboard.press("/")
    page.keyboard.type("timestep->")
    expect(rows).to_have_count(3)
    expect(page).to_have_url(re.compile(r"q=timestep-%3E"))
    page.get_by_role("link", name="held out").click()
    expect(page.locator("th[aria-sort]")).to_have_text(re.compile("held out"))
    expect(rows).to_have_count(3)
    page.go_back()
    expect(page.locator("th[aria-sort]")).to_have_text(re.compile("share"))
    page.locator("h2").first.click()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/kernels/\d+/"))


def test_the_tree_filters_the_table(page: Page, campaign: Campaign, live_server: object) -> None:
    page.goto(f"{live_server}{address(campaign, query='?constants=show')}")
    page.get_by_label("Callees of setup").click()
    page.locator(".branches").get_by_role("link", name="read_mesh", exact=True).wait_for()
    page.locator(".branches").get_by_role("link", name="setup", exact=True).click()
    expect(page.locator("#rows tbody tr")).to_have_count(2)


def test_without_a_script_everything_can_be_read(page: Page, campaign: Campaign, live_server: object) -> None:
    browser = page.context.browser
    assert browser
    plain = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    ).new_page()
    plain.goto(f"{live_server}{address(campaign, HALO)}")
    plain.locator("input[name=at-p]").fill("4096")
    plain.get_by_role("button", name="Show", exact=True).last.click()
    expect(plain).to_have_url(re.compile(r"target=p%3A4096"))
    plain.locator("figure summary").first.click()
    expect(plain.locator("figure table").first).to_contain_text("4,096 (target)")
    plain.context.close()


def test_chart_and_table_agree(page: Page, campaign: Campaign, live_server: object) -> None:
    page.goto(f"{live_server}{address(campaign, HALO)}")
    figure = page.locator("figure.chart").first
    data = json.loads(figure.get_attribute("data-chart") or "")
    medians = next(trace for trace in data["data"] if trace.get("marker", {}).get("symbol") == "square")
    assert page.evaluate("document.querySelector('.chart-area').data.length") == len(data["data"])
    figure.locator("summary").click()
    assert figure.locator("tbody tr").count() == len(medians["x"]) + 1  # One more row for the target.


@pytest.mark.parametrize("width", [1440, 1280, 1050])
def test_the_chart_of_a_kernel_begins_in_the_upper_third_of_the_screen(
    page: Page, campaign: Campaign, live_server: object, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server}{address(campaign, HALO)}")
    first, *others = page.evaluate(
        "[...document.querySelectorAll('.chart-area')].map(area => area.getBoundingClientRect().top)"
    )
    assert first < 320
    # The chart over two parameters comes last, below those that need no choice of a second parameter.
    labels = page.locator(".chart-area").evaluate_all("areas => areas.map(area => area.ariaLabel)")
    assert "over p and n" in labels[-1]
    assert min(others) > 860


def test_the_surface_of_a_law_is_loaded_on_demand(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    page.expected_problems = ["WebGL", "willReadFrequently"]  # type: ignore[attr-defined]
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto(f"{live_server}{address(campaign, HALO)}")
    page.wait_for_function(CHARTS_ARE_DRAWN)
    switch = page.get_by_role("button", name="Surface")
    expect(page.locator(".chart-area .gl-container canvas")).to_have_count(0)
    # The script for flat charts is a third as large as the one that also draws surfaces.
    assert [url for url in sent if "plotly" in url and "cartesian" not in url] == []
    switch.click()
    # Without a graphics card, drawing the surface may take seconds.
    expect(page.locator(".chart-area .gl-container canvas")).to_have_count(1, timeout=30_000)
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(page.locator(".chart-area .gl-container canvas")).to_have_count(0)
    expect(page.locator(".chart-area .contour").first).to_be_attached()
