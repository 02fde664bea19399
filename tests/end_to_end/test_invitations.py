"""An invitation in a real browser. The browser sends the form with the Origin header that the page's referrer
policy allows.
"""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from perfweb.accounts.invitations import invitation_create
from perfweb.accounts.models import Role, User
from perfweb.accounts.selectors import role_of
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_invited_person_makes_an_account(page: Page, live_server: object) -> None:
    project = make_project("storm")
    owner = make_member(project, Role.OWNER, "olga")
    _, token = invitation_create(
        project=project, name="Ada", role=Role.CONTRIBUTOR, lasts=timedelta(days=1), user=owner
    )
    page.goto(f"{live_server}/invitations/{token}/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password", exact=True).fill("engine no. 1")
    page.get_by_label("Password, once more").fill("engine no. 1")
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.get_by_text("Welcome. You are contributor of Storm now.")).to_be_visible()
    assert role_of(User.objects.get(username="ada"), project) == Role.CONTRIBUTOR
