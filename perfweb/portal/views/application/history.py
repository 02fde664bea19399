"""Answers the question: how did the cost of every kernel develop?"""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.models import Machine, Metric
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.versions.history import (
    KERNELS_A_PAGE,
    SORTS,
    VERSIONS_A_PAGE,
    Listed,
    history_page,
)
from modeling.selectors.versions.history_rows import Window
from modeling.selectors.versions.standings import Standing, line_through
from modeling.selectors.versions.totals import course, totals_of
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.asked.paging import Pages, pages_of
from perfweb.portal.charts.totals import totals_figure
from perfweb.portal.tables.history import Grid, history_body

LONGEST_SEARCH = 200
LARGEST = "the largest measured point"


@dataclass(frozen=True)
class Neighbours:
    """Labels of the pages with older and newer versions; None if there are none."""

    older: str | None
    newer: str | None


@login_required
@require_safe
def history(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show a table of kernels × versions: the changed kernels, or all; the largest change comes first."""
    focus = focus_read(request, project, application)
    context: dict[str, object] = {"focus": focus, "linear": request.GET.get("scale") == "linear"}
    if focus.metric and focus.machine and focus.versions:
        context |= _grid(request, focus, focus.metric, focus.machine)
    return render(request, "history/history.html", context)


def _grid(request: HttpRequest, focus: Focus, metric: Metric, machine: Machine) -> dict[str, object]:
    window, neighbours, problem = _window(focus, machine, request.GET.get("until"))
    listed = _listed(request, focus)
    stored = focus.target is None or focus.target.stored
    target = None if stored or focus.target is None else focus.target.values
    page = history_page(window, metric, machine, listed, target=target, aliases=focus.aliases)
    query = focus.query()
    log = request.GET.get("scale") != "linear"
    links = KernelLinks.to_each((version.campaign_id for version in window.shown), query)
    grid = Grid(links, metric, log)
    return {
        "window": neighbours,
        "problem": problem,
        "versions": window.shown,
        "branches": _other_branches(focus, window),
        "page": page,
        "listed": listed,
        "body": history_body(page.rows, grid),
        "pages": pages_of(page.count, listed.skip, KERNELS_A_PAGE),
        "figure": _totals(focus, window, metric, log=log),
        "adds_up": adds_up(metric),
        "target": focus.target.text if focus.target else LARGEST,
        "default": "" if stored else _default(focus),
    }


def _default(focus: Focus) -> str:
    """Return the target of stored predictions."""
    return focus.targets[0].text if focus.targets else LARGEST


def _other_branches(focus: Focus, window: Window) -> list[Standing]:
    """Return the latest version of each branch that does not lead to the versions shown."""
    line = set(window.line)
    latest = {version.branch: version for version in focus.versions}
    return [version for version in latest.values() if version not in line]


def _totals(focus: Focus, window: Window, metric: Metric, *, log: bool) -> object:
    """Return the program's total in each version shown, at the default target."""
    line = course(window.shown, metric, totals_of([version.run_id for version in window.shown], [metric]))
    if not (adds_up(metric) or line.has_any):
        return None
    return totals_figure(line, metric, _default(focus), log=log)


def _listed(request: HttpRequest, focus: Focus) -> Listed:
    """Parse the filter in the address; for a single version all kernels are listed."""
    sort = request.GET.get("sort", "impact")
    return Listed(
        search=request.GET.get("q", "")[:LONGEST_SEARCH].replace("\0", ""),
        everything=request.GET.get("kernels") == "all" or len(focus.versions) == 1,
        sort=sort if sort in SORTS else "impact",
        skip=Pages.skip_from(request.GET.get("skip"), KERNELS_A_PAGE),
    )


def _window(focus: Focus, machine: Machine, until: str | None) -> tuple[Window, Neighbours, str]:
    """Return the newest versions up to the named one, and the error if there is no such version."""
    named = next((version for version in focus.versions if version.label == until), None)
    problem = ""
    if until and named is None:
        problem = (
            f"There is no version “{until[:80]}”{machine.mention} (any more); these are the newest ones."
        )
    line = line_through(focus.versions, named)
    labels = [version.label for version in line]
    stop = labels.index(until) + 1 if until in labels else len(labels)
    start = max(stop - VERSIONS_A_PAGE, 0)
    later = min(stop + VERSIONS_A_PAGE, len(labels))
    older, newer = labels[start - 1] if start else None, labels[later - 1] if stop < len(labels) else None
    return Window(line, start, stop), Neighbours(older, newer), problem
