"""The page that an invitation's link opens: for people with an account, and for people without one."""

from django.contrib import messages
from django.contrib.auth import login
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from perfweb.accounts.invitations import (
    InvitationOverError,
    account_create,
    invitation_accept,
    invitation_find,
)
from perfweb.accounts.models import Invitation
from perfweb.accounts.reader import reader
from perfweb.portal.forms.projects import AccountForm

HEADERS = {
    "Cache-Control": "private, no-store",  # no proxy may keep what a revoked link showed
    # The address itself is the key, so no other host may learn it. If all referrers were forbidden, browsers
    # would send the page's form with "Origin: null", which the protection against forged requests refuses.
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, invitation: str) -> HttpResponse:
    """Show who invites the reader to which project; a POST joins the project, and may first make an account.

    Wrong, used, expired and revoked links get the same answer.
    """
    try:
        found = invitation_find(invitation)
        answer = _post(request, found, invitation) if request.method == "POST" else _page(request, found)
    except InvitationOverError:
        answer = render(request, "session/invitation_over.html", status=404)
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def _post(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    return _join(request, found, token) if request.user.is_authenticated else _sign_up(request, found, token)


def _join(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    try:
        invitation_accept(token=token, user=reader(request))
    except ValidationError as refused:
        messages.info(request, " ".join(refused.messages))
    else:
        messages.success(request, f"You are {found.get_role_display()} of {found.project.name} now.")
    return redirect("project", found.project.slug)


def _sign_up(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    """Make an account that is a member of the project, and sign it in."""
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form)
    try:
        user = account_create(
            token=token, username=form.cleaned_data["username"], password=form.cleaned_data["password"]
        )
    except ValidationError as refused:
        form.add_error(None, refused)
        return _page(request, found, form)
    login(request, user)
    messages.success(request, f"Welcome. You are {found.get_role_display()} of {found.project.name} now.")
    return redirect("home")


def _page(request: HttpRequest, found: Invitation, form: AccountForm | None = None) -> HttpResponse:
    context = {"found": found, "form": form or AccountForm()}
    status = 422 if form is not None and form.errors else 200
    return render(request, "session/invitation.html", context, status=status)
