"""The start page: what needs the reader's attention."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from modeling.selectors.application.home import ApplicationRow, application_rows
from modeling.selectors.application.news import changed_versions, uploads_open
from modeling.verdicts import Verdict
from perfweb.accounts.models import Project, Role
from perfweb.portal.asked.links import portal_address
from perfweb.portal.asked.navigation import memberships_of_reader, projects_of_reader


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the applications of all the reader's projects, with changes, failures and work in progress."""
    projects = projects_of_reader(request)
    rows = sorted(application_rows(projects), key=_most_in_need_first)
    under_way, failed = uploads_open(projects)
    return render(
        request,
        "home/home.html",
        {
            "projects": projects,
            "rows": rows,
            "changed": changed_versions(rows),
            "failed": failed,
            "under_way": under_way,
            "host": portal_address(request),
            "demo_project": None if rows else _first_to_upload_to(request),
        },
    )


def _first_to_upload_to(request: HttpRequest) -> Project | None:
    """Return the first project to which the reader may upload; None if there is none."""
    memberships = memberships_of_reader(request)
    return next((each.project for each in memberships if each.role >= Role.CONTRIBUTOR), None)


def _most_in_need_first(row: ApplicationRow) -> tuple[int, int]:
    """Return the key that sorts applications: kernels that became worse, then open changes."""
    counts = row.changes.counts if row.changes else {}
    worse = sum(counts.get(verdict, 0) for verdict in (Verdict.LAW_WORSE, Verdict.WORSE))
    return -worse, -row.open_changes
