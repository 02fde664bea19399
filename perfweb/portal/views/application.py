"""What will hurt at the target?"""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from perfweb.portal.focus import focus_read


@login_required
def application(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """The application's page."""
    focus = focus_read(request, project, application)
    return render(request, "application/application.html", {"focus": focus})
