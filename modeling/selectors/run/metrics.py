"""Determine what kind of quantity a metric is, and which metric a page shows first."""

import re
from collections.abc import Iterable
from enum import Enum

from ingest.formats.campaign import units
from ingest.guessing.metrics import adds_up as values_add_up
from ingest.guessing.metrics import metric_unit, unit_is_usual
from ingest.models import Metric

STATISTICS = (
    (re.compile(r"(^|[^a-z])(std|stddev|stdev|variance|percent|pct|min|minimum)($|[^a-z])|%"), 3),
    (re.compile(r"(^|[^a-z])(sum|total)($|[^a-z])"), 2),
    (re.compile(r"(^|[^a-z])(max|maximum)($|[^a-z])"), 1),
)
"""Statistics in metrics' names. Pages prefer metrics with small numbers."""


class Kind(Enum):
    """The kind of a metric, which decides the words for more and less."""

    TIME = "time"  # longer, slower
    AMOUNT = "amount"  # more
    LEVEL = "level"  # higher: rates, ratios, scores


def kind_of(metric: Metric) -> Kind:
    """Return the kind of a metric."""
    if is_time(metric):
        return Kind.TIME
    return Kind.AMOUNT if adds_up(metric) else Kind.LEVEL


def is_time(metric: Metric) -> bool:
    """Return whether the metric is a time. Without a unit, its name decides."""
    return metric.lower_is_better and _seconds_in(metric) is not None


def seconds_in(metric: Metric) -> float:
    """Return the length of the metric's unit of time in seconds, by default 1."""
    return _seconds_in(metric) or 1.0


def _seconds_in(metric: Metric) -> float | None:
    return units.seconds_in(metric.unit or metric_unit(metric.name))


def lacks_unit(metric: Metric | None) -> bool:
    """Return whether the metric has no unit, although it measures time or memory."""
    return metric is not None and not metric.unit and unit_is_usual(metric.name)


def adds_up(metric: Metric) -> bool:
    """Return whether the values of kernels may be added up, unlike rates and ratios."""
    return values_add_up(metric.name, metric.unit, lower_is_better=metric.lower_is_better)


def metric_first(metrics: Iterable[Metric]) -> Metric | None:
    """Return the metric that pages show first: a time if possible, and no minimum or sum."""
    return min(metrics, key=lambda metric: (not is_time(metric), _lateness(metric.name)), default=None)


def _lateness(name: str) -> int:
    outermost = re.split(r"[#(]", name.lower())[0]  # Caliper: avg#inclusive#sum#time.duration
    return next((late for pattern, late in STATISTICS if pattern.search(outermost)), 0)
