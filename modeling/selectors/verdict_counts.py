"""How many kernels of a comparison changed in which way."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from ingest.models import Metric
from modeling.models import Change, Comparison, State
from modeling.verdicts import Verdict


@dataclass(frozen=True)
class VerdictCounts:
    """The changes of one comparison in one metric, by verdict; `state` tells whether it is finished."""

    comparison_id: int
    before_id: int
    after_id: int
    state: str
    error: str
    counts: dict[Verdict, int]

    @property
    def done(self) -> bool:
        """Whether the counts are final."""
        return self.state == State.DONE

    @property
    def found(self) -> list[tuple[Verdict, int]]:
        """The verdicts that occur, worst first."""
        return [(verdict, self.counts[verdict]) for verdict in Verdict if self.counts.get(verdict)]


def verdict_counts(
    pairs: Iterable[tuple[int, int]], metrics: Iterable[Metric]
) -> dict[tuple[int, int], VerdictCounts]:
    """The counts of each compared pair (before, after) of campaigns, with one query."""
    wanted = set(pairs)
    rows = _counted(list(metrics)).filter(after__in={after for _, after in wanted})
    return {
        (row.before_id, row.after_id): _counts(row) for row in rows if (row.before_id, row.after_id) in wanted
    }


def _counted(metrics: list[Metric]) -> QuerySet[Comparison]:
    ours = Q(changes__metric__in=metrics)
    known = ours & Q(changes__ratio__isnull=False)
    lower = Q(changes__metric__lower_is_better=True)
    worse = Q(lower, changes__ratio__gt=1) | Q(~lower, changes__ratio__lte=1)
    unclear = Q(changes__kind=Change.Kind.UNKNOWN) | Q(changes__ratio=None)
    law, factor = Q(changes__kind=Change.Kind.LAW), Q(changes__kind=Change.Kind.FACTOR)
    return Comparison.objects.annotate(
        law_worse=Count("changes", filter=known & law & worse),
        law_better=Count("changes", filter=known & law & ~worse),
        slower=Count("changes", filter=known & factor & worse),
        faster=Count("changes", filter=known & factor & ~worse),
        unknown=Count("changes", filter=ours & unclear),
    )


def _counts(row: Comparison) -> VerdictCounts:
    counts: dict[Verdict, int] = {
        verdict: getattr(row, verdict.value) for verdict in Verdict if verdict is not Verdict.SAME
    }
    return VerdictCounts(row.pk, row.before_id, row.after_id, row.state, row.error, counts)
