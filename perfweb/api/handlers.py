"""The site's handlers of 400 and 500: a problem document for programs, a page for people."""

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from perfweb.api import problems


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: what Django refuses before any view sees it."""
    if _from_program(request):
        return problems.response(request, 400, "The request is malformed.")
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: our fault, and in the log under the request's id."""
    if _from_program(request):
        return problems.response(
            request, 500, "The portal failed at this; its log has the details under the request_id."
        )
    return defaults.server_error(request)


def _from_program(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")
