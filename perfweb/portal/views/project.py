"""Projects and their members."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from perfweb.accounts.models import Role, User
from perfweb.accounts.permissions import project_get
from perfweb.accounts.selectors import audit_of, memberships_of
from perfweb.accounts.services import membership_remove, membership_set, project_create
from perfweb.portal.asked.navigation import memberships_of_reader, role_in
from perfweb.portal.asked.reader import reader
from perfweb.portal.forms.projects import MemberForm, ProjectForm

LATEST = 30
"""Limit on the entries of the audit log that the page shows."""


@login_required
@require_http_methods(["GET", "POST"])
def projects(request: HttpRequest) -> HttpResponse:
    """Show the reader's projects; a POST makes a new one."""
    form = ProjectForm(request.POST or None)
    if form.is_valid():
        try:
            made = project_create(**form.cleaned_data, owner=reader(request))
        except ValidationError as refused:
            form.add_error(None, refused)
        else:
            return redirect("project", made.slug)
    context = {"memberships": memberships_of_reader(request), "form": form}
    return render(request, "projects/projects.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "POST"])
def project_page(request: HttpRequest, project: str) -> HttpResponse:
    """Show the members and the latest events; a maintainer adds members and changes their roles."""
    found = project_get(request.user, project, Role.MAINTAINER if request.method == "POST" else Role.VIEWER)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        user, role = form.cleaned_data["username"], form.cleaned_data["role"]
        try:
            membership_set(project=found, user=user, role=role, actor=reader(request))
        except ValidationError as refused:
            form.add_error(None, refused)
        else:
            messages.success(request, f"{user.username} is {role.label} of {found.name} now.")
            return redirect("project", found.slug)
    own = role_in(request, found.pk) or Role.VIEWER
    context = {
        "project": found,
        "memberships": memberships_of(found),
        "events": audit_of(found)[:LATEST],
        "form": form,
        "own": own,
        "manages": own >= Role.MAINTAINER,
        "roles": [role for role in Role if role <= own],
    }
    return render(request, "projects/project.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def member_remove(request: HttpRequest, project: str, username: str) -> HttpResponse:
    """Remove a member, or leave the project."""
    found = project_get(request.user, project)
    user = get_object_or_404(User, username=username, memberships__project=found)
    try:
        membership_remove(project=found, user=user, actor=reader(request))
    except ValidationError as refused:
        messages.error(request, " ".join(refused.messages))
        return redirect("project", found.slug)
    messages.success(request, f"{user.username} is no longer a member of {found.name}.")
    return redirect("projects") if user == request.user else redirect("project", found.slug)
