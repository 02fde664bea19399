"""Leads people whose session ended back to the page on which they were."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

SAFE = ("GET", "HEAD")


class UnsentFormsMiddleware:
    """Sends visitors who are not signed in to the sign-in page, and from there back to the page that they
    were on.

    Otherwise they would get to the address of the form, which often has no page, and nothing would say that
    the form was not sent. htmx would insert the sign-in form into the page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; change redirects of forms to the sign-in page, and empty answers at addresses of forms."""
        response = self.get_response(request)
        by_htmx = "HX-Request" in request.headers
        sign_in = reverse("sign-in")
        if response.headers.get("Location", "").startswith(f"{sign_in}?next="):
            if request.method in SAFE and not by_htmx:
                return response
            unsent = {} if request.method in SAFE else {"unsent": "1"}
            address = f"{sign_in}?{urlencode({'next': _page(request), **unsent}, safe='/')}"
            response.headers["Location"] = address
            return HttpResponse(headers={"HX-Redirect": address}) if by_htmx else response
        if response.status_code == 405 and request.method in SAFE and not response.content:
            page = render(request, "405.html", status=405)
            page.headers["Allow"] = response.headers["Allow"]
            return page
        return response


def _page(request: HttpRequest) -> str:
    """Return the path of the page on which the browser was; if unknown, that of the list of applications."""
    here = request.headers.get("HX-Current-URL") or request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(here, {request.get_host()}):
        return reverse("home")
    parts = urlsplit(here)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
