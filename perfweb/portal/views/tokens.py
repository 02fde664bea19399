"""The page of a project's tokens."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from perfweb.accounts.models import Project, Role
from perfweb.accounts.permissions import RoleRequired, project_get
from perfweb.accounts.reader import reader
from perfweb.accounts.selectors import tokens_of
from perfweb.accounts.tokens import token_create, token_revoke
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.forms.projects import TokenForm
from perfweb.portal.text.commands import upload_command


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest, project: str) -> HttpResponse:
    """Show the tokens with their last use; a new one is shown only in the answer that creates it."""
    found = project_get(request.user, project)
    role = role_in(request, found.pk) or Role.VIEWER
    form = TokenForm(role, request.POST or None)
    context: dict[str, object] = {}
    if form.is_valid():
        context = _made(request, found, form)
    context |= {
        "project": found,
        "tokens": tokens_of(found),
        "now": timezone.now(),
        "form": form if form.errors or not context else TokenForm(role),
        "maintains": role >= Role.MAINTAINER,
        "uploads": role >= Role.CONTRIBUTOR,
    }
    return render(request, "projects/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def token_end(request: HttpRequest, project: str, pk: int) -> HttpResponse:
    """Revoke a token."""
    found = project_get(request.user, project)
    token = get_object_or_404(tokens_of(found), pk=pk)
    token_revoke(token=token, actor=reader(request))
    messages.success(request, f"The token {token} has been revoked.")
    return redirect("tokens", found.slug)


def _made(request: HttpRequest, project: Project, form: TokenForm) -> dict[str, object]:
    """Return the new token and a command that uses it; empty if the form has errors."""
    try:
        token, plaintext = token_create(
            project=project,
            user=reader(request),
            name=form.cleaned_data["name"],
            scopes=form.chosen(),
            expires=form.expires(),
        )
    except RoleRequired as refused:
        form.add_error("scopes", str(refused))
        return {}
    return {"made": token, "plaintext": plaintext, "command": upload_command(request, token=plaintext)}
