"""Base classes of all views of the interface."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from perfweb.accounts.models import Scope
from perfweb.api.access import SignedInWithScope, token_of
from perfweb.api.throttles import Reads


class ApiView(APIView):
    """A view for tokens and sessions; a token needs one of the view's `scopes`.

    If a method needs a certain scope, `scope_of_method` names it.
    """

    permission_classes = (SignedInWithScope,)
    throttle_classes: tuple[type[BaseThrottle], ...] = (Reads,)
    parser_classes: tuple[type[BaseParser], ...] = ()
    scopes: ClassVar[tuple[Scope, ...]] = (Scope.READ,)
    scope_of_method: ClassVar[Mapping[str, Scope]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the scope that the method needs."""
        super().initial(request, *args, **kwargs)
        token, needed = token_of(request), self.scope_of_method.get(request.method or "")
        if token and needed and needed not in token.scopes:
            raise PermissionDenied(f"This needs the scope {needed}; the token has another one.")


class Nothing(APIView):
    """Answers every address under /api/ that belongs to no other view."""

    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Answer 404 to requests of every method."""
        raise NotFound(
            "Nothing is at this address; /api/schema/ lists what there is. Addresses end with a slash."
        )
