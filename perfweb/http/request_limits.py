"""What is refused before any view, form or parser looks at it."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

TAKE_FILES = ("upload", "api:uploads")
"""Views that hold bodies against a limit of their own."""

PAGE_METHODS = ("GET", "HEAD", "POST")
"""What a page may be asked with; the views of the interface name their own."""


class RequestLimitsMiddleware:
    """Refuses NUL in addresses, which PostgreSQL takes in no text, methods that no page knows, and files
    where nobody asked for one.

    Django bounds forms, but not the files in them: to look for the token against forgery it would write
    whatever is sent to any address to the disk, signed in or not.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Look at the address."""
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise SuspiciousOperation("A NUL character in the address.")
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Look at the method and the length."""
        match, length = request.resolver_match, request.headers.get("Content-Length", "")
        if match and "api" not in match.namespaces and request.method not in PAGE_METHODS:
            return HttpResponseNotAllowed(PAGE_METHODS)
        if match and match.view_name in TAKE_FILES:
            return None
        if length.isdecimal() and int(length[:18]) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig("The body is larger than any form of this address.")
        return None
