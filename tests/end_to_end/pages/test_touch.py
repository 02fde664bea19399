"""Charts on a touch screen."""

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page

from tests.end_to_end.accessibility import CHARTS_ARE_DRAWN
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_member
from tests.measured import make_measured

pytestmark = pytest.mark.django_db(transaction=True)

SWIPE = 200
"""Pixels by which a finger moves upwards."""


def swipe(page: Page, x: float, y: float) -> None:
    """Move a finger upwards from a place of the window."""
    touches = page.context.new_cdp_session(page)
    for moved in range(0, SWIPE + 1, 20):
        kind = "touchMove" if moved else "touchStart"
        points = [{"x": x, "y": y - moved}]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_swipe_over_a_chart_scrolls_the_page(browser: Browser, client: Client, live_server: object) -> None:
    application = make_application()
    campaign, _ = make_measured(application, "1.0")
    kernel = application.kernels.get(path="main->timestep->halo_exchange")
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = phone.new_page()
    sign_in(page, client, live_server, make_member(application.project))
    page.goto(f"{live_server}/campaigns/{campaign.pk}/kernels/{kernel.pk}/")
    page.wait_for_function(CHARTS_ARE_DRAWN)
    chart = page.locator(".js-plotly-plot").first
    chart.evaluate("chart => scrollBy(0, chart.getBoundingClientRect().top - 300)")
    axes = "chart => [chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range]"
    before, shown, place = page.evaluate("scrollY"), chart.evaluate(axes), chart.bounding_box()
    assert place
    swipe(page, place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.wait_for_function("before => scrollY > before + 100", arg=before)
    assert chart.evaluate(axes) == shown
    phone.close()
