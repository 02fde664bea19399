"""The page that compares a campaign's modelers, in a real browser. No network is adapted here."""

import os

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from modeling.models import ModelRun, State
from modeling.services.models import modelers
from modeling.tasks import portion_adapt, run_execute
from perfweb.accounts.models import Role
from tests.end_to_end.accessibility import check_page
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_member
from tests.measured import make_weighed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(page: Page, client: Client, live_server: object) -> str:
    """Return the page of a campaign that the evidence and the adaptive modeler have modelled. A maintainer is
    signed in.
    """
    application = make_application()
    campaign, _ = make_weighed(application, "1.3.0", noise=0.2)
    maintainer = make_member(application.project, Role.MAINTAINER)
    ModelRun.objects.update(revision=campaign.revision)
    run = modelers.modeler_add(campaign=campaign, modeler="adaptive", user=maintainer)
    run_execute(run.pk)
    for portion in run.portions.all():
        portion_adapt(portion.pk)
    run_execute(run.pk)
    run.refresh_from_db()
    assert run.state == State.DONE, run.error
    sign_in(page, client, live_server, maintainer)
    return f"{live_server}/campaigns/{campaign.pk}/modelers/"


def test_the_comparison_is_accessible(page: Page, address: str) -> None:
    check_page(page, address)
    expect(page.get_by_role("heading", name="Over all kernels")).to_be_visible()
    if "SHOT" in os.environ:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=f"{os.environ['SHOT']}_{scheme}.png", full_page=True)


def test_another_modelers_models_can_be_shown(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Show the models of adaptive").click()
    expect(page.locator("tr.current th").first).to_have_text("adaptive")
    expect(page.get_by_text("Pages show the models of adaptive.")).to_be_visible()
