"""How did every kernel come to cost what it costs?"""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from modeling.selectors.run.metrics import adds_up
from modeling.selectors.versions.history import KERNELS_A_PAGE, VERSIONS_A_PAGE, history_page
from modeling.selectors.versions.totals import course, totals_of
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.asked.paging import Pages, pages_of
from perfweb.portal.charts.totals import totals_figure
from perfweb.portal.tables.history import history_body


@dataclass(frozen=True)
class Window:
    """The versions that are shown, newest on the right; labels lead to older and newer ones."""

    start: int
    stop: int
    older: str | None
    newer: str | None


@login_required
@require_safe
def history(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Kernels × versions, those that moved most first."""
    focus = focus_read(request, project, application)
    context: dict[str, object] = {"focus": focus}
    if focus.metric and focus.machine and focus.versions:
        context |= _grid(request, focus)
    return render(request, "history/history.html", context)


def _grid(request: HttpRequest, focus: Focus) -> dict[str, object]:
    assert focus.metric is not None  # noqa: S101 -- the caller asked
    assert focus.machine is not None  # noqa: S101
    line = focus.versions
    window = _window([version.label for version in line], request.GET.get("until"))
    skip = Pages.skip_from(request.GET.get("skip"), KERNELS_A_PAGE)
    page = history_page(line, slice(window.start, window.stop), focus.metric, focus.machine, skip=skip)
    totals = totals_of([version.run_id for version in line], [focus.metric])
    shown = line[window.start : window.stop]
    query = focus.query(target=None)
    line_of_totals = course(shown, focus.metric, totals)
    has_totals = adds_up(focus.metric) or line_of_totals.has_any
    links = [KernelLinks.to(version.campaign_id, query) for version in shown]
    target = focus.targets[0].text if focus.targets else "the largest measured point"
    return {
        "window": window,
        "versions": shown,
        "page": page,
        "body": history_body(page.rows, links, focus.metric),
        "pages": pages_of(page.kernel_count, skip, KERNELS_A_PAGE),
        "figure": totals_figure(line_of_totals, focus.metric, target) if has_totals else None,
        "target": target,
    }


def _window(labels: list[str], until: str | None) -> Window:
    """The newest versions up to the one named."""
    stop = labels.index(until) + 1 if until in labels else len(labels)
    start = max(stop - VERSIONS_A_PAGE, 0)
    later = min(stop + VERSIONS_A_PAGE, len(labels))
    return Window(
        start, stop, labels[start - 1] if start else None, labels[later - 1] if stop < len(labels) else None
    )
