"""Finds kernels, versions and applications."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from modeling.selectors.application.search import MOST_RESULTS, SHORTEST
from modeling.selectors.application.search import search as find
from perfweb.portal.asked.navigation import projects_of_reader

MOST_AT_ONCE = 3
"""Limit on the kernels, and on the versions, shown of each application while somebody types."""


@login_required
@require_safe
@vary_on_headers("HX-Request")
def search(request: HttpRequest) -> HttpResponse:
    """Find what contains the words of ?q=; while the reader types, only the first few."""
    text = request.GET.get("q", "").strip()[:200]
    projects = projects_of_reader(request)
    found = find(projects, text)
    typed = request.headers.get("HX-Target") == "found"
    return render(
        request,
        "search/at_once.html" if typed else "search/search.html",
        {
            "found": found,
            "searched": text,
            "most": MOST_AT_ONCE if typed else MOST_RESULTS,
            "too_short": len(text) < SHORTEST,
        },
    )
