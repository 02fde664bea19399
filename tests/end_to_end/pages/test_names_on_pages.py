"""Pages show names unchanged that look like markup, templates or colours, or are written right to left."""

import pytest
from playwright.sync_api import Page, expect

from ingest.models import Campaign
from tests.end_to_end.pages.conftest import Slower
from tests.factories import Law

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETERS = ("vector<b>, %{y}", "מספר תהליכים")
KERNELS = (
    '<a href="https://x">y</a>', "operator<<(a, b)", "a & b &lt;c&gt;", "%{x}<br>$x^2$ {name}", "--ink",
    "a" * 400,
)  # fmt: skip
VERSIONS = ("<i>1</i>", "<i>2</i>")
TEXTS = "() => [...document.querySelectorAll('.chart-area text')].map(text => text.textContent)"
DRAWN = "() => [...document.querySelectorAll('.chart-area')].every(area => area.children.length)"


def laws(number: int) -> dict[str, Law]:
    """Return kernels with unusual names. Their cost grows with the number of the version."""
    return {
        f"main->{name}": (0.1, [(0.01 * number * place, (0.5, 0.0, 0.0, 0.0))])
        for place, name in enumerate(KERNELS, 1)
    }


@pytest.fixture
def campaign(slower: Slower) -> Campaign:
    return slower(PARAMETERS, VERSIONS, laws)


def texts(page: Page, address: str) -> list[str]:
    """Return all texts in the charts of a page. Fail if a chart contains links or the page is wider than a
    phone.
    """
    page.goto(address)
    page.wait_for_function(DRAWN)
    assert page.locator(".chart-area svg a").count() == 0
    shown: list[str] = page.evaluate(TEXTS)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    return shown


def hovered(page: Page, chart: int, curve: int, point: int) -> str:
    """Return the text of the box that appears when the mouse is on a mark of a chart."""
    page.evaluate(
        "([chart, curve, point]) => Plotly.Fx.hover(document.querySelectorAll('.chart-area')[chart], "
        "[{curveNumber: curve, pointNumber: point}])",
        [chart, curve, point],
    )
    box = page.locator(".hoverlayer text.nums").first
    return " ".join(box.locator("tspan.line").all_text_contents()) or box.text_content() or ""


def test_charts_show_every_name_unchanged(page: Page, campaign: Campaign, live_server: object) -> None:
    application = f"{live_server}/a/{campaign.version.application.project.slug}/hydro/"
    shown = texts(page, application)
    assert PARAMETERS[0] in shown
    # The kernel whose name has 400 letters is shortened.
    assert sum(text.startswith(KERNELS) for text in shown) >= 4
    assert any(text.startswith("aaa") and "…" in text for text in shown)
    assert "%{" in page.locator(".chart-area").first.get_attribute("aria-label")  # type: ignore[operator]

    shown = texts(page, f"{application}compare/")
    assert {*KERNELS[:-1], *VERSIONS} <= set(shown)
    assert hovered(page, 0, 0, 3).startswith(KERNELS[3])


def test_the_kernel_page_shows_names_of_parameters_unchanged(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    kernel = campaign.version.application.kernels.get(path=f"main->{KERNELS[0]}")
    shown = texts(page, f"{live_server}/campaigns/{campaign.pk}/kernels/{kernel.pk}/")
    assert set(PARAMETERS) <= set(shown)
    assert f"{VERSIONS[0]} (before)" in shown
    data = page.evaluate("document.querySelector('.chart-area').data.map(trace => trace.text)")
    runs = next(at for at, text in enumerate(data) if text and text[0].startswith("run "))
    assert f"at {PARAMETERS[0]} = 4, \u2068{PARAMETERS[1]}\u2069 = " in hovered(page, 0, runs, 0)
    assert PARAMETERS[0] in page.locator(".law-large").inner_text()
    # A right-to-left name must not change the direction of the text around it.
    assert page.evaluate("getComputedStyle(document.querySelector('var')).unicodeBidi") == "isolate"
    # The address keeps the target even though the name of a parameter contains a comma.
    page.locator("input[type=number]").first.fill("4096")
    page.locator("input[type=number]").first.press("Tab")
    expect(page.locator(".predicted")).to_contain_text(f"at {PARAMETERS[0]} = 4,096")
