"""Refuses requests before any view, form or parser reads them."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

TAKE_FILES = ("upload", "api:uploads")
"""Views that limit the size of bodies themselves."""

PAGE_METHODS = ("GET", "HEAD", "POST")
"""Methods that pages accept; the views of the REST interface name their own."""


class RequestLimitsMiddleware:
    """Refuses NUL in addresses, unknown methods of pages, and files in requests to views that expect none.

    PostgreSQL accepts no NUL. Django does not limit the files in a form: to find the CSRF token, it would
    write whatever anybody sends to the disk.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Check the address."""
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise SuspiciousOperation("A NUL character in the address.")
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Check the method and the length."""
        match, length = request.resolver_match, request.headers.get("Content-Length", "")
        if match and "api" not in match.namespaces and request.method not in PAGE_METHODS:
            return HttpResponseNotAllowed(PAGE_METHODS)
        if match and match.view_name in TAKE_FILES:
            return None
        if length.isdecimal() and int(length[:18]) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig("The body is larger than any form that this address accepts.")
        return None
