"""Count the kernels of a comparison by their verdicts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, FilteredRelation, Q, QuerySet

from ingest.models import Metric
from modeling.models import Comparison, State
from modeling.verdicts import Verdict, verdict


@dataclass(frozen=True)
class VerdictCounts:
    """The numbers of changes of one comparison by verdict, and the comparison's state."""

    comparison_id: int
    before_id: int
    after_id: int
    state: str
    error: str
    counts: Counter[Verdict]

    @property
    def done(self) -> bool:
        """Return whether the counts are final."""
        return self.state == State.DONE

    @property
    def found(self) -> list[tuple[Verdict, int]]:
        """Return the verdicts that occur, worst first."""
        return [(verdict, self.counts[verdict]) for verdict in Verdict if self.counts[verdict]]


def verdict_counts(
    pairs: Iterable[tuple[int, int]], metrics: Iterable[Metric]
) -> dict[tuple[int, int], VerdictCounts]:
    """Return the counts in these metrics by pair (before, after) of campaigns, with one query."""
    wanted, lower_is_better = set(pairs), {metric.pk: metric.lower_is_better for metric in metrics}
    found: dict[tuple[int, int], VerdictCounts] = {}
    for comparison, before, after, state, error, metric, kind, more, count in _grouped(
        wanted, lower_is_better
    ):
        if (before, after) not in wanted:
            continue
        counted = found.setdefault(
            (before, after), VerdictCounts(comparison, before, after, state, error, Counter())
        )
        if count:
            # The query returns only whether the ratio is above 1.
            ratio = None if more is None else 2.0 if more else 0.5
            counted.counts[verdict(kind, ratio, lower_is_better=lower_is_better[metric])] += count
    return found


def _grouped(
    pairs: Iterable[tuple[int, int]], metrics: Iterable[int]
) -> QuerySet[Comparison, tuple[Any, ...]]:
    """Return the numbers of changes, by metric, kind, and whether the ratio is above 1."""
    ours = FilteredRelation("changes", condition=Q(changes__metric__in=list(metrics)))
    return (
        Comparison.objects.filter(after__in={after for _, after in pairs})
        .annotate(ours=ours, more=Q(ours__ratio__gt=1))
        .values_list("pk", "before", "after", "state", "error", "ours__metric", "ours__kind", "more")
        .annotate(count=Count("ours"))
        .order_by()
    )
