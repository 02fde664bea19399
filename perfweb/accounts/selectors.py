"""Who may see what. Every query starts from the projects given here, by `in_projects`."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from perfweb.accounts.models import ApiToken, AuditEntry, Membership, Project, Role, User


def projects_visible(user: User | AnonymousUser) -> QuerySet[Project]:
    """The projects a user is a member of; none for a visitor who has not signed in."""
    if user.is_anonymous:
        return Project.objects.none()
    return Project.objects.filter(memberships__user=user)


def projects_with_role(user: User | AnonymousUser, least: Role) -> QuerySet[Project]:
    """The projects in which a user has at least this role."""
    if user.is_anonymous:
        return Project.objects.none()
    return Project.objects.filter(memberships__user=user, memberships__role__gte=least)


def role_of(user: User | AnonymousUser, project: Project) -> Role | None:
    """A user's role in a project; None for a stranger."""
    if user.is_anonymous:
        return None
    role = Membership.objects.filter(user=user, project=project).values_list("role", flat=True).first()
    return None if role is None else Role(role)


def memberships_of(project: Project) -> QuerySet[Membership]:
    """The members of a project, owners first."""
    return project.memberships.select_related("user").order_by("-role", "user__username")


def tokens_of(project: Project) -> QuerySet[ApiToken]:
    """The tokens of a project that can still be used, or could until they expired; latest first."""
    return project.tokens.filter(revoked_at=None).select_related("user")


def audit_of(project: Project) -> QuerySet[AuditEntry]:
    """What happened in a project, latest first."""
    return project.audit_entries.select_related("user", "token")
