"""The comparison of two campaigns, kernel by kernel."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from ingest.bulk.write import copy_rows
from ingest.models import Application, Campaign, Machine, Metric, Series
from ingest.selectors import campaigns_current
from ingest.work import MOST_ATTEMPTS, enqueue
from modeling.engine import Changes, compare, compare_common
from modeling.models import Change, Comparison, Shift, State
from modeling.selectors.run.targets import target_point, target_values
from modeling.selectors.versions.aliases import aliases_of, compared_as
from modeling.selectors.versions.baselines import baselines
from modeling.services.alerts.following import alerts_follow
from modeling.services.changes.earlier import earlier_drift
from modeling.services.work.bisection import reason_of
from modeling.services.work.failures import KILLED, noted, set_aside
from modeling.storage import arrays

LOG = logging.getLogger(__name__)

VALUES_AT_ONCE = 2_000_000
KERNELS_AT_ONCE = 2_000
"""Limits on the kernels and values of a campaign that are in memory at a time."""


def neighbours_request(campaign: Campaign) -> None:
    """Request the comparisons of a campaign with its baseline, and of later campaigns with this baseline."""
    application = campaign.version.application
    line = campaigns_current(application, campaign.machine)
    known = baselines(application, line)
    for later in line:
        before = known.get(later.pk)
        if before is not None and campaign in (before, later):
            comparison_request(before, later)


def comparisons_follow(application: Application) -> None:
    """Request the missing comparisons of all campaigns with their baselines."""
    for machine in Machine.objects.filter(campaigns__version__application=application).distinct():
        line = campaigns_current(application, machine)
        known = baselines(application, line)
        for later in line:
            if later.pk in known:
                comparison_request(known[later.pk], later)


def comparison_request(before: Campaign, after: Campaign) -> Comparison:
    """Request a comparison. A second request changes nothing."""
    with transaction.atomic():
        comparison, made = Comparison.objects.get_or_create(
            before=before, after=after, defaults={"application": after.version.application}
        )
        if made:
            enqueue("modeling.tasks.comparison_execute", comparison)
    return comparison


def comparisons_renew(campaign: Campaign) -> None:
    """Repeat the comparisons of a campaign that has changed."""
    _renew(Comparison.objects.filter(Q(before=campaign) | Q(after=campaign)))


def comparisons_move(campaign: Campaign) -> None:
    """Repeat the comparisons of a campaign with earlier ones, after the target was changed."""
    _renew(Comparison.objects.filter(after=campaign))


def comparisons_of_kernels_renew(kernel_id: int, other_id: int) -> None:
    """Repeat the comparisons in which one campaign has the first kernel and the other the second."""
    having = [Series.objects.filter(kernel=each).values("campaign") for each in (kernel_id, other_id)]
    there, back = Q(before__in=having[0], after__in=having[1]), Q(before__in=having[1], after__in=having[0])
    _renew(Comparison.objects.filter(there | back))


def _renew(stale: QuerySet[Comparison]) -> None:
    for comparison in stale:
        enqueue("modeling.tasks.comparison_execute", comparison)
    stale.update(state=State.QUEUED, attempts=0, error="", cause="", queued_at=timezone.now())


def comparison_execute(comparison: Comparison) -> None:
    """Compare all common kernels, and store changes and alerts in one transaction."""
    if not _begin(comparison):
        return
    with transaction.atomic():
        comparison.changes.all().delete()
        comparison.shifts.all().delete()
        state = _compare(comparison)
        # Whoever renews comparisons locks the application first. The same order here avoids a deadlock.
        Application.objects.select_for_update(no_key=True).only("pk").get(pk=comparison.application_id)
        # If the comparison was requested again meanwhile, this result is out of date.
        if not Comparison.objects.filter(pk=comparison.pk, queued_at=comparison.queued_at).update(
            state=state, error=comparison.error, failures=comparison.failures, cause="",
            finished_at=timezone.now(),
        ):  # fmt: skip
            transaction.set_rollback(True)
        elif state == State.DONE:
            for base in alerts_follow(comparison):
                comparison_request(base, comparison.after)


def _compare(comparison: Comparison) -> State:
    """Compare all common metrics. The comparison fails if no metric could be compared."""
    if comparison.before.parameters != comparison.after.parameters:
        comparison.error = "The campaigns vary different parameters."
        return State.DONE
    compared = [_try_metric(comparison, metric_id) for metric_id in _common_metrics(comparison)]
    if all(compared) and not comparison.shifts.exists():
        comparison.error = "The campaigns have no kernel in common."
    if any(compared) or not compared:
        return State.DONE
    comparison.error = " ".join(entry["message"] for entry in comparison.failures)
    return State.FAILED


def _begin(comparison: Comparison) -> bool:
    """Mark the comparison as running. Refuse a comparison that was started too often."""
    comparison.attempts += 1
    comparison.state = State.RUNNING
    if comparison.attempts > MOST_ATTEMPTS:
        comparison.state = State.FAILED
        comparison.error = set_aside("the comparison", MOST_ATTEMPTS, comparison.cause)
    else:
        comparison.failures, comparison.cause = [], KILLED
    comparison.save(update_fields=["state", "attempts", "error", "failures", "cause"])
    return comparison.state == State.RUNNING


def _try_metric(comparison: Comparison, metric_id: int) -> bool:
    """Compare one metric, and return whether this succeeded. On failure, all changes are unknown."""
    try:
        with transaction.atomic():
            _compare_metric(comparison, metric_id)
        return True
    except DatabaseError:
        raise
    except Exception as error:  # any failure affects only this metric
        name = Metric.objects.values_list("name", flat=True).get(pk=metric_id)
        LOG.exception("Comparison %s could not compare %s.", comparison.pk, name)
        comparison.failures = noted(
            comparison.failures, metric=name, kernels=0, what="compared", reason=reason_of(error)
        )
        _store_unknown(comparison, metric_id)
        return False


def _common_metrics(comparison: Comparison) -> list[int]:
    return sorted({*arrays.metrics_of(comparison.before)} & {*arrays.metrics_of(comparison.after)})


def _compare_metric(comparison: Comparison, metric_id: int) -> None:
    """Compare all kernels in one metric, portion by portion. A first pass may learn the shared factor."""
    portions = _portions(comparison, metric_id)
    if not portions:
        return

    def load(number: int) -> tuple[arrays.SeriesArrays, arrays.SeriesArrays]:
        *own, compared = portions[number]
        before, after = (
            _renamed(arrays.series_load(each, metric_id, kernels.tolist()), kernels, compared)
            for each, kernels in zip((comparison.before, comparison.after), own, strict=True)
        )
        return arrays.common_kernels(before, after)

    several = len(portions) > 1
    usual = earlier_drift(comparison, metric_id, np.concatenate(portions, axis=1)[2])
    common = (
        compare_common((_measured(*load(number)) for number in range(len(portions))), usual)
        if several
        else None
    )
    target = target_point(target_values(comparison.after), comparison.after)
    for number in range(len(portions)):
        series = load(number)
        changes = compare(*_measured(*series), target=target, common=common, usual=usual)
        _store(comparison, metric_id, series[0].kernels, changes)
    lower, upper = changes.shift_interval.tolist()
    Shift.objects.create(
        comparison=comparison, metric_id=metric_id, ratio=changes.shift, lower=lower, upper=upper,
        growth=_growth(comparison.after.parameters, changes),
    )  # fmt: skip


def _growth(parameters: Sequence[str], changes: Changes) -> list[dict[str, Any]]:
    """Return the powers of parameters by which the shared factor grows, as in `Shift.growth`."""
    return [
        {"parameter": name, "exponent": exponent, "lower": lower, "upper": upper}
        for name, (exponent, lower, upper) in zip(parameters, changes.growth.tolist(), strict=True)
        if np.isfinite(exponent)
    ]


def _measured(
    before: arrays.SeriesArrays, after: arrays.SeriesArrays
) -> tuple[tuple[arrays.FloatArray, arrays.FloatArray], tuple[arrays.FloatArray, arrays.FloatArray]]:
    return (before.points, before.values), (after.points, after.values)


def _renamed(
    series: arrays.SeriesArrays, own: NDArray[np.int64], compared: NDArray[np.int64]
) -> arrays.SeriesArrays:
    """Return the series under the ids by which kernels are compared."""
    order = np.argsort(own)
    places = order[np.searchsorted(own[order], series.kernels)]
    return replace(series, kernels=compared[places])


def _portions(comparison: Comparison, metric_id: int) -> list[NDArray[np.int64]]:
    """Return the common kernels, in groups that fit in memory, with the ids before, after, and compared."""
    campaigns = (comparison.before, comparison.after)
    aliases = aliases_of(comparison.application_id)
    sizes = [arrays.series_sizes(each, metric_id) for each in campaigns]
    old, new = (compared_as(own, aliases) for own, _ in sizes)
    kernels, *rows = np.intersect1d(old, new, return_indices=True)
    values = [
        repetitions[some] * len(each.points)
        for each, (_, repetitions), some in zip(campaigns, sizes, rows, strict=True)
    ]
    ends, begin, widest = [], 0, 0
    for place, width in enumerate(np.maximum(*values).tolist()):
        count, widest = place - begin, max(widest, width)
        if count and ((count + 1) * widest > VALUES_AT_ONCE or count == KERNELS_AT_ONCE):
            ends.append(place)
            begin, widest = place, width
    own = [ids[some] for (ids, _), some in zip(sizes, rows, strict=True)]
    return np.split(np.array([*own, kernels]), ends, axis=1) if len(kernels) else []


def _store(comparison: Comparison, metric_id: int, kernels: NDArray[np.int64], changes: Changes) -> None:
    """Store a `Change` for each kernel that changed or is unknown."""
    kinds = np.array([str(kind) for kind in changes.kind])
    kept = np.flatnonzero(kinds != "same")
    intervals = changes.ratio_interval
    either = (
        np.isin(kinds, [Change.Kind.LAW, Change.Kind.OVERHEAD])
        & (intervals[:, 0] <= 1)
        & (intervals[:, 1] >= 1)
    )
    ratio = np.where(either, np.nan, changes.ratio)
    fields = ["comparison", "metric", "kernel", "kind", "probability", "law_probability"]
    fields += ["overhead_probability", "ratio", "ratio_lower", "ratio_upper"]
    rows = zip(
        [comparison.pk] * len(kept),
        [metric_id] * len(kept),
        kernels[kept].tolist(),
        kinds[kept].tolist(),
        np.nan_to_num(changes.probability[kept]).tolist(),
        *(arrays.finite(changes.probabilities[kept, at]).tolist() for at in (2, 3)),
        *(arrays.finite(column[kept]).tolist() for column in (ratio, intervals[:, 0], intervals[:, 1])),
        strict=True,
    )
    copy_rows(Change, fields, rows)


def _store_unknown(comparison: Comparison, metric_id: int) -> None:
    """Store a `Change` of unknown kind for every kernel that both campaigns have."""
    series = Series.objects.filter(metric=metric_id)
    common = series.filter(campaign=comparison.before).values("kernel")
    kernels = series.filter(campaign=comparison.after, kernel__in=common).values_list("kernel", flat=True)
    fields = ["comparison", "metric", "kernel", "kind", "probability"]
    rows = ((comparison.pk, metric_id, kernel, str(Change.Kind.UNKNOWN), 0.0) for kernel in kernels)
    copy_rows(Change, fields, rows)
