import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.http import Http404

from perfweb.accounts.models import Project, Role
from perfweb.accounts.permissions import RoleRequired, project_get, role_require
from perfweb.accounts.selectors import audit_of, projects_visible, projects_with_role, role_of
from perfweb.accounts.services import membership_remove, membership_set, project_create
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def test_a_new_project_belongs_to_its_maker():
    user = make_user()
    project = project_create(name="Storm Surge", owner=user)
    assert (project.slug, role_of(user, project)) == ("storm-surge", Role.OWNER)
    assert [entry.action for entry in audit_of(project)] == ["project.create"]


@pytest.mark.parametrize("name", ["Storm", "storm", "", "→"])
def test_a_project_needs_a_unique_slug(name):
    project_create(name="Storm", owner=make_user())
    with pytest.raises(ValidationError) as refused:
        project_create(name=name, owner=make_user())
    assert "slug" in refused.value.message_dict
    assert Project.objects.count() == 1


def test_members_see_their_projects_and_no_others():
    project, _other = make_project(), make_project()
    viewer = make_member(project)
    assert list(projects_visible(viewer)) == [project]
    assert list(projects_with_role(viewer, Role.CONTRIBUTOR)) == []
    assert list(projects_visible(make_user())) == []
    assert list(projects_visible(AnonymousUser())) == []
    assert list(projects_with_role(AnonymousUser(), Role.VIEWER)) == []


def test_another_teams_project_is_not_found():
    project = make_project()
    for user in (make_user(), AnonymousUser()):
        with pytest.raises(Http404):
            project_get(user, project.slug)
        with pytest.raises(Http404):
            role_require(user, project, Role.VIEWER)


def test_an_error_names_the_role_that_is_too_low_and_the_one_needed():
    project = make_project()
    viewer = make_member(project)
    assert project_get(viewer, project.slug) == project
    with pytest.raises(RoleRequired, match=r"needs the role contributor .* yours is viewer"):
        project_get(viewer, project.slug, Role.CONTRIBUTOR)


def test_setting_a_role_twice_keeps_one_membership():
    project = make_project()
    owner, user = make_member(project, Role.OWNER), make_user()
    membership_set(project=project, user=user, role=Role.VIEWER, actor=owner)
    membership_set(project=project, user=user, role=Role.MAINTAINER, actor=owner)
    assert role_of(user, project) == Role.MAINTAINER
    latest = audit_of(project)[0]
    assert (latest.user, latest.details) == (owner, {"role": "maintainer", "before": "viewer"})


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CONTRIBUTOR])
def test_contributors_do_not_manage_members(role):
    project = make_project()
    with pytest.raises(RoleRequired):
        membership_set(project=project, user=make_user(), role=Role.VIEWER, actor=make_member(project, role))


def test_nobody_gives_or_takes_a_role_above_their_own():
    project = make_project()
    owner, maintainer = make_member(project, Role.OWNER), make_member(project, Role.MAINTAINER)
    with pytest.raises(RoleRequired):
        membership_set(project=project, user=maintainer, role=Role.OWNER, actor=maintainer)
    with pytest.raises(RoleRequired):
        membership_set(project=project, user=owner, role=Role.VIEWER, actor=maintainer)
    with pytest.raises(RoleRequired):
        membership_remove(project=project, user=owner, actor=maintainer)
    assert role_of(owner, project) == Role.OWNER


def test_the_last_owner_cannot_leave():
    project = make_project()
    owner = make_member(project, Role.OWNER)
    with pytest.raises(ValidationError, match="last owner"):
        membership_set(project=project, user=owner, role=Role.VIEWER, actor=owner)
    with pytest.raises(ValidationError, match="last owner"):
        membership_remove(project=project, user=owner, actor=owner)
    second = make_member(project, Role.OWNER)
    membership_remove(project=project, user=owner, actor=owner)
    assert role_of(owner, project) is None
    assert role_of(second, project) == Role.OWNER


def test_anybody_may_leave_but_only_once():
    project = make_project()
    viewer = make_member(project)
    membership_remove(project=project, user=viewer, actor=viewer)
    with pytest.raises(ValidationError, match="no member"):
        membership_remove(project=project, user=viewer, actor=viewer)
