"""The pages of projects and their members."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from perfweb.accounts.invitations import invitation_create, invitation_revoke, invitations_open
from perfweb.accounts.models import Invitation, Project, Role, User
from perfweb.accounts.permissions import project_get
from perfweb.accounts.reader import reader
from perfweb.accounts.selectors import audit_of, memberships_of
from perfweb.accounts.services import membership_remove, membership_set, project_create, project_slug
from perfweb.portal.asked.navigation import memberships_of_reader, role_in
from perfweb.portal.forms.projects import InvitationForm, MemberForm, ProjectForm

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
@require_safe
def project_address(request: HttpRequest) -> HttpResponse:
    """Answer with a sentence that shows the address made from the project's name in ?name=."""
    name = request.GET.get("name", "").strip()
    slug = project_slug(name)
    wrong = "" if slug or not name else f"“{name[:60]}” has no letter a–z or digit: give it an address below."
    return render(request, "uploads/address.html", {"name": name, "slug": slug, "wrong": wrong})


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
    return _page(request, found, form)


@never_cache
@login_required
@require_POST
def invitation_new(request: HttpRequest, project: str) -> HttpResponse:
    """Make an invitation by a link; only this answer shows it."""
    found = project_get(request.user, project, Role.MAINTAINER)
    form = InvitationForm(role_in(request, found.pk) or Role.VIEWER, request.POST)
    if not form.is_valid():
        return _page(request, found, MemberForm(), invite=form)
    made, token = invitation_create(project=found, user=reader(request), **form.cleaned_data)
    address = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, found, MemberForm(), made=made, address=address)


@login_required
@require_POST
def invitation_end(request: HttpRequest, project: str, pk: int) -> HttpResponse:
    """Revoke an invitation."""
    found = project_get(request.user, project, Role.MAINTAINER)
    row = get_object_or_404(Invitation, pk=pk, project=found)
    invitation_revoke(invitation=row, user=reader(request))
    messages.success(request, f"The invitation for {row.name} no longer works.")
    return redirect("project", found.slug)


def _page(
    request: HttpRequest,
    project: Project,
    form: MemberForm,
    invite: InvitationForm | None = None,
    **more: object,
) -> HttpResponse:
    own = role_in(request, project.pk) or Role.VIEWER
    manages = own >= Role.MAINTAINER
    context = {
        "project": project,
        "memberships": memberships_of(project),
        "events": audit_of(project)[:LATEST],
        "form": form,
        "invite": invite or InvitationForm(own),
        "invitations": invitations_open(project) if manages else (),
        "own": own,
        "manages": manages,
        "roles": [role for role in Role if role <= own],
        **more,
    }
    wrong = form.errors or (invite is not None and invite.errors)
    return render(request, "projects/project.html", context, status=422 if wrong else 200)


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
