"""A report opened by its public link: what visitors without an account see, and what the link hides."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from modeling.models import ShareLink
from modeling.selectors.reports.build import report_content
from modeling.services.releases.reports import content_digest, report_make
from modeling.services.releases.share_links import share_create, share_revoke
from tests.modeling.selectors.reports.test_build import subject
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db

HEADERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


@pytest.fixture
def shared():
    member, application, _ = make_story()
    one = subject(application)
    content = report_content(one)
    report = report_make(
        subject=one, content=content, seen=content_digest(content), note="For you.", user=member
    )
    link, token = share_create(report=report, name="board", lasts=timedelta(days=7), user=member)
    return link, f"/shared/{token}/", member


def headers(answer):
    return {name: answer[name] for name in HEADERS}


def test_it_works(client, shared, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        answer = client.get(shared[1])
    assert answer.status_code == 200
    assert headers(answer) == HEADERS
    page = answer.content.decode()
    assert '<meta name="robots" content="noindex, nofollow, noarchive">' in page
    assert "For you." in page
    assert not answer.cookies


def test_the_page_names_nothing_outside_of_the_report(client, shared):
    _, address, member = shared
    page = client.get(address).content.decode()
    for secret in (member.username, "Storm", "/a/storm", "board", address):
        assert secret not in page


def test_wrong_expired_and_revoked_links_get_the_same_answer(client, shared):
    link, address, member = shared
    answers = [client.get(f"/shared/{token}/") for token in ("wrong", "x" * 900)]
    share_revoke(link=link, user=member)
    answers.append(client.get(address))
    ShareLink.objects.update(revoked_at=None, expires_at=timezone.now())
    answers.append(client.get(address))
    assert {answer.status_code for answer in answers} == {404}
    assert all(headers(answer) == HEADERS for answer in answers)
    bodies = {answer.content.decode().replace(answer.wsgi_request.path, "") for answer in answers}
    assert len(bodies) == 1


def test_a_member_sees_the_same_page(client, shared):
    _, address, member = shared
    stranger = client.get(address).content
    signed_in = Client()
    signed_in.force_login(member)
    answer = signed_in.get(address)
    assert answer.content == stranger
    assert headers(answer) == HEADERS


def test_other_methods_are_refused(client, shared):
    assert client.post(shared[1]).status_code == 405
