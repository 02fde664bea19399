"""The numbers that a gate judges by: what changed, by how much, and its share of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Sum

from ingest.models import Metric
from modeling.engine import Ratios
from modeling.models import Change, Comparison, Model, ModelRun
from modeling.selectors.gate.subject import GateSubject
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.versions.totals import totals_of
from modeling.storage import arrays
from modeling.verdicts import Verdict, verdict


@dataclass(frozen=True)
class MetricFacts:
    """What changed in one metric; `changes` and the arrays are in the same order.

    `shares` (K,) are of the program before at the target, 0 for kernels that are in no sum; None: the metric
    has no total. `added` is what new kernels add less what gone ones took, as a share, too.
    """

    metric: Metric
    changes: tuple[Change, ...]
    ratios: Ratios
    shares: arrays.FloatArray | None
    added: float

    @property
    def unknown(self) -> int:
        """The number of kernels for which it is not known whether they changed."""
        return sum(change.kind == Change.Kind.UNKNOWN for change in self.changes)

    @property
    def worse_ratios(self) -> Ratios:
        """How many times as bad kernels got: of a throughput before / after."""
        return self.ratios if self.metric.lower_is_better else self.ratios.inverse

    def verdict(self, at: int) -> Verdict:
        """On one of the changes."""
        change = self.changes[at]
        return verdict(change.kind, change.ratio, lower_is_better=self.metric.lower_is_better)


def facts_load(subject: GateSubject, metrics: Sequence[Metric]) -> list[MetricFacts]:
    """The facts of a finished comparison at the default target; nothing where there is none."""
    before, after = subject.run_before, subject.run
    if subject.comparison is None or before is None or after is None:
        return []
    changes: dict[int, list[Change]] = {}
    for row in _changes(subject.comparison, before):
        changes.setdefault(row.metric_id, []).append(row)
    known = [metric for metric in metrics if metric.pk in changes or adds_up(metric)]
    totals = {metric: total.predicted for (_, metric), total in totals_of([before.pk], known).items()}
    added = _added(before, after)
    return [
        _facts(metric, changes.get(metric.pk, []), totals.get(metric.pk), added.get(metric.pk, 0.0))
        for metric in known
    ]


def _changes(comparison: Comparison, before: ModelRun) -> QuerySet[Change]:
    """The changes, each with what the kernel adds to the program before, `counted`."""
    counted = Model.objects.filter(
        run=before, metric=OuterRef("metric"), kernel=OuterRef("kernel"), counts_to_total=True
    )
    rows = Change.objects.filter(comparison=comparison).select_related("kernel", "metric")
    return rows.annotate(counted=Subquery(counted.values("predicted"))).order_by("metric_id", "kernel_id")


def _added(before: ModelRun, after: ModelRun) -> dict[int, float]:
    """What new kernels add to the program less what those took that are gone, by metric."""
    both = Model.objects.filter(run__in=[before, after], counts_to_total=True)
    same = Model.objects.filter(
        run__in=[before, after], kernel=OuterRef("kernel"), metric=OuterRef("metric")
    ).exclude(run=OuterRef("run"))
    sums = both.filter(~Exists(same)).order_by().values("run_id", "metric_id").annotate(sum=Sum("predicted"))
    found: dict[int, float] = {}
    for row in sums:
        sign = 1 if row["run_id"] == after.pk else -1
        found[row["metric_id"]] = found.get(row["metric_id"], 0.0) + sign * (row["sum"] or 0.0)
    return found


def _facts(metric: Metric, changes: Sequence[Change], total: float | None, added: float) -> MetricFacts:
    if not total or not adds_up(metric):
        return MetricFacts(metric, tuple(changes), _ratios(changes), None, 0.0)
    counted = [change.counted or 0.0 for change in changes]  # type: ignore[attr-defined]  # see `_changes`
    shares = np.array(counted, float) / total
    return MetricFacts(metric, tuple(changes), _ratios(changes), shares, added / total)


def _ratios(changes: Sequence[Change]) -> Ratios:
    """Ratios at the default target; of a law that is neither worse nor better, the middle of its interval."""
    lower = _column([change.ratio_lower for change in changes])
    upper = _column([change.ratio_upper for change in changes])
    ratio = _column([change.ratio for change in changes])
    with np.errstate(invalid="ignore"):
        ratio = np.where(np.isnan(ratio), np.sqrt(lower * upper), ratio)
    return Ratios(_column([change.probability for change in changes]), ratio, lower, upper)


def _column(values: Sequence[float | None]) -> arrays.FloatArray:
    return np.array(values, float)
