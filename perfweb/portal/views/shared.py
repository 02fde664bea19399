"""Shows one report to people without an account, who open it by a link."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.defaults import page_not_found

from modeling.services.releases.share_links import share_open
from perfweb.portal.report.page import ReportPage

HEADERS = {
    "Cache-Control": "private, no-store",  # a cached report would outlive its link
    "Referrer-Policy": "no-referrer",  # the address itself gives access, so no other site may see it
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
