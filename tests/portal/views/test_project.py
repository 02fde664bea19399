import pytest

from perfweb.accounts.models import Project, Role
from perfweb.accounts.selectors import role_of
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("storm")


@pytest.fixture
def owner(project, client):
    owner = make_member(project, Role.OWNER, "olga")
    client.force_login(owner)
    return owner


def test_it_works(client, owner, project, django_assert_max_num_queries):
    make_member(project, Role.VIEWER, "vera")
    with django_assert_max_num_queries(12):
        page = client.get("/projects/storm/").content.decode()
    assert "vera" in page
    assert "Add somebody with an account" in page


def test_the_number_of_queries_does_not_grow_with_members(
    client, owner, project, django_assert_max_num_queries
):
    for _ in range(20):
        make_member(project)
    with django_assert_max_num_queries(12):
        client.get("/projects/storm/")


def test_a_users_projects_are_listed_with_their_role(client, owner):
    make_project("others")
    page = client.get("/projects/").content.decode()
    assert "/projects/storm/" in page
    assert "owner" in page
    assert "others" not in page


def test_a_new_project(client, owner):
    answer = client.post("/projects/", {"name": "Heat wave"})
    assert answer["Location"] == "/projects/heat-wave/"
    assert role_of(owner, Project.objects.get(slug="heat-wave")) == Role.OWNER


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Heat Wave", "Heat Wave becomes <code>heat-wave</code> in addresses"),
        ("heat-wave", ""),
        ("", ""),
        ("热浪", "“热浪” has no letter a–z or digit"),
        ("<b>", "&lt;b&gt; becomes <code>b</code>"),
    ],
)
def test_the_address_of_a_new_project_is_shown_while_its_name_is_typed(client, owner, name, said):
    answer = client.get("/project-address/", {"name": name}).content.decode().strip()
    assert answer == said if not said else said in answer


def test_a_used_name_is_refused_beside_the_field(client, owner):
    answer = client.post("/projects/", {"name": "Storm"})
    assert answer.status_code == 422
    assert "There is a project “storm” already" in answer.content.decode()


def test_members_are_added_changed_and_removed(client, owner, project):
    make_user("nina")
    assert client.post("/projects/storm/", {"username": "nina", "role": 10}).status_code == 302
    client.post("/projects/storm/", {"username": "nina", "role": 30})
    nina = project.memberships.get(user__username="nina")
    assert nina.role == Role.MAINTAINER
    client.post("/projects/storm/members/nina/remove/")
    assert not project.memberships.filter(user__username="nina").exists()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"username": "nobody", "role": 10}, "Nobody signs in as “nobody”"),
        ({"username": "olga", "role": 10}, "last owner"),
        ({"username": "olga", "role": 11}, "Select a valid choice"),
        ({"username": "", "role": ""}, "This field is required"),
        ({"username": "x\0", "role": 10}, "Null characters"),
    ],
)
def test_invalid_fields_are_refused(client, owner, project, fields, said):
    answer = client.post("/projects/storm/", fields)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert role_of(owner, project) == Role.OWNER


def test_the_last_owner_cannot_leave(client, owner, project):
    answer = client.post("/projects/storm/members/olga/remove/", follow=True)
    assert "last owner" in answer.content.decode()
    assert role_of(owner, project) == Role.OWNER


def test_after_leaving_the_user_is_redirected_home(client, project):
    vera = make_member(project, Role.VIEWER, "vera")
    client.force_login(vera)
    assert client.post("/projects/storm/members/vera/remove/")["Location"] == "/projects/"
    assert client.get("/projects/storm/").status_code == 404


def test_a_viewer_sees_members_but_no_forms(client, project):
    client.force_login(make_member(project))
    page = client.get("/projects/storm/").content.decode()
    assert "Add somebody with an account" not in page
    answer = client.post("/projects/storm/", {"username": "vera", "role": 10})
    assert answer.status_code == 403
    assert "needs the role maintainer" in answer.content.decode()
