"""Redirects from the names of applications to their addresses."""

from urllib.parse import quote

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.urls.converters import StringConverter
from django.views.decorators.http import require_safe

from ingest.fields.names import ADDRESS, slug_of, slug_wrong
from ingest.models import Application
from perfweb.accounts.selectors import projects_visible


class Address(StringConverter):
    """The slug of an application."""

    regex = ADDRESS.pattern


@login_required
@require_safe
def application_named(request: HttpRequest, project: str, asked: str) -> HttpResponse:
    """Redirect from a name, such as /a/lab/My Solver 2/history/, to the page at the slug."""
    name, _, rest = asked.partition("/")
    if ADDRESS.fullmatch(name):
        raise Http404("There is no such page.")
    rows = Application.objects.in_projects(projects_visible(request.user)).filter(project__slug=project)
    found = get_object_or_404(rows, slug=slug_of(name))
    address = reverse("application", args=[project, found.slug]) + (f"{quote(rest)}/" if rest else "")
    query = request.META.get("QUERY_STRING", "")
    return redirect(f"{address}?{query}" if query else address, permanent=True)


@login_required
@require_safe
def application_address(request: HttpRequest) -> HttpResponse:
    """Answer with a sentence that shows the address made from the name in ?application=."""
    name = request.GET.get("application", "").strip()
    context = {"name": name, "slug": slug_of(name), "wrong": slug_wrong(name) if name else ""}
    return render(request, "uploads/address.html", context)
