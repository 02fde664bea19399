"""Checks of permissions that views make first.

A project that a user may not see does not exist for them (404). In other projects, a missing right is
reported with the role that it needs (403).
"""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from perfweb.accounts.models import Project, Role, User
from perfweb.accounts.selectors import projects_visible, role_of


class RoleRequired(PermissionDenied):
    """Raised for a member whose role is too low."""

    def __init__(self, project: Project, needed: Role, has: Role) -> None:
        super().__init__(
            f"This needs the role {needed.label} in {project.name}; yours is {has.label}. "
            "A maintainer or owner of the project can change it."
        )
        self.project, self.needed, self.has = project, needed, has


def role_require(user: User | AnonymousUser, project: Project, least: Role) -> Role:
    """Return the user's role in the project, if it is at least `least`.

    Raises:
        Http404: the user is no member of the project.
        RoleRequired: the user's role is lower.
    """
    role = role_of(user, project)
    if role is None:
        raise Http404("No such project, or you are not a member of it.")
    if role < least:
        raise RoleRequired(project, least, role)
    return role


def project_get(user: User | AnonymousUser, slug: str, least: Role = Role.VIEWER) -> Project:
    """Return the project with this slug, if the user has at least the role `least` in it.

    Raises:
        Http404: there is no such project, or the user is no member of it.
        RoleRequired: the user's role is lower.
    """
    project = projects_visible(user).filter(slug=slug).first()
    if project is None:
        raise Http404("No such project, or you are not a member of it.")
    role_require(user, project, least)
    return project
