"""Pages of somebody who is signed in stay with that browser session."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class PrivatePagesMiddleware:
    """Keeps answers to a session out of every cache.

    `no-cache` would not do: browsers show a cached page again when one goes back, also after signing out.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, marked as private where a session asked."""
        response = self.get_response(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
