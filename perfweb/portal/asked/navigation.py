"""The reader's place in the portal, and the places that they can go to."""

from dataclasses import dataclass

from django.http import HttpRequest

from perfweb.accounts.models import Membership, Project, Role

SECTIONS = {
    "home": "applications",
    "application": "applications",
    "history": "applications",
    "compare": "applications",
    "forecasts": "applications",
    "application-settings": "applications",
    "plan-profile": "applications",
    "campaign-modelers": "applications",
    "campaign-parameters": "applications",
    "reports": "applications",
    "report-new": "applications",
    "report": "applications",
    "report-since": "applications",
    "first-plan": "applications",
    "planner": "applications",
    "plan": "applications",
    "campaign": "applications",
    "kernel": "applications",
    "changes": "changes",
    "application-changes": "changes",
    "change": "changes",
    "silences": "changes",
    "upload": "upload",
    "from-job": "upload",
    "uploads": "upload",
    "upload-detail": "upload",
    "upload-preview": "upload",
    "help": "help",
    "help-all": "help",
    "help-chapter": "help",
    "rest": "help",
    "help-mathematics": "help",
    "help-accuracy": "help",
}


@dataclass(frozen=True)
class Navigation:
    """The projects of the reader and the section of the page."""

    memberships: tuple[Membership, ...]
    project: Project | None
    section: str


def memberships_of_reader(request: HttpRequest) -> tuple[Membership, ...]:
    """Return the reader's memberships with their projects; queried once per request."""
    stored: tuple[Membership, ...] | None = getattr(request, "_memberships", None)
    if stored is None:
        rows = Membership.objects.none()
        if request.user.is_authenticated:
            rows = request.user.memberships.select_related("project").order_by("project__name")
        stored = tuple(rows)
        request._memberships = stored  # type: ignore[attr-defined]  # lives as long as the request
    return stored


def projects_of_reader(request: HttpRequest) -> list[Project]:
    """Return the projects that the reader is a member of; queried once per request."""
    return [membership.project for membership in memberships_of_reader(request)]


def role_in(request: HttpRequest, project_id: int) -> Role:
    """Return the reader's role in one of their projects, without a further query."""
    roles = {membership.project_id: membership.role for membership in memberships_of_reader(request)}
    return Role(roles[project_id])


def navigation(request: HttpRequest, subject: Project | None = None) -> Navigation:
    """Return the content of the top bar.

    The project shown is the page's `subject`, else that in the address, else the reader's only one.
    """
    memberships = memberships_of_reader(request)
    match = request.resolver_match
    slug = subject.slug if subject else match.kwargs.get("project") if match else None
    projects = projects_of_reader(request)
    here = [project for project in projects if project.slug == slug] if slug else projects
    section = SECTIONS.get(match.url_name or "", "") if match else ""
    return Navigation(memberships, here[0] if len(here) == 1 else None, section)
