"""Signs users in to a page, without filling in the form."""

from django.test import Client
from playwright.sync_api import Page

from perfweb.accounts.models import User


def sign_in(page: Page, client: Client, live_server: object, user: User) -> Page:
    """Give the page the session of a user."""
    client.force_login(user)
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": str(live_server)}])
    return page
