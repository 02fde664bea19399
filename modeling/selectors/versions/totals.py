"""The whole program's predicted value at the default target, version by version."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from ingest.models import Metric
from modeling.engine import TOO_FEW_VALUES
from modeling.models import Model, Total
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.snapshot import Amount, over
from modeling.selectors.versions.standings import Standing


@dataclass(frozen=True)
class Course:
    """A line of versions with their totals, oldest first; None without a model."""

    versions: tuple[Standing, ...]
    totals: tuple[Amount | None, ...]

    @property
    def predicted(self) -> list[float | None]:
        """Return the predictions at the default target, in units of the metric."""
        return [total.predicted if total else None for total in self.totals]

    @property
    def lower(self) -> list[float | None]:
        """Return the lower ends of the intervals."""
        return [total.lower if total else None for total in self.totals]

    @property
    def upper(self) -> list[float | None]:
        """Return the upper ends of the intervals."""
        return [total.upper if total else None for total in self.totals]

    @property
    def last(self) -> Amount | None:
        """Return the total of the latest version."""
        return self.totals[-1] if self.totals else None

    @property
    def has_any(self) -> bool:
        """Return whether any version has a total."""
        return any(total is not None for total in self.totals)

    @property
    def text(self) -> str:
        """Return a description of the chart of the totals."""
        labels = [version.label for version in self.versions]
        return f"Predicted total from {labels[0]} to {labels[-1]}" if labels else ""

    @property
    def ratio(self) -> float | None:
        """Return the latest version's total divided by the previous one."""
        before, after = ([None, None, *self.predicted])[-2:]
        return over(after, before)


def totals_of(runs: Iterable[int | None], metrics: Iterable[Metric]) -> dict[tuple[int, int], Amount]:
    """Return totals by (run, metric). Metrics that do not add up need a kernel that is the whole program."""
    known = list(metrics)
    summed = [metric for metric in known if adds_up(metric)]
    rows = Total.objects.filter(run__in=[run for run in runs if run], metric__in=known)
    if len(summed) < len(known):
        rows = rows.filter(Q(metric__in=summed) | Exists(_alone()))
    columns = rows.annotate(founded=_founded()).values_list(
        "run_id", "metric_id", "predicted", "lower", "upper", "founded"
    )
    return {(run, metric): Amount(*amounts) for run, metric, *amounts in columns}


def _founded() -> Q:
    """Return whether any part of a total has a law, or there is one point, where the default target lies."""
    laws = _parts().exclude(status=TOO_FEW_VALUES)
    return Q(Exists(laws)) | Q(run__campaign__points__len=1)


def _parts() -> QuerySet[Model]:
    return Model.objects.filter(run=OuterRef("run"), metric=OuterRef("metric"), counts_to_total=True)


def _alone() -> QuerySet[Model, Any]:
    """Return a subquery for the only summand of a total; empty if there are several."""
    return _parts().order_by().values("run").annotate(count=Count("pk")).filter(count=1)


def course(line: Sequence[Standing], metric: Metric | None, totals: dict[tuple[int, int], Amount]) -> Course:
    """Return the line with its totals in one metric."""
    found = [totals.get((s.run_id, metric.pk)) if s.run_id and metric else None for s in line]
    return Course(tuple(line), tuple(found))
