"""What people without an account see: one report, by a link that somebody sent them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.defaults import page_not_found

from modeling.services.releases.share_links import share_open
from perfweb.portal.report.page import ReportPage

HEADERS = {
    "Cache-Control": "private, no-store",  # of a proxy, too: a revoked link must open nothing
    "Referrer-Policy": "no-referrer",  # the address is the key
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


@require_safe
def shared_report(request: HttpRequest, token: str) -> HttpResponse:
    """The report that the link's token opens; the same "not found" for every token that opens nothing."""
    answer = _answer(request, token)
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def _answer(request: HttpRequest, token: str) -> HttpResponse:
    report = share_open(token)
    if report is None:
        return page_not_found(request, Http404())
    return render(request, "reports/shared.html", {"report": report, "page": ReportPage(report.content)})
