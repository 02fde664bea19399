"""Base classes of all views of the interface."""

from typing import Any, ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from perfweb.accounts.models import Scope
from perfweb.api.access import SignedInWithScope
from perfweb.api.throttles import Reads


class ApiView(APIView):
    """A view for tokens and sessions; a token needs one of the view's `scopes`."""

    permission_classes = (SignedInWithScope,)
    throttle_classes: tuple[type[BaseThrottle], ...] = (Reads,)
    parser_classes: tuple[type[BaseParser], ...] = ()
    scopes: ClassVar[tuple[Scope, ...]] = (Scope.READ,)


class Nothing(APIView):
    """Answers every address under /api/ that no other view has."""

    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise 404, whatever the method."""
        raise NotFound(
            "Nothing is at this address; /api/schema/ lists what there is. Addresses end with a slash."
        )
