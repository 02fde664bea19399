"""Which metric a page begins with."""

from collections.abc import Iterable

from ingest.models import Metric

TIME_UNITS = {"s", "sec", "secs", "second", "seconds"}


def is_time(metric: Metric) -> bool:
    """Whether the metric counts seconds."""
    return metric.unit.strip().lower() in TIME_UNITS or (not metric.unit and metric.name.lower() == "time")


def metric_first(metrics: Iterable[Metric]) -> Metric | None:
    """Time where there is one, as it is what people come for; else the first."""
    ordered = list(metrics)
    return next(filter(is_time, ordered), next(iter(ordered), None))
