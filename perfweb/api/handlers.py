"""The site's handlers of the errors 400, 500 and 503: a problem document for programs, a page for people."""

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from perfweb.api import problems
from perfweb.health.outages import Outage, outage_of


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 to a request that Django refuses before it reaches a view."""
    if _from_program(request):
        return problems.response(request, 400, "The request is malformed.")
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500, with the error in the log under the request's id, or 503 for a temporary outage."""
    if outage := outage_of(sys.exc_info()[1]):
        return _unavailable(request, outage)
    if _from_program(request):
        return problems.response(
            request, 500, "The portal failed at this request; its log has the details under the request_id."
        )
    return defaults.server_error(request)


def _unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Answer 503 without any query to the database, such as for the signed-in user."""
    if _from_program(request):
        return problems.response(request, 503, f"{outage.title} {outage.advice}", outage)
    page = render_to_string("503.html", {"outage": outage})
    return HttpResponse(page, status=503, headers={"Retry-After": str(outage.wait)})


def _from_program(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")
