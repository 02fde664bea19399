"""The evidence for an alert: values of both versions at common points, and probabilities of hypotheses."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ingest.models import Campaign, Kernel, Metric, Series
from modeling.models import Alert, AlertEvent, Shift

MOST_POINTS = 40
"""Limit on the points in the table of an alert's page."""

SETTLED = 0.99
"""Probability from which on one hypothesis explains a change, and further measurements tell hardly more."""

OVERHEAD = "the same growth, another overhead"
"""The hypothesis that an overhead changed. Older engines stored no probability of it."""


@dataclass(frozen=True)
class ComparedPoint:
    """A point of both versions, with the medians of its repetitions before and after.

    `ratio` is after / before, divided by the factor that all kernels share. `spread` is (maximum − minimum) /
    median of the repetitions, the larger one of both versions.
    """

    point: tuple[float, ...]
    before: float
    after: float
    repetitions: tuple[int, int]
    ratio: float | None
    spread: float


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis that explains the values, with its probability."""

    name: str
    probability: float


@dataclass(frozen=True)
class Explained:
    """The evidence for an alert. `points` are the largest common points; `point_count` counts all of them.

    `largest` is the largest point with a ratio, `noisiest` the point with the largest spread. `fewest` is the
    smallest number of repetitions.
    """

    parameters: Sequence[str]
    points: tuple[ComparedPoint, ...]
    point_count: int
    hypotheses: tuple[Hypothesis, ...]
    shift: Shift | None
    largest: ComparedPoint | None
    noisiest: ComparedPoint | None
    fewest: int

    @property
    def shared(self) -> Shift | None:
        """Return the factor that all kernels share; None if its interval contains 1."""
        return self.shift if self.shift and self.shift.differs else None

    @property
    def settled(self) -> bool:
        """Return whether the most probable hypothesis is certain enough to need no further measurement."""
        return self.hypotheses[0].probability >= SETTLED


def explained(alert: Alert) -> Explained:
    """Return the evidence for an alert, with four queries; without a comparison, no values."""
    comparison = alert.comparison
    if comparison is None:
        return Explained((), (), 0, _hypotheses(alert), None, None, None, 0)
    campaigns = Campaign.objects.in_bulk({comparison.before_id, comparison.after_id})
    before, after = campaigns[comparison.before_id], campaigns[comparison.after_id]
    shift = Shift.objects.filter(comparison=comparison, metric=alert.metric).first()
    points = _points(before, after, alert.kernel, alert.metric, shift.ratio if shift else 1.0)
    compared = [point for point in points if point.ratio is not None]
    return Explained(
        parameters=after.parameters,
        points=tuple(points[-MOST_POINTS:]),
        point_count=len(points),
        hypotheses=_hypotheses(alert),
        shift=shift,
        largest=compared[-1] if compared else None,
        noisiest=max(compared, key=lambda point: point.spread, default=None),
        fewest=min((min(point.repetitions) for point in points), default=0),
    )


def events_of(alert: Alert) -> list[AlertEvent]:
    """Return the alert's events, latest first."""
    return list(alert.events.select_related("user", "token"))


def _hypotheses(alert: Alert) -> tuple[Hypothesis, ...]:
    """Return the hypotheses with their probabilities, the most probable first."""
    if alert.cause == Alert.Cause.EXPECTATION:
        found = [
            Hypothesis("the expectation is broken", alert.probability),
            Hypothesis("it holds", 1 - alert.probability),
        ]
    else:
        found = hypotheses(alert.probability, alert.law_probability, alert.overhead_probability)
    return tuple(sorted(found, key=lambda hypothesis: -hypothesis.probability))


def hypotheses(changed: float, law: float | None, overhead: float | None) -> list[Hypothesis]:
    """Return the hypotheses: the kernel is the same, or has another factor, law or overhead.

    `changed` is the probability of any change, which includes those of another law and another overhead.
    These are None if they were not stored.
    """
    same = Hypothesis("no change: only noise and drift", 1.0 - changed)
    if law is None:
        return [same, Hypothesis("another factor or another law", changed)]
    factor = max(changed - law - (overhead or 0.0), 0.0)
    found = [same, Hypothesis("the same law, another factor", factor), Hypothesis("another law", law)]
    if overhead is not None:
        found.insert(2, Hypothesis(OVERHEAD, overhead))
    return found


def _points(
    before: Campaign, after: Campaign, kernel: Kernel, metric: Metric, shift: float
) -> list[ComparedPoint]:
    """Return the common points at which both versions have values, smallest first."""
    rows = Series.objects.filter(campaign__in=[before, after], kernel=kernel, metric=metric)
    series = {row.campaign_id: row for row in rows}
    if len(series) < 2:
        return []
    old, new = (_by_point(campaign, series[campaign.pk]) for campaign in (before, after))
    return [_compared(point, old[point], new[point], shift) for point in sorted(old.keys() & new.keys())]


def _by_point(campaign: Campaign, series: Series) -> dict[tuple[float, ...], list[float]]:
    points = (tuple(point) for point in campaign.points)
    return {point: values for point, values in zip(points, series.rows(), strict=True) if values}


def _compared(point: tuple[float, ...], old: list[float], new: list[float], shift: float) -> ComparedPoint:
    start, end = median(old), median(new)
    spreads = [
        (max(values) - min(values)) / middle for values, middle in ((old, start), (new, end)) if middle
    ]
    ratio = end / start / shift if start else None
    return ComparedPoint(point, start, end, (len(old), len(new)), ratio, max(spreads, default=0.0))
