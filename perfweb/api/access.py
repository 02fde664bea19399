"""The rights of a request: its user's memberships, restricted by the token that it came with."""

from django.db.models import QuerySet
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from perfweb.accounts.models import ApiToken, Project, Scope
from perfweb.accounts.selectors import projects_visible


def token_of(request: Request) -> ApiToken | None:
    """Return the token of the request; None for a request from a browser's session."""
    return request.auth if isinstance(request.auth, ApiToken) else None


def projects_of(request: Request) -> QuerySet[Project]:
    """Return the projects whose data the request may see; every query of the interface starts here."""
    projects = projects_visible(request.user)
    token = token_of(request)
    return projects.filter(pk=token.project_id) if token else projects


class SignedInWithScope(BasePermission):
    """Admits signed-in users; a request with a token needs one of the view's `scopes`."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Refuse anonymous requests, and tokens without the scope, which the error names."""
        if not request.user.is_authenticated:
            return False
        token = token_of(request)
        scopes: tuple[Scope, ...] = view.scopes  # type: ignore[attr-defined]
        if token and not set(scopes) & set(token.scopes):
            raise PermissionDenied(
                f"The token may {' and '.join(Scope(scope).label for scope in token.scopes)}; "
                f"this needs the scope {' or '.join(scopes)}."
            )
        return True
