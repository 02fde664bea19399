"""Keeps pages of a signed-in user out of caches."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class PrivatePagesMiddleware:
    """Marks answers to a session as private, so that no cache stores them.

    `no-cache` is not enough: browsers show a cached page again on going back, even after signing out.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and mark the answer as private if the request has a session."""
        response = self.get_response(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
