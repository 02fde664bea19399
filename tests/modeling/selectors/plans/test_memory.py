"""Which metrics measure memory, recognised by their units and names."""

import pytest

from ingest.formats.campaign.units import bytes_in
from ingest.models import Metric
from modeling.selectors.plans.memory import metric_of_memory


@pytest.mark.parametrize(
    ("unit", "size"),
    [("B", 1), ("bytes", 1), ("kB", 1e3), ("MiB", 2**20), ("GB", 1e9), ("s", None), ("", None)],
)
def test_units(unit, size):
    assert bytes_in(unit) == size


def test_the_metric_of_memory_is_found_among_others():
    metrics = [
        Metric(name="time", unit="s"),
        Metric(name="bytes_sent", unit="B"),
        Metric(name="memory_bandwidth", unit="GB/s"),
        Metric(name="max_rss", unit="KiB"),
    ]
    found = metric_of_memory(metrics)
    assert found is not None
    assert found.name == "max_rss"
    assert metric_of_memory(metrics[:3]) is None
