"""The kernel page of a campaign that the evidence modeler has modelled, in a real browser."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from tests.end_to_end.accessibility import check_page
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_member
from tests.measured import make_weighed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(page: Page, client: Client, live_server: object) -> str:
    """Return the page of a kernel whose law is uncertain. A viewer is signed in."""
    application = make_application()
    campaign, _ = make_weighed(application, "1.3.0", noise=0.2)
    sign_in(page, client, live_server, make_member(application.project))
    kernel = application.kernels.get(path="main->timestep->halo_exchange")
    return f"{live_server}/campaigns/{campaign.pk}/kernels/{kernel.pk}/"


def test_rivals_and_modelers_are_accessible(page: Page, address: str) -> None:
    for query, heading in (("", "Rival laws"), ("?tab=modelers&fit=now", "Every modeler's law")):
        check_page(page, f"{address}{query}")
        expect(page.get_by_role("heading", name=heading)).to_be_visible()


def test_other_modelers_are_fitted_after_the_page_is_loaded(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="Modelers side by side").click()
    expect(page.locator("#modelers table[data-rows] tbody tr")).to_have_count(4, timeout=20_000)
    expect(page.locator("#modelers .main-svg").first).to_be_visible()


def test_rivals_are_predicted_at_the_chosen_target(page: Page, address: str) -> None:
    page.goto(address)
    first = page.locator(".bars .muted").first
    before = first.inner_text()
    page.locator("input[name=at-p]").fill("2048")
    page.keyboard.press("Tab")
    expect(first).not_to_have_text(before)
    expect(page.locator(".predicted")).to_contain_text("p = 2,048")
