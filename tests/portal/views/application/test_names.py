"""Addresses with the name that people give an application lead to the application."""

import pytest

from perfweb.accounts.models import Role
from tests.factories import make_application, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client):
    project = make_project("storm")
    make_application(project, "my-solver-2")
    client.force_login(make_member(project, Role.VIEWER))
    return project


@pytest.mark.parametrize(
    ("asked", "address"),
    [
        ("My Solver 2/", "my-solver-2/"),
        ("MY-SOLVER-2/", "my-solver-2/"),
        ("My.Solver.2/history/", "my-solver-2/history/"),
        ("My Solver 2/compare/?before=1.0&after=1%20b", "my-solver-2/compare/?before=1.0&after=1%20b"),
        ("My Solver 2/a%3Fb c/", "my-solver-2/a%3Fb%20c/"),
    ],
)
def test_a_name_redirects_to_the_address(client, project, asked, address):
    answer = client.get(f"/a/storm/{asked}")
    assert (answer.status_code, answer["Location"]) == (301, f"/a/storm/{address}")


@pytest.mark.parametrize(
    "asked", ["Solver/", "my-solver-2/nothing/", "my-solver-3/", "+/", "My Solver 2/x\0/"]
)
def test_an_unknown_name_is_not_found(client, project, asked):
    answer = client.get(f"/a/storm/{asked}", follow=True)
    assert answer.status_code in (400, 404)


def test_a_missing_slash_is_still_added(client, project):
    answer = client.get("/a/storm/my-solver-2")
    assert (answer.status_code, answer["Location"]) == (301, "/a/storm/my-solver-2/")


def test_names_of_other_projects_are_not_revealed(client, project):
    client.force_login(make_member(make_project("calm"), Role.OWNER))
    assert client.get("/a/storm/My Solver 2/").status_code == 404


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("My Solver 2", "My Solver 2 becomes <code>my-solver-2</code>"),
        ("<b>", "&lt;b&gt; becomes <code>b</code>"),
        ("++", "Found “++”, expected a name with at least one letter"),
        ("hydro", ""),
        ("", ""),
    ],
)
def test_the_form_shows_the_address_made_from_a_name(client, project, name, said):
    found = client.get("/upload/address/", {"application": name}).content.decode()
    assert said in found
    assert bool(found.strip()) == bool(said)
