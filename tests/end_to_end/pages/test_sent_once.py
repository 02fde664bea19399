"""Forms that change data are sent once, even if their button is clicked twice."""

import re
import time

import pytest
from django.test import Client
from playwright.sync_api import Page, Route, expect

from ingest.models import Campaign
from perfweb.accounts.models import Role
from tests.end_to_end.signing_in import sign_in
from tests.factories import make_application, make_member
from tests.measured import make_measured

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_double_click_deletes_a_campaign_and_shows_its_application(
    page: Page, client: Client, live_server: object
) -> None:
    application = make_application()
    campaign, _ = make_measured(application, "1.0")
    sign_in(page, client, live_server, make_member(application.project, Role.MAINTAINER))
    page.goto(f"{live_server}/campaigns/{campaign.pk}/delete/")
    page.get_by_role("radio").first.check()
    sent: list[str] = []

    def slowly(route: Route) -> None:
        sent.append(route.request.method)
        time.sleep(0.5)  # the second click comes while the server is at work
        route.continue_()

    page.route("**/delete/", slowly)
    page.get_by_role("button", name="Delete for good").evaluate(
        "button => { button.click(); setTimeout(() => button.click(), 100); }"
    )
    expect(page.get_by_text(re.compile("is deleted"))).to_be_visible()
    assert sent == ["POST"]
    assert not Campaign.objects.exists()
