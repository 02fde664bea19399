"""Answers the question: which kernels will be expensive at the target?"""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.models import Metric
from ingest.selectors import main_axis
from modeling.models import UNFINISHED
from modeling.selectors.application.overview import (
    constant_count,
    efficiency_of,
    kernel_lines,
    kernels_by_cost,
    summary,
)
from modeling.selectors.reports.stored import reports_latest
from modeling.selectors.run.expected import expectations_kept
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.shares import shares_along
from modeling.selectors.run.snapshot import Snapshot
from modeling.selectors.run.snapshot_loading import runs_load, snapshots_of_runs
from modeling.selectors.run.targets import target_named
from modeling.selectors.versions.comparison import shift_between
from modeling.selectors.versions.past import past_load
from modeling.selectors.versions.standings import Standing
from modeling.selectors.versions.totals import course, totals_of
from modeling.selectors.versions.verdict_counts import verdict_counts
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.charts.shares import colours_of, shares_figure
from perfweb.portal.tables.application import ApplicationTable, application_body

SHOWN_VERSIONS = 12
COURSE = 24
"""Limit on the versions in the small charts."""

ORDERS = ("target", "largest", "kernel")

Context = dict[str, object]


@login_required
@require_safe
def application(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show one version at the target: summary, shares, versions, and the most expensive kernels."""
    focus = focus_read(request, project, application)
    context: Context = {"focus": focus}
    if "target" not in focus.asked:  # at another target, the page's numbers differ from those of the reports
        context["reports"] = reports_latest(focus.application)
    version, metric = focus.version, focus.metric
    if version and metric:
        context |= _versions(focus, metric)
        context |= _models(request, focus, version, metric)
    return render(request, "application/application.html", context)


def _versions(focus: Focus, metric: Metric) -> Context:
    """Return the newest versions with their totals and changes, newest first."""
    line = focus.versions
    pairs = [(after.baseline, after.campaign_id) for after in line if after.baseline]
    totals = totals_of([standing.run_id for standing in line], [metric])
    counts = verdict_counts(pairs[-SHOWN_VERSIONS:], [metric])
    changes = {counted.after_id: counted for counted in counts.values()}
    rows = [(s, totals.get((s.run_id or 0, metric.pk)), changes.get(s.campaign_id)) for s in line]
    return {
        "course": course(line, metric, totals),
        "version_rows": rows[: -SHOWN_VERSIONS - 1 : -1],
        "more_versions": max(len(rows) - SHOWN_VERSIONS, 0),
        "first_version": line[0],
        "branched": len({standing.branch for standing in line}) > 1,
    }


def _models(request: HttpRequest, focus: Focus, version: Standing, metric: Metric) -> Context:
    """Return the predictions of the version's models at the target; kernels without a model are left out."""
    older = focus.predecessor
    runs = runs_load(standing.run_id for standing in (version, older) if standing and standing.run_id)
    run = runs.get(version.run_id or 0)
    waiting = run is None or run.state in UNFINISHED
    context: Context = {"run": run, "waiting": waiting, "held": expectations_kept(run) if run else []}
    if run is None:
        return context
    wanted = target_named(focus.target.values if focus.target else run.target, run.campaign)
    earlier = runs.get(older.run_id or 0) if older else None
    both = [run, earlier] if earlier else [run]
    (snapshot,), *others = snapshots_of_runs(both, metric, [wanted])
    if not snapshot.rows:
        return context
    before = others[0][0].before if others else None
    order, constants = _table_choices(request)
    shown = kernels_by_cost(snapshot, order, constants=constants, lower_is_better=metric.lower_is_better)
    line = focus.lineage[-COURSE:]
    kernels = [snapshot.rows[at].kernel_id for at in shown]
    past = past_load(
        line, metric, before.predicted if before else {}, kernels,
        present=snapshot.loaded.kernels, aliases=focus.aliases,
    )  # fmt: skip
    lines = kernel_lines(snapshot, past, shown)
    spark_label = f"over {len(line)} versions" if len(line) > 1 else ""
    links = KernelLinks.to(version.campaign_id, focus.query(version=None, machine=None))
    scaling = _scaling(request, focus, snapshot, metric)
    nested = adds_up(metric) and any(line.own_share is not None for line in lines)
    of_largest = [line.share_largest if adds_up(metric) else line.model.largest for line in lines]
    measured = order == "largest" or any(value is not None for value in of_largest)
    body = ApplicationTable(
        snapshot.campaign.parameters, metric, links, spark_label,
        has_predecessor=focus.predecessor is not None, colours=scaling.get("colours", {}), nested=nested,
        measured=measured,
    )  # fmt: skip
    return context | {
        "snapshot": snapshot,
        "wanted": wanted,
        "summary": summary(
            snapshot,
            before,
            past,
            lambda: shift_between(earlier.campaign, run.campaign, metric) if earlier else None,
        ),
        "lines": lines,
        "nested": nested,
        "measured": measured,
        "body": application_body(body, lines),
        "order": order,
        "constants": constants,
        "constant": constant_count(snapshot),
        "spark_label": spark_label,
        **scaling,
    }


def _table_choices(request: HttpRequest) -> tuple[str, bool]:
    """Return how the kernel table is sorted, and whether it contains constant kernels."""
    order = request.GET.get("sort", "")
    return order if order in ORDERS else ORDERS[0], request.GET.get("constants") == "show"


def _scaling(request: HttpRequest, focus: Focus, snapshot: Snapshot, metric: Metric) -> dict[str, Any]:
    """Return shares along one parameter; along the processes also the efficiency."""
    if not adds_up(metric):
        return {}
    varied = [row for row in focus.parameters if row.name in snapshot.campaign.parameters]
    chosen = next((row for row in varied if row.name == request.GET.get("along")), None)
    axis = chosen or main_axis(snapshot.campaign, varied)
    shares = shares_along(snapshot, axis.name) if axis else None
    if axis is None or shares is None:
        return {}
    goal = float(snapshot.target[snapshot.campaign.parameters.index(axis.name)])
    scaling = {"axis": axis, "axes": varied, "efficiency": efficiency_of(snapshot, axis, metric, shares)}
    if shares.undivided:
        return scaling
    colours = colours_of(shares, focus.aliases)
    return scaling | {"figure": shares_figure(shares, goal, metric.name, colours), "colours": colours}
