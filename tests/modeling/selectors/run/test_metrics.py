"""The metric that a page shows first, and the words that describe it."""

import pytest

from ingest.guessing.metrics import lower_is_better, metric_unit
from ingest.models import Metric
from modeling.selectors.run.metrics import Kind, kind_of, metric_first, seconds_in


def metric(name: str, unit: str | None = None) -> Metric:
    unit = metric_unit(name) if unit is None else unit
    return Metric(name=name, unit=unit, lower_is_better=lower_is_better(name, unit))


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (["visits", "bytes", "time"], "time"),
        (["cache-misses", "time_ms"], "time_ms"),
        (["items_per_second", "real_time", "cpu_time"], "real_time"),
        (["Min time/rank", "Max time/rank", "Avg time/rank", "Total time", "Time %"], "Avg time/rank"),
        (["Min time/rank", "Max time/rank", "Total time"], "Max time/rank"),
        (["min#inclusive#sum#time.duration", "max#inclusive#sum#time.duration"],
         "max#inclusive#sum#time.duration"),
        (["min#sum#time.duration.ns", "sum#sum#time.duration.ns"], "sum#sum#time.duration.ns"),
        (["min_time", "visits"], "min_time"),
        (["minimum bytes", "GFLOPS"], "GFLOPS"),
        (["visits", "bytes"], "visits"),
        ([], None),
    ],
)  # fmt: skip
def test_pages_prefer_a_time_and_never_a_minimum(names, first):
    found = metric_first(map(metric, names))
    assert (found and found.name) == first


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("time", Kind.TIME),
        ("time_ms", Kind.TIME),
        ("ns/op", Kind.TIME),
        ("bytes", Kind.AMOUNT),
        ("visits", Kind.AMOUNT),
        ("throughput", Kind.LEVEL),
        ("miss_rate", Kind.LEVEL),
    ],
)
def test_words_suit_the_kind_of_metric(name, kind):
    assert kind_of(metric(name)) is kind


def test_a_time_for_which_more_is_better_is_not_called_slower():
    assert kind_of(Metric(name="uptime", unit="s", lower_is_better=False)) is Kind.LEVEL


def test_a_time_without_a_unit_is_in_seconds():
    assert [seconds_in(metric("time", unit)) for unit in ("", "s", "ms", "ns")] == [1.0, 1.0, 1e-3, 1e-9]
