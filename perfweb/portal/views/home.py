"""What needs the reader?"""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from ingest.models import Application
from perfweb.portal.navigation import memberships_of_reader


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The applications of all the reader's projects."""
    projects = [membership.project_id for membership in memberships_of_reader(request)]
    applications = Application.objects.filter(project__in=projects).select_related("project")
    return render(request, "home/home.html", {"applications": applications})
