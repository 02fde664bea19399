"""What kind of quantity a metric is, and which metric a page begins with."""

import re
from collections.abc import Iterable
from enum import Enum

from ingest.formats import units
from ingest.guessing.metrics import adds_up as values_add_up
from ingest.models import Metric

STATISTICS = (
    (re.compile(r"(^|[^a-z])(std|stddev|stdev|variance|percent|pct|min|minimum)($|[^a-z])|%"), 3),
    (re.compile(r"(^|[^a-z])(sum|total)($|[^a-z])"), 2),
    (re.compile(r"(^|[^a-z])(max|maximum)($|[^a-z])"), 1),
)
"""Statistics over ranks or runs that a name tells, and how late a page begins with such a metric.

The smallest of all ranks hides what the others wait for, and the sum grows with their number.
"""


class Kind(Enum):
    """How one speaks of more and less of a metric."""

    TIME = "time"  # longer, slower
    AMOUNT = "amount"  # more
    LEVEL = "level"  # higher: rates, ratios, scores


def kind_of(metric: Metric) -> Kind:
    """Whether a metric is a time, another amount, or a level."""
    if is_time(metric):
        return Kind.TIME
    return Kind.AMOUNT if adds_up(metric) else Kind.LEVEL


def is_time(metric: Metric) -> bool:
    """Whether the metric is a time that is spent."""
    return metric.lower_is_better and _seconds_in(metric) is not None


def seconds_in(metric: Metric) -> float:
    """Length of the unit of a time."""
    return _seconds_in(metric) or 1.0


def _seconds_in(metric: Metric) -> float | None:
    return 1.0 if not metric.unit and metric.name.lower() == "time" else units.seconds_in(metric.unit)


def adds_up(metric: Metric) -> bool:
    """Whether kernels' values may be summed to the program's; rates and ratios may not."""
    return values_add_up(metric.name, metric.unit, lower_is_better=metric.lower_is_better)


def metric_first(metrics: Iterable[Metric]) -> Metric | None:
    """Time where there is one, as it is what people come for, and rather a mean or maximum than a minimum."""
    return min(metrics, key=lambda metric: (not is_time(metric), _lateness(metric.name)), default=None)


def _lateness(name: str) -> int:
    outermost = re.split(r"[#(]", name.lower())[0]  # Caliper: avg#inclusive#sum#time.duration
    return next((late for pattern, late in STATISTICS if pattern.search(outermost)), 0)
