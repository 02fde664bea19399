"""What did a release change, and what will it cost?"""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from ingest.models import Campaign, Metric
from ingest.selectors import main_axis
from modeling.models import UNFINISHED, Comparison, ModelRun
from modeling.selectors.run.snapshot import Snapshot, runs_load, snapshot_load
from modeling.selectors.versions.comparison import (
    ChangedKernel,
    Crossover,
    Lone,
    changed_kernels,
    comparison_find,
    crossover,
    environment,
    lone_kernels,
    shift_of,
    waterfall,
)
from modeling.selectors.versions.standings import Standing
from modeling.services.comparisons import comparison_request
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.charts.waterfall import waterfall_figure

Context = dict[str, object]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def compare(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Two versions, ?before= and ?after= by label; the last two where none are named.

    A POST asks for the comparison of two that nobody compared yet. Whoever sees both may ask: it adds nothing
    to what was measured, and asking again changes nothing.
    """
    focus = focus_read(request, project, application)
    problems: list[str] = []
    after = _version(request, focus, "after", focus.versions[-1:], problems)
    earlier = [s for s in focus.versions if after and s.position < after.position]
    before = _version(request, focus, "before", earlier[-1:], problems)
    if request.method == "POST":
        return _request(request, before, after)
    context: Context = {"focus": focus, "before": before, "after": after, "problems": problems}
    if before and after and focus.metric and before != after:
        context |= _compared(focus, before, after, focus.metric)
    return render(request, "compare/compare.html", context)


def _request(request: HttpRequest, before: Standing | None, after: Standing | None) -> HttpResponse:
    """Have the versions compared, and lead to the page that shows it."""
    if before and after and before != after:
        rows = Campaign.objects.select_related("version__application")
        campaigns = rows.in_bulk([before.campaign_id, after.campaign_id])
        comparison_request(campaigns[before.campaign_id], campaigns[after.campaign_id])
    return redirect(request.get_full_path())


def _version(
    request: HttpRequest, focus: Focus, name: str, default: tuple[Standing, ...] | list[Standing],
    problems: list[str],
) -> Standing | None:  # fmt: skip
    label = request.GET.get(name)
    found = next((standing for standing in focus.versions if standing.label == label), None)
    if label and found is None:
        problems.append(f"Version “{label[:80]}” was not measured on this machine.")
    return found or next(iter(default), None)


def _compared(focus: Focus, before: Standing, after: Standing, metric: Metric) -> Context:
    """The comparison as far as it is there."""
    runs = runs_load(run for run in (before.run_id, after.run_id) if run)
    pair = [runs.get(standing.run_id or 0) for standing in (before, after)]
    if pair[0] is None or pair[1] is None or any(run.state in UNFINISHED for run in pair if run):
        return {"waiting": True}
    comparison = comparison_find(before.campaign_id, after.campaign_id)
    context: Context = {
        "comparison": comparison,
        "waiting": comparison is not None and comparison.state in UNFINISHED,
        "modelled": True,
        "unmodelled": [failure for run in pair if run for failure in run.failures],
        "environment": environment(pair[0].campaign, pair[1].campaign),
    }
    if pair[0].campaign.parameters != pair[1].campaign.parameters:
        return context | {"incomparable": True}
    return context | _held_together(focus, metric, comparison, pair[0], pair[1])


def _held_together(
    focus: Focus, metric: Metric, comparison: Comparison | None, old: ModelRun, new: ModelRun
) -> Context:
    """Both versions at one target: the later one's where the application has none."""
    target = focus.target.values if focus.target else new.target
    after = snapshot_load(new, metric, target)
    wanted = dict(zip(new.campaign.parameters, after.target.tolist(), strict=True))
    before = snapshot_load(old, metric, wanted)
    changed = changed_kernels(comparison, metric, before, after) if comparison else []
    steps = waterfall(before, after, changed)
    lone = (lone_kernels(before, after), lone_kernels(after, before))
    labels = (old.campaign.version.label, new.campaign.version.label)
    return {
        "wanted": wanted,
        "changed": changed,
        "shift": shift_of(comparison, metric) if comparison else None,
        "same": len(after.rows) - lone[1].count - len(changed),
        "lone": [(label, each) for label, each in zip(labels, lone, strict=True) if each.count],
        "parameters": new.campaign.parameters,
        "ratio": _over(after.total.predicted, before.total.predicted),
        "ratio_largest": _measured_ratio(before, after),
        "totals": (before.total, after.total),
        "cause": _cause(changed, lone),
        "crossover": _crossover(focus, metric, before, after),
        "figure": waterfall_figure(steps, *labels, metric) if steps else None,
    }


def _cause(changed: list[ChangedKernel], lone: tuple[Lone, Lone]) -> ChangedKernel | None:
    """The kernel whose change matters most, unless those that only one version has matter more."""
    cost = max(each.cost for each in lone)
    return next((kernel for kernel in changed if abs(kernel.difference or 0.0) > cost), None)


def _measured_ratio(before: Snapshot, after: Snapshot) -> float | None:
    """Of the totals as measured, where both versions have the same largest point."""
    if max(before.campaign.points) != max(after.campaign.points):
        return None
    return _over(after.total_largest, before.total_largest)


def _over(after: float | None, before: float | None) -> float | None:
    return after / before if after is not None and before else None


def _crossover(focus: Focus, metric: Metric, before: Snapshot, after: Snapshot) -> Crossover | None:
    """Along the processes, else along the first parameter that varies."""
    axis = main_axis(after.campaign, focus.parameters)
    if axis is None or not (before.rows and after.rows):
        return None
    return crossover(before, after, axis.name, metric)
