"""Check pages in a real browser: each page follows the accessibility rules of axe and fits the screen."""

from contextlib import suppress
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, TimeoutError

WIDTHS = (1440, 1280, 820, 390)
HEIGHT = 900
WIDEST, PHONE = WIDTHS[0], WIDTHS[-1]
CHARTS_ARE_DRAWN = "() => [...document.querySelectorAll('.chart-area')].every(area => area.children.length)"
BROKEN_TERMS = """() => [...document.querySelectorAll('.law .whole')]
    .filter(term => new Set([...term.getClientRects()].map(box => Math.round(box.bottom))).size > 1)
    .map(term => term.textContent)"""
"""JavaScript that finds the short terms of laws that are broken over several lines."""
COVERED_ROWS = """() => [...document.querySelectorAll('table')].filter(table => {
    const [head, row] = [table.querySelector('thead th'), table.querySelector('tbody tr')];
    return head && row && row.offsetParent
        && head.getBoundingClientRect().bottom > row.getBoundingClientRect().top + 1
        && head.getBoundingClientRect().bottom > 60;
}).map(table => table.innerText.slice(0, 80))"""
"""JavaScript that finds tables whose heading covers their first row.

A heading that sticks to the top of the screen is allowed to do so.
"""

HIDDEN_CONTROLS = """() => [...document.querySelectorAll('main :is(button, select, input, summary)')]
    .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > window.innerWidth + 1)
    .map(each => each.outerHTML.slice(0, 120))"""
"""JavaScript that finds buttons and fields at the right of the screen, where only a table scrolls to them."""


def broken_rules(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    """Return the accessibility rules that the page breaks now, each with the first element that breaks it."""
    # Without this option axe also describes all elements that follow the rules.
    only = {"resultTypes": ["violations"], **(options or {})}
    found = Axe().run(page, options=only).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found]


def check_page(page: Page, address: str) -> None:
    """Open a page on a wide, light screen and on a dark phone.

    Fail if the page breaks an accessibility rule on either of them. Two combinations of width and colour
    scheme are enough, because rules on colours depend only on the scheme, and all other rules only on the
    width. At every width of `WIDTHS`, fail also if the page is wider than the screen or if a short term of a
    law is broken over several lines; on a phone also if a button or a field is out of sight.
    """
    for width, scheme in ((WIDEST, "light"), (PHONE, "dark")):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(address)
        page.wait_for_function(CHARTS_ARE_DRAWN)
        broken = broken_rules(page)
        assert broken == [], (scheme, address, broken)
        assert page.evaluate(COVERED_ROWS) == [], address
    for width in reversed(WIDTHS):
        check_width(page, width)


def check_width(page: Page, width: int) -> None:
    """Fail if the shown page is wider than a screen of this width, or if a term of a law is broken."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    with suppress(TimeoutError):  # Charts are resized a moment after the screen.
        page.wait_for_function(
            "width => document.documentElement.scrollWidth <= width", arg=width, timeout=5000
        )
    reached = page.evaluate("document.documentElement.scrollWidth")
    assert reached <= width, f"{page.url} is {reached} px wide on a screen of {width} px"
    assert page.evaluate(BROKEN_TERMS) == [], f"{page.url} at {width} px"
    if width == PHONE:
        hidden = page.evaluate(HIDDEN_CONTROLS)
        assert hidden == [], f"{page.url}: {hidden} out of sight"
