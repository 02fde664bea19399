"""Help on the page itself: a "?" explains the term beside it, and the key ? lists the keys of the page."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from tests.end_to_end.accessibility import broken_rules
from tests.end_to_end.signing_in import sign_in
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reading(page: Page, client: Client, live_server: object) -> Page:
    """Open the page of an application."""
    member, application, _ = make_story()
    sign_in(page, client, live_server, member)
    page.goto(f"{live_server}/a/{application.project.slug}/{application.slug}/")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_question_mark_explains_its_term_in_place(reading: Page, scheme: str) -> None:
    reading.emulate_media(color_scheme=scheme)
    address = reading.url
    mark = reading.get_by_role("link", name="How to read a law")
    mark.focus()
    reading.keyboard.press("Enter")
    box = reading.get_by_role("dialog", name="Short explanation")
    expect(box).to_contain_text("A law is a formula for a kernel's values")
    assert reading.url == address
    assert broken_rules(reading) == []
    reading.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(mark).to_be_focused()
    mark.click()
    box.get_by_role("link", name="The whole chapter").click()
    assert reading.url.endswith("/help/laws/")


@pytest.mark.parametrize(
    ("anchor", "address", "heading"),
    [
        ("gate", "/help/gate/", "The gate: may a version be released?"),
        ("word-campaign", "/help/glossary/#word-campaign", "Glossary"),
    ],
)
def test_an_old_anchor_of_the_help_leads_to_its_chapter(
    reading: Page, live_server: object, anchor: str, address: str, heading: str
) -> None:
    reading.goto(f"{live_server}/help/#{anchor}")
    expect(reading.get_by_role("heading", level=1)).to_have_text(heading)
    assert reading.url == f"{live_server}{address}"


def test_the_explanation_fits_on_a_phone(reading: Page) -> None:
    reading.set_viewport_size({"width": 390, "height": 700})
    reading.get_by_role("link", name="How these numbers are made and how far to trust them").first.click()
    box = reading.get_by_role("dialog", name="Short explanation")
    expect(box).to_be_visible()
    at = box.bounding_box()
    assert at is not None
    assert at["x"] >= 0
    assert at["x"] + at["width"] <= 390
    assert at["y"] + at["height"] <= 700


def test_the_key_question_mark_lists_the_keys_of_the_page(reading: Page, live_server: object) -> None:
    reading.keyboard.press("?")
    keys = reading.get_by_role("dialog", name="Keys of this page")
    expect(keys).to_contain_text("next and previous row")
    expect(keys.get_by_text("move a slider")).to_be_hidden()
    assert broken_rules(reading) == []
    reading.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    reading.goto(f"{live_server}/help/rest/")
    reading.get_by_role("button", name="Keys").click()
    expect(keys).to_contain_text("leave a field, close a menu")
    expect(keys.get_by_text("next and previous row")).to_be_hidden()


def test_a_question_mark_typed_into_a_field_is_a_letter(reading: Page) -> None:
    field = reading.get_by_role("searchbox").first
    field.press("?")
    expect(field).to_have_value("?")
    expect(reading.get_by_role("dialog", name="Keys of this page")).to_be_hidden()
