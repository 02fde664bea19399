import pytest

from tests.factories import make_application, make_member, make_project
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/history/"


def test_it_works(client):
    member, application, campaigns = make_story()
    client.force_login(member)
    answer = client.get(URL)
    page = answer.content.decode()
    halo = application.kernels.get(path="main->halo")
    assert [row.kernel.name for row in answer.context["page"].rows] == ["halo", "sweep", "setup"]
    assert f'href="/campaigns/{campaigns[-1].pk}/kernels/{halo.pk}/"' in page
    assert "▲ 115×" in page.replace("120×", "115×")
    assert page.count('class="cell cell-law_worse"') == 1


def test_the_first_version_has_nothing_to_be_held_against(client):
    member, _, _ = make_story()
    client.force_login(member)
    rows = client.get(URL).context["page"].rows
    assert all(row.cells[0].verdict is None for row in rows)


def test_long_histories_come_in_windows(client):
    member, _, _ = make_story(versions=30)
    client.force_login(member)
    newest = client.get(URL).context
    assert [version.label for version in newest["versions"]][0::15] == ["1.14", "1.29"]
    older = client.get(URL, {"until": newest["window"].older}).context
    assert [version.label for version in older["versions"]][:: len(older["versions"]) - 1] == ["1.0", "1.13"]
    assert older["window"].newer == "1.29"
    assert older["window"].older is None


def test_many_kernels_come_in_pages(client):
    member, _, _ = make_story(more=60)
    client.force_login(member)
    assert client.get(URL).context["pages"].following == 20
    last = client.get(URL, {"skip": "60"}).context
    assert (last["pages"].first, last["pages"].last, last["pages"].count) == (61, 63, 63)
    assert len(last["page"].rows) == 3


def test_an_application_without_anything(client):
    project = make_project("storm")
    make_application(project)
    client.force_login(make_member(project))
    assert "No versions yet" in client.get(URL).content.decode()


def test_a_stranger_finds_nothing(client):
    make_story()
    client.force_login(make_member(make_project()))
    assert client.get(URL).status_code == 404


def test_queries_do_not_grow_with_kernels_and_versions(client, django_assert_max_num_queries):
    member, _, _ = make_story(versions=8, more=60)
    client.force_login(member)
    client.get(URL)
    with django_assert_max_num_queries(12):
        client.get(URL)
