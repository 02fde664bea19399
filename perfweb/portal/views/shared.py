"""The page for people without an account: one report, opened by a link."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.defaults import page_not_found

from modeling.services.releases.share_links import share_open
from perfweb.portal.report.page import ReportPage

HEADERS = {
    "Cache-Control": "private, no-store",  # no proxy may cache it either: a revoked link must open nothing
    "Referrer-Policy": "no-referrer",  # the address itself is the key
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


@require_safe
def shared_report(request: HttpRequest, token: str) -> HttpResponse:
    """Show the report that the link's token opens; every other token gets the same "not found"."""
    answer = _answer(request, token)
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def _answer(request: HttpRequest, token: str) -> HttpResponse:
    report = share_open(token)
    if report is None:
        return page_not_found(request, Http404())
    return render(request, "reports/shared.html", {"report": report, "page": ReportPage(report.content)})
