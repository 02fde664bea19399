"""Sign users in to a page."""

from django.test import Client
from playwright.sync_api import Page, expect

from perfweb.accounts.models import User

PASSWORD = "engine no. 1"
"""Password of the users that sign in by filling in the form."""


def sign_in(page: Page, client: Client, live_server: object, user: User) -> Page:
    """Give the page the session of a user, without filling in the form."""
    client.force_login(user)
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": str(live_server)}])
    return page


def fill_in(page: Page, portal: object, user: User) -> None:
    """Sign a user with `PASSWORD` in by filling in the form."""
    page.goto(f"{portal}/sign-in/")
    page.get_by_label("Username").fill(user.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{portal}/")
