"""Pages about uploading from batch jobs and pipelines."""

from functools import cache

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.models import Application
from perfweb.launcher.portal import ROOT
from perfweb.portal.asked.links import portal_address
from perfweb.portal.asked.navigation import projects_of_reader
from perfweb.portal.files.exports import attached
from perfweb.portal.text.commands import FIRST, snippets


@require_safe
def client(request: HttpRequest) -> HttpResponse:
    """Answer with the client, which contains this portal's address; jobs may load it without signing in."""
    text = _client().replace('PORTAL = ""', f"PORTAL = {portal_address(request)!r}", 1)
    answer = HttpResponse(text, content_type="text/x-python; charset=utf-8")
    return attached(answer, "perfweb.py")


@login_required
@require_safe
def from_job(request: HttpRequest) -> HttpResponse:
    """Show commands for a job script, for one of the reader's applications."""
    projects = projects_of_reader(request)
    applications = list(Application.objects.in_projects(projects).select_related("project").order_by("slug"))
    asked = request.GET.get("application", "")
    chosen = next(
        (row for row in applications if asked in (row.slug, f"{row.project.slug}/{row.slug}")),
        applications[0] if applications else None,
    )
    name, address = chosen.slug if chosen else "my-application", portal_address(request)
    context = {
        "applications": applications,
        "chosen": chosen,
        "project": chosen.project if chosen else next(iter(projects), None),
        "first": [snippet.filled(address, name) for snippet in FIRST],
        "snippets": snippets(address, name),
    }
    return render(request, "uploads/from_job.html", context)


@cache
def _client() -> str:
    return (ROOT / "perfweb" / "client" / "perfweb.py").read_text()
