"""Finds kernels, versions and applications."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from modeling.selectors.application.search import MOST_RESULTS, SHORTEST
from modeling.selectors.application.search import search as find
from perfweb.portal.asked.navigation import projects_of_reader


@login_required
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show everything of the reader's projects that contains ?q=."""
    text = request.GET.get("q", "").strip()[:200]
    projects = projects_of_reader(request)
    found = find(projects, text)
    return render(
        request,
        "search/search.html",
        {"found": found, "searched": text, "most": MOST_RESULTS, "too_short": len(text) < SHORTEST},
    )
