"""What every page is checked for in a real browser: rules of accessibility, and that it fits the screen."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SIZES = {"wide": (1440, 900), "phone": (390, 844)}
CHARTS_ARE_DRAWN = "() => [...document.querySelectorAll('.chart-area')].every(area => area.children.length)"
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
"""Options of axe: the rules about colours alone."""


def broken_rules(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    """The rules that the page breaks as it is now, each with the first element that does."""
    found = Axe().run(page, **({"options": options} if options else {})).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found]


def check_page(page: Page, address: str, size: str) -> None:
    """Open a page at a size; fail where it breaks a rule, in light or in dark, or is wider than the screen.

    The schemes differ in colours alone, so that the other rules need to be asked once.
    """
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="light")
    page.goto(address)
    page.wait_for_function(CHARTS_ARE_DRAWN)
    assert [("light", address, rule) for rule in broken_rules(page)] == []
    page.emulate_media(color_scheme="dark")
    assert [("dark", address, rule) for rule in broken_rules(page, COLOURS)] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width, address
