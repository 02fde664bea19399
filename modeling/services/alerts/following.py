"""Update alerts after comparisons: open alerts for changed kernels, and mark alerts as fixed.

The comparison of a version with its baseline, the version before it, shows what the version changed. A later
improvement may undo only a part of that change. The later version is therefore also compared with the
baseline of the alert's version. Only descendants of the alert's version can mark the alert as fixed.
"""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from ingest.models import Campaign
from ingest.selectors import campaigns_current
from modeling.models import SHOWN_FIRST, Alert, AlertEvent, Change, Comparison, Model, ModelRun, State, Total
from modeling.selectors.versions.baselines import baselines
from modeling.services.alerts.raising import (
    WATCHED,
    Finding,
    Pair,
    alerts_lock,
    alerts_raise,
    alerts_return,
    alerts_settle,
)
from modeling.verdicts import EITHER, IMPROVEMENTS, Verdict, verdict


def alerts_follow(comparison: Comparison) -> list[Campaign]:
    """Update alerts after a comparison. Return campaigns that must also be compared with the later one."""
    before, after = comparison.before, comparison.after
    if before.parameters != after.parameters or before.machine_id != after.machine_id:
        return []
    alerts_lock(comparison.application_id)
    lineage = _lineage(after)
    if lineage[-2:-1] == [before]:
        _raise(comparison)
        return _bases(comparison, lineage)
    _verify(comparison, lineage)
    return []


def _lineage(campaign: Campaign) -> list[Campaign]:
    """Return the campaign and the baselines before it, oldest first."""
    application = campaign.version.application
    line = campaigns_current(application, campaign.machine)
    known = baselines(application, line)
    found = [campaign]
    while found[0].pk in known:
        found.insert(0, known[found[0].pk])
    return found


def _raise(comparison: Comparison) -> None:
    changes = comparison.changes.prefetch_related("metric")
    known = [change for change in changes if change.kind != Change.Kind.UNKNOWN]
    unknown = {(change.metric_id, change.kernel_id) for change in changes} - {_pair(row) for row in known}
    alerts = Alert.objects.filter(
        version=comparison.after.version_id, machine=comparison.after.machine_id, cause=Alert.Cause.CHANGE
    )
    present = {(alert.metric_id, alert.kernel_id) for alert in alerts}
    alerts_raise(
        version=comparison.after.version,
        machine=comparison.after.machine,
        cause=Alert.Cause.CHANGE,
        findings=_findings(comparison, known),
        judged=present - unknown,
    )


def _pair(change: Change) -> Pair:
    return change.metric_id, change.kernel_id


def _verdict(change: Change) -> Verdict:
    return verdict(change.kind, change.ratio, lower_is_better=change.metric.lower_is_better)


def _findings(comparison: Comparison, changes: Sequence[Change]) -> list[Finding]:
    """Return the changes as findings, with the amount that each change adds at the default target."""
    old, new = (_predicted(campaign, changes) for campaign in (comparison.before, comparison.after))
    totals = _totals(comparison.after)
    found = []
    for change in changes:
        pair, kind = _pair(change), _verdict(change)
        difference = _difference(change.ratio, old.get(pair), new.get(pair))
        total = totals.get(change.metric_id)
        finding = Finding(
            metric_id=change.metric_id,
            kernel_id=change.kernel_id,
            verdict=kind.value,
            probability=change.probability,
            law_probability=change.law_probability,
            overhead_probability=change.overhead_probability,
            improvement=kind in IMPROVEMENTS,
            ratio=change.ratio,
            ratio_lower=change.ratio_lower,
            ratio_upper=change.ratio_upper,
            difference=difference,
            effect=abs(difference) / total if difference is not None and total else None,
            comparison_id=comparison.pk,
        )
        found.append(finding)
    return found


def _difference(ratio: float | None, before: float | None, after: float | None) -> float | None:
    """Return the amount that the change adds at the target, without the factor that all kernels share."""
    if after is None:
        return None
    if ratio:
        return after - after / ratio
    return after - before if before is not None else None


def _run(campaign: Campaign) -> ModelRun | None:
    return (
        ModelRun.objects.filter(campaign=campaign, state=State.DONE).order_by(*SHOWN_FIRST).only("pk").first()
    )


def _predicted(campaign: Campaign, changes: Sequence[Change]) -> dict[Pair, float]:
    kernels = {change.kernel_id for change in changes}
    rows = Model.objects.filter(run=_run(campaign), kernel__in=kernels, predicted__isnull=False)
    found = rows.values_list("metric_id", "kernel_id", "predicted")
    return {(metric, kernel): predicted for metric, kernel, predicted in found if predicted is not None}


def _totals(campaign: Campaign) -> dict[int, float | None]:
    return dict(Total.objects.filter(run=_run(campaign)).values_list("metric_id", "predicted"))


def _bases(step: Comparison, lineage: list[Campaign]) -> list[Campaign]:
    """Return the baselines with which the later campaign of `step` must also be compared.

    Existing comparisons with these baselines update their alerts at once.
    """
    rows = _candidates(step, lineage).exclude(comparison=None).filter(comparison__after__in=lineage[:-1])
    comparisons = Comparison.objects.filter(pk__in={alert.comparison_id for alert in rows})
    bases = {row.before_id: row.before for row in comparisons.select_related("before__version__application")}
    for known in Comparison.objects.filter(before__in=bases, after=step.after, state=State.DONE, error=""):
        del bases[known.before_id]
        _verify(known, lineage)
    return list(bases.values())


def _candidates(step: Comparison, lineage: list[Campaign]) -> QuerySet[Alert]:
    """Return earlier alerts, open or just fixed, whose kernels changed in `step`, not for the worse."""
    pairs = {_pair(change) for change in step.changes.prefetch_related("metric") if _may_repair(change)}
    kernels, metrics = {kernel for _, kernel in pairs}, {metric for metric, _ in pairs}
    seen_here = Q(state=Alert.State.FIXED, fixed_in=step.after.version_id)
    return Alert.objects.filter(
        Q(state__in=WATCHED) | seen_here,
        application=step.application_id,
        machine=step.after.machine_id,
        cause=Alert.Cause.CHANGE,
        improvement=False,
        version__in=[campaign.version_id for campaign in lineage[:-1]],
        kernel__in=kernels,
        metric__in=metrics,
    )


def _may_repair(change: Change) -> bool:
    return _verdict(change) in (*IMPROVEMENTS, *EITHER)


def _verify(direct: Comparison, lineage: list[Campaign]) -> None:
    """Update alerts after `direct`, a comparison with the baseline of the alerts' version.

    Unchanged or better kernels are fixed. Others are opened again, unless their change is unknown.
    """
    steps = Comparison.objects.filter(before__in=lineage[-2:-1], after=direct.after, state=State.DONE)
    step = steps.first()
    if step is None:
        return  # the comparison with the baseline is unfinished; its end examines this comparison again
    changes = {_pair(change): change for change in direct.changes.prefetch_related("metric")}
    back, still = [], []
    for alert in _candidates(step, lineage).filter(comparison__before=direct.before):
        change = changes.get((alert.metric_id, alert.kernel_id))
        if change is None or _verdict(change) in IMPROVEMENTS:
            back.append(alert)
        elif change.kind != Change.Kind.UNKNOWN:
            still.append(alert)
    alerts_settle(back, AlertEvent.Action.FIXED, fixed_in=direct.after.version)
    alerts_return(still)
