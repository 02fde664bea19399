"""Rows for tests: plain functions with defaults, each makes what it needs around it."""

from itertools import count

from perfweb.accounts.models import ApiToken, Membership, Project, Role, Scope, User
from perfweb.accounts.tokens import token_create

_serial = count(1)


def make_user(name: str = "", **fields: object) -> User:
    """A user who can be signed in with `client.force_login`."""
    return User.objects.create(username=name or f"user{next(_serial)}", **fields)


def make_project(slug: str = "") -> Project:
    """A project without members."""
    slug = slug or f"project-{next(_serial)}"
    return Project.objects.create(slug=slug, name=slug.title())


def make_member(project: Project, role: Role = Role.VIEWER, name: str = "") -> User:
    """A user with a role in the project."""
    user = make_user(name or f"{role.label}{next(_serial)}")
    Membership.objects.create(project=project, user=user, role=role)
    return user


def make_token(user: User, project: Project, *scopes: Scope, **fields: object) -> tuple[ApiToken, str]:
    """A token and its plaintext; `fields` are written to the row afterwards, such as a past expiry."""
    token, plaintext = token_create(project=project, user=user, name="test", scopes=list(scopes))
    if fields:
        ApiToken.objects.filter(pk=token.pk).update(**fields)
        token.refresh_from_db()
    return token, plaintext
