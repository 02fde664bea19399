"""The numbers behind a gate's verdict: changes of kernels, ratios, shares of the whole program."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ingest.models import Metric
from modeling.engine import Ratios
from modeling.models import Change, Comparison, Model, ModelRun
from modeling.selectors.gate.subject import GateSubject, Growth, SharedFactor
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.versions.totals import totals_of
from modeling.storage import arrays
from modeling.verdicts import Verdict, verdict


class Changed(NamedTuple):
    """The stored numbers of a `Change`, without names, because a gate names only a few kernels."""

    metric_id: int
    kernel_id: int
    kind: str
    probability: float
    ratio: float | None
    ratio_lower: float | None
    ratio_upper: float | None


@dataclass(frozen=True)
class MetricFacts:
    """The changes in one metric.

    Attributes:
        changes: the changes, in the order of all arrays.
        shares: shares of the previous program's total at the target, 0 for kernels that are no summands; None
            without a total.
        added: sum of new kernels minus sum of removed kernels, as a share of the previous program.
        shared: the factor that most kernels share, which the kernels' ratios do not include.
    """

    metric: Metric
    changes: tuple[Changed, ...]
    ratios: Ratios
    shares: arrays.FloatArray | None
    added: float
    shared: SharedFactor | None = None

    @property
    def growth(self) -> Growth:
        """Return the powers of parameters in the factor that most kernels share."""
        return self.shared.growth if self.shared else ()

    @property
    def grown(self) -> bool:
        """Return whether the shared growth makes kernels worse for larger parameters."""
        return any((power["exponent"] > 0) == self.metric.lower_is_better for power in self.growth)

    @cached_property
    def unknown(self) -> int:
        """Return the number of kernels for which it is unknown whether they changed."""
        return sum(change.kind == Change.Kind.UNKNOWN for change in self.changes)

    @property
    def measured(self) -> list[float]:
        """Return the measured ratios of kernels for which it is unknown whether they changed."""
        return [each.ratio for each in self.changes if each.kind == Change.Kind.UNKNOWN and each.ratio]

    @property
    def worse_ratios(self) -> Ratios:
        """Return the ratios, inverted if larger values are better, so that larger ratios are worse."""
        return self.ratios if self.metric.lower_is_better else self.ratios.inverse

    @cached_property
    def effects(self) -> arrays.FloatArray:
        """Return the size of each change as a share of the total, or else of the kernel; 0 if unknown."""
        moved = np.abs(self.ratios.ratio - 1) * (1.0 if self.shares is None else self.shares)
        return np.where(np.isfinite(moved), moved, 0.0)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Return the verdicts on the changes."""
        lower_is_better = self.metric.lower_is_better
        return [verdict(each.kind, each.ratio, lower_is_better=lower_is_better) for each in self.changes]


def facts_load(subject: GateSubject, metrics: Sequence[Metric]) -> list[MetricFacts]:
    """Return the facts of each metric at the default target; empty without a comparison or models."""
    before, after = subject.run_before, subject.run
    if subject.comparison is None or before is None or after is None:
        return []
    changes = _changes(subject.comparison)
    shown = changes.keys() | subject.shared.keys()
    known = [metric for metric in metrics if metric.pk in shown or adds_up(metric)]
    totals = {metric: total.predicted for (_, metric), total in totals_of([before.pk], known).items()}
    parts = _parts(
        before, after, [metric.pk for metric in known if totals.get(metric.pk) and adds_up(metric)]
    )
    facts = (
        _facts(metric, changes.get(metric.pk, []), totals.get(metric.pk), parts.get(metric.pk))
        for metric in known
    )
    return [replace(each, shared=subject.shared.get(each.metric.pk)) for each in facts]


def _changes(comparison: Comparison) -> dict[int, list[Changed]]:
    """Return the stored changes of a comparison, by metric."""
    rows = Change.objects.filter(comparison=comparison).order_by("metric_id", "kernel_id")
    found: dict[int, list[Changed]] = defaultdict(list)
    for row in rows.values_list(*Changed._fields):
        found[row[0]].append(Changed._make(row))
    return found


class _Parts(NamedTuple):
    """A program in one metric: values of its previous summands by kernel, and new minus removed kernels."""

    counted: Mapping[int, float]
    added: float


def _parts(before: ModelRun, after: ModelRun, metrics: Sequence[int]) -> dict[int, _Parts]:
    """Return the parts of the program by metric."""
    sides: dict[int, dict[int, dict[int, float]]] = {
        metric: {before.pk: {}, after.pk: {}} for metric in metrics
    }
    present: dict[int, dict[int, set[int]]] = {
        metric: {before.pk: set(), after.pk: set()} for metric in metrics
    }
    rows = Model.objects.filter(run__in=[before, after], metric__in=metrics)
    columns = rows.values_list("metric_id", "run_id", "kernel_id", "counts_to_total", "predicted")
    for metric, run, kernel, counts, predicted in columns:
        present[metric][run].add(kernel)
        if counts:
            sides[metric][run][kernel] = predicted or 0.0

    def lone(metric: int, run: int, other: int) -> float:
        there = present[metric][other]
        return sum(value for kernel, value in sides[metric][run].items() if kernel not in there)

    return {
        metric: _Parts(
            sides[metric][before.pk],
            lone(metric, after.pk, before.pk) - lone(metric, before.pk, after.pk),
        )
        for metric in metrics
    }


def _facts(
    metric: Metric, changes: Sequence[Changed], total: float | None, parts: _Parts | None
) -> MetricFacts:
    if not total or parts is None:
        return MetricFacts(metric, tuple(changes), _ratios(changes), None, 0.0)
    counted = [parts.counted.get(change.kernel_id, 0.0) for change in changes]
    shares = np.array(counted, float) / total
    return MetricFacts(metric, tuple(changes), _ratios(changes), shares, parts.added / total)


def _ratios(changes: Sequence[Changed]) -> Ratios:
    """Return the ratios of changes. A missing one is the geometric middle of its interval."""
    lower = _column([change.ratio_lower for change in changes])
    upper = _column([change.ratio_upper for change in changes])
    ratio = _column([change.ratio for change in changes])
    with np.errstate(invalid="ignore"):
        ratio = np.where(np.isnan(ratio), np.sqrt(lower * upper), ratio)
    return Ratios(_column([change.probability for change in changes]), ratio, lower, upper)


def _column(values: Sequence[float | None]) -> arrays.FloatArray:
    return np.array(values, float)
