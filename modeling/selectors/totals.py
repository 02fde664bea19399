"""The whole program's predicted value, version by version, at the application's default target."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.models import Metric
from modeling.models import Total
from modeling.selectors.versions import Standing


@dataclass(frozen=True)
class Course:
    """A line of versions with their totals, oldest first; None where there is no model (yet)."""

    versions: tuple[Standing, ...]
    totals: tuple[Total | None, ...]

    @property
    def predicted(self) -> list[float | None]:
        """At the default target, in units of the metric."""
        return [total.predicted if total else None for total in self.totals]

    @property
    def lower(self) -> list[float | None]:
        """Lower ends of the intervals."""
        return [total.lower if total else None for total in self.totals]

    @property
    def upper(self) -> list[float | None]:
        """Upper ends of the intervals."""
        return [total.upper if total else None for total in self.totals]

    @property
    def last(self) -> Total | None:
        """Of the latest version."""
        return self.totals[-1] if self.totals else None

    @property
    def text(self) -> str:
        """What a picture of the line shows, in words."""
        labels = [version.label for version in self.versions]
        return f"Predicted total from {labels[0]} to {labels[-1]}" if labels else ""

    @property
    def ratio(self) -> float | None:
        """The latest version's total over its predecessor's."""
        before, after = ([None, None, *self.predicted])[-2:]
        return after / before if before and after is not None else None


def totals_of(runs: Iterable[int | None], metrics: Iterable[Metric]) -> dict[tuple[int, int], Total]:
    """Totals by (run, metric), with one query."""
    rows = Total.objects.filter(run__in=[run for run in runs if run], metric__in=list(metrics))
    return {(row.run_id, row.metric_id): row for row in rows}


def course(line: Sequence[Standing], metric: Metric | None, totals: dict[tuple[int, int], Total]) -> Course:
    """The line with its totals in one metric."""
    found = [totals.get((s.run_id, metric.pk)) if s.run_id and metric else None for s in line]
    return Course(tuple(line), tuple(found))
