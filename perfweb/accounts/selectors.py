"""Reads projects, members, tokens and the audit log. Other queries start from these projects."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from perfweb.accounts.models import ApiToken, AuditEntry, Membership, Project, Role, User


def projects_visible(user: User | AnonymousUser) -> QuerySet[Project]:
    """Return the projects of which a user is a member."""
    return projects_with_role(user, Role.VIEWER)


def projects_with_role(user: User | AnonymousUser, least: Role) -> QuerySet[Project]:
    """Return the projects in which a user has at least this role. A visitor who is not signed in has none."""
    if user.is_anonymous:
        return Project.objects.none()
    return Project.objects.filter(memberships__user=user, memberships__role__gte=least)


def role_of(user: User | AnonymousUser, project: Project) -> Role | None:
    """Return a user's role in a project; None for users who are no members."""
    if user.is_anonymous:
        return None
    role = Membership.objects.filter(user=user, project=project).values_list("role", flat=True).first()
    return None if role is None else Role(role)


def user_named(name: str) -> User:
    """Return the user who signs in by this name; raise ValidationError if there is none."""
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise ValidationError(f"Nobody signs in as “{name}” here.")
    return user


def memberships_of(project: Project) -> QuerySet[Membership]:
    """Return the members of a project, owners first."""
    return project.memberships.select_related("user").order_by("-role", "user__username")


def tokens_of(project: Project) -> QuerySet[ApiToken]:
    """Return the tokens of a project that are valid or expired, but not revoked; latest first."""
    return project.tokens.filter(revoked_at=None).select_related("user")


def audit_of(project: Project) -> QuerySet[AuditEntry]:
    """Return the audit log of a project, latest entry first."""
    return project.audit_entries.select_related("user", "token")
