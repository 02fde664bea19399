import re
from pathlib import Path

import pytest
from django.template.loader import get_template

from perfweb.portal.views.help_pages import CHAPTERS

pytestmark = pytest.mark.django_db


def test_it_works_for_everybody(client):
    page = client.get("/help/").content.decode()
    assert "▲" in page
    assert "http://testserver/api/v1/" in page


def test_every_link_to_a_chapter_leads_to_one():
    chapters = {anchor for anchor, _ in CHAPTERS}
    folder = get_template("base.html").origin.name.removesuffix("base.html")
    linked = {
        anchor
        for path in Path(folder).rglob("*.html")
        for anchor in re.findall(r"{% url 'help' %}#([\w-]+)", path.read_text())
    }
    assert linked
    assert linked <= chapters
