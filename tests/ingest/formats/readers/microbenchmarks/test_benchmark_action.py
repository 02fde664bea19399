"""Files of github-action-benchmark."""

import json

import pytest

from ingest.formats import FormatError

RESULTS = [
    {"name": "sort", "unit": "ms", "value": 1.5, "range": "± 3"},
    {"name": "load", "unit": "%", "value": 50},
]


def test_a_list_of_results_is_read(read):
    campaign = read(RESULTS)
    assert campaign.format == "benchmark-action"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("sort", "ms"): [[1.5]],
        ("load", "%"): [[50]],
    }
    assert campaign.units == {"ms": "ms", "%": "%"}


def test_the_last_commit_of_a_history_is_read(read):
    old = {"commit": {"id": "abc"}, "benches": RESULTS[:1]}
    new = {"commit": {"id": "def"}, "benches": RESULTS}
    stored = {"lastUpdate": 1, "entries": {"Sorting": [old, new]}}
    campaign = read(f"window.BENCHMARK_DATA = {json.dumps(stored)}\n")
    assert campaign.metadata == {"commit": "def"}
    assert {kernel for kernel, _ in campaign.series} == {"sort", "load"}
    assert "only the last of 2 stored runs was read: def" in campaign.notes


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ([{"name": "a", "unit": "s", "value": 1}, {"name": "b"}], "result 2 with the name"),
        ('window.BENCHMARK_DATA = {"entries": {"a": []}}', "the runs “[]”"),
    ],
)
def test_invalid_files_are_refused_with_the_reason(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
