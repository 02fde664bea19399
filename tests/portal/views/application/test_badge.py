"""The badge of an application, for members and for anybody who has its public address."""

from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.test import Client

from modeling.models import Badge, Change
from perfweb.accounts.models import AuditEntry, Role
from tests.api.test_gate import Story
from tests.factories import make_application, make_member, make_project

pytestmark = pytest.mark.django_db

PAGE = "/a/storm/hydro/"


@pytest.fixture
def story(client):
    story = Story(make_project("storm"))
    client.force_login(make_member(story.application.project, Role.MAINTAINER))
    return story


def words(answer):
    """Return the label of an SVG image. Fail if the image is not well-formed or has other elements than
    shapes and text.
    """
    assert answer.headers["Content-Type"] == "image/svg+xml"
    root = ElementTree.fromstring(answer.content)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "rect", "path", "g", "text"}
    return root.attrib["aria-label"]


def test_it_works(client, story):
    answer = client.get(f"{PAGE}badge.svg")
    assert words(answer) == "performance: 1.1 passed"
    assert answer.headers["Cache-Control"] == "private, max-age=60"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_failed_gate(client, story):
    story.change("halo", Change.Kind.LAW, 2.0)
    assert words(client.get(f"{PAGE}badge.svg")) == "performance: 1.1 failed"


def test_a_version_that_is_not_compared_yet_is_undecided(client, story):
    story.comparison.delete()
    assert words(client.get(f"{PAGE}badge.svg")) == "performance: 1.1 undecided"


def test_nothing_measured(client):
    application = make_application(make_project("storm"))
    client.force_login(make_member(application.project))
    assert words(client.get(f"{PAGE}badge.svg")) == "performance: nothing measured"


def test_labels_are_text_and_not_markup(client, story):
    story.application.versions.filter(label="1.1").update(label='<script x="">' + "a" * 40)
    assert words(client.get(f"{PAGE}badge.svg")) == 'performance: <script x="">aaaaaaaaaaaaaaaaaa… passed'


def test_the_badge_may_be_cached_for_a_while(client, story, django_assert_max_num_queries):
    assert words(client.get(f"{PAGE}badge.svg")) == "performance: 1.1 passed"
    story.change("halo", Change.Kind.LAW, 2.0)
    with django_assert_max_num_queries(6):
        assert words(client.get(f"{PAGE}badge.svg")) == "performance: 1.1 passed"
    cache.clear()
    with django_assert_max_num_queries(14):
        assert words(client.get(f"{PAGE}badge.svg")) == "performance: 1.1 failed"


def test_a_maintainer_makes_and_ends_a_public_address(client, story):
    stranger = Client()
    assert client.post(f"{PAGE}badge/", {"action": "publish"}).status_code == 302
    first = f"/badge/{Badge.objects.get().secret}.svg"
    assert len(first) > 43
    answer = stranger.get(first)
    assert words(answer) == "performance: 1.1 passed"
    assert answer.headers["Cache-Control"] == "public, max-age=60"
    assert not answer.cookies
    assert first in client.get(f"{PAGE}settings/").content.decode()
    client.post(f"{PAGE}badge/", {"action": "publish"})
    second = f"/badge/{Badge.objects.get().secret}.svg"
    assert first != second
    assert [stranger.get(path).status_code for path in (first, second)] == [404, 200]
    client.post(f"{PAGE}badge/", {"action": "end"})
    assert stranger.get(second).status_code == 404
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "badge.publish", "badge.publish", "badge.end",
    ]  # fmt: skip


def test_a_wrong_public_address_is_not_found(story):
    assert Client().get("/badge/.svg").status_code == 404
    assert Client().get(f"/badge/{'a' * 43}.svg").status_code == 404
