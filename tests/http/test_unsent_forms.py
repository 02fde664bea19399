"""People whose session ended get back to their page, and learn that their form was not sent."""

import pytest
from django.test import Client

from perfweb.accounts.models import Role
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db

PAGE = "http://testserver/projects/storm/?page=2"
FORM = "/projects/storm/invitations/"


def test_a_form_sent_without_a_session_leads_back_to_its_page(client: Client) -> None:
    answer = client.post(FORM, headers={"Referer": PAGE})
    assert answer["Location"] == "/sign-in/?next=/projects/storm/%3Fpage%3D2&unsent=1"
    page = client.get(answer["Location"]).content.decode()
    assert "nothing was changed or stored" in page
    assert 'value="/projects/storm/?page=2"' in page


@pytest.mark.parametrize("referer", ["https://evil.example/", "", "javascript:alert(1)"])
def test_no_other_host_is_named(client: Client, referer: str) -> None:
    answer = client.post(FORM, headers={"Referer": referer})
    assert answer["Location"] == "/sign-in/?next=/&unsent=1"


def test_a_part_of_a_page_is_not_replaced_by_the_sign_in_form(client: Client) -> None:
    answer = client.get("/search/?q=fft", headers={"HX-Request": "true", "HX-Current-URL": PAGE})
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["HX-Redirect"] == "/sign-in/?next=/projects/storm/%3Fpage%3D2"


def test_pages_are_still_named_as_they_were_asked_for(client: Client) -> None:
    assert client.get("/search/?q=fft")["Location"] == "/sign-in/?next=/search/%3Fq%3Dfft"
    assert "nothing was changed" not in client.get("/sign-in/").content.decode()


def test_an_address_of_a_form_has_a_page(client: Client) -> None:
    client.force_login(make_member(make_project("storm"), Role.OWNER))
    answer = client.get(FORM)
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"
    assert "only receives forms" in answer.content.decode()
