"""Answers the question: what did a release change, and what will it cost?"""

from collections.abc import Mapping

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from ingest.models import Campaign, Metric
from modeling.models import UNFINISHED, Comparison, ModelRun, State
from modeling.selectors.run.snapshot_loading import runs_load, snapshots_of_runs
from modeling.selectors.run.targets import target_named
from modeling.selectors.versions.comparison import (
    changes_by_kernel,
    changes_of,
    comparison_with_shift,
    environment,
    points_shared,
)
from modeling.selectors.versions.pairs import Pairs, Side
from modeling.services.changes.comparisons import comparison_request
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.asked.sides import Sides, sides_read
from perfweb.portal.compare.kernels import kernels_listed
from perfweb.portal.compare.renamed import renamed
from perfweb.portal.compare.summary import summary
from perfweb.portal.compare.why import why
from perfweb.portal.text import formatting

Context = dict[str, object]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def compare(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show two versions, on one machine or two.

    A POST requests the comparison of two versions that were never compared. Everybody who sees both may do
    so: it changes no measurement, and a second request changes nothing.
    """
    focus = focus_read(request, project, application)
    sides = sides_read(request, focus)
    if request.method == "POST":
        return _request(request, sides)
    context: Context = {
        "focus": focus,
        "sides": sides,
        "before": sides.before,
        "after": sides.after,
        "problems": sides.problems,
    }
    if sides.pair and focus.metric:
        context |= _compared(request, focus, sides, focus.metric)
    return render(request, "compare/compare.html", context)


def _request(request: HttpRequest, sides: Sides) -> HttpResponse:
    if sides.pair:
        rows = Campaign.objects.select_related("version__application")
        numbers = [standing.campaign_id for standing in sides.pair]
        campaigns = rows.in_bulk(numbers)
        comparison_request(campaigns[numbers[0]], campaigns[numbers[1]])
    return redirect(request.get_full_path())


def _compared(request: HttpRequest, focus: Focus, sides: Sides, metric: Metric) -> Context:
    assert sides.pair is not None  # noqa: S101 -- the caller asked
    runs = runs_load(standing.run_id for standing in sides.pair if standing.run_id)
    old, new = (runs.get(standing.run_id or 0) for standing in sides.pair)
    if old is None or new is None or any(run.state in UNFINISHED for run in (old, new)):
        return {"waiting": True}
    before_id, after_id = (standing.campaign_id for standing in sides.pair)
    comparison, shift = comparison_with_shift(before_id, after_id, metric)
    context: Context = {
        "comparison": comparison,
        "waiting": comparison is not None and comparison.state in UNFINISHED,
        "modelled": True,
        "unmodelled": [*old.failures, *new.failures],
        "environment": environment(old.campaign, new.campaign),
        "shared_points": points_shared(old.campaign, new.campaign),
    }
    if old.campaign.parameters != new.campaign.parameters:
        return context | {"incomparable": _other_parameters(old.campaign, new.campaign)}
    pairs, wanted = _pairs(focus, metric, comparison, old, new)
    if missing := _missing(pairs, sides, metric):
        return context | {"incomparable": missing}
    return (
        context
        | {"wanted": wanted, "shift": shift, "parameters": new.campaign.parameters}
        | {"changes_at": _elsewhere(new, wanted)}
        | summary(focus, metric, pairs, sides.names, shift)
        | kernels_listed(request, focus, pairs, shared=shift is not None)
        | why(request, pairs, comparison)
        | renamed(pairs)
    )


def _pairs(
    focus: Focus, metric: Metric, comparison: Comparison | None, old: ModelRun, new: ModelRun
) -> tuple[Pairs, dict[str, float]]:
    """Return the kernels of both versions at one target, by default at the later version's."""
    wanted = target_named(focus.target.values if focus.target else new.target, new.campaign)
    (before,), (after,) = snapshots_of_runs([old, new], metric, [wanted])
    done = comparison if comparison and comparison.state == State.DONE else None
    changes = changes_by_kernel(changes_of(done, metric), focus.aliases) if done else None
    return Pairs(Side.of(before, focus.aliases), Side.of(after, focus.aliases), metric, changes), wanted


def _elsewhere(new: ModelRun, wanted: Mapping[str, float]) -> str:
    """Return the later version's target, at which changes are computed; empty if the page has the same."""
    own = {name: new.target[name] for name in wanted if name in new.target}
    return "" if own == wanted else formatting.configuration(own)


def _other_parameters(before: Campaign, after: Campaign) -> str:
    return (
        "The campaigns vary different parameters: "
        f"{before.version.label} varies {', '.join(before.parameters)}, {after.version.label} varies "
        f"{', '.join(after.parameters)}. Only versions measured over the same parameters can be compared."
    )


def _missing(pairs: Pairs, sides: Sides, metric: Metric) -> str:
    """Return why nothing can be compared; empty if something can."""
    for side, standing in zip((pairs.before, pairs.after), (sides.before, sides.after), strict=True):
        if standing and not side.snapshot.rows:
            return f"{metric.name} was not measured in {standing.label}. Choose another metric or version."
    return ""
