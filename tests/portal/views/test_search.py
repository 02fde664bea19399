import pytest

from tests.factories import make_application, make_campaign, make_member, make_project, make_run
from tests.portal.stories import laws, make_story

pytestmark = pytest.mark.django_db


def test_it_works(client):
    member, application, campaigns = make_story()
    client.force_login(member)
    page = client.get("/search/", {"q": "HALO"}).content.decode()
    halo = application.kernels.get(path="main->halo")
    assert f'href="/campaigns/{campaigns[-1].pk}/kernels/{halo.pk}/"' in page
    assert "sweep" not in page


def test_versions_and_applications_are_found_too(client):
    member, _, _ = make_story()
    client.force_login(member)
    assert "?version=1.1" in client.get("/search/", {"q": "1.1"}).content.decode()
    assert "?version=1.2" in client.get("/search/", {"q": "0000002"}).content.decode()
    assert 'href="/a/storm/hydro/"' in client.get("/search/", {"q": "hyd"}).content.decode()


def test_foreign_projects_are_not_searched(client):
    make_run(make_campaign(make_application(make_project(), slug="secret"), "1.0"), laws())
    client.force_login(make_member(make_project()))
    assert "Nothing found" in client.get("/search/", {"q": "halo"}).content.decode()


def test_wildcards_mean_themselves(client):
    member, _, _ = make_story()
    client.force_login(member)
    assert "Nothing found" in client.get("/search/", {"q": "%%"}).content.decode()


def test_one_letter_is_not_searched(client):
    member, _, _ = make_story()
    client.force_login(member)
    assert "at least two characters" in client.get("/search/", {"q": "h"}).content.decode()


def test_queries(client, django_assert_max_num_queries):
    member, _, _ = make_story(more=60)
    client.force_login(member)
    with django_assert_max_num_queries(12):
        client.get("/search/", {"q": "step"})
