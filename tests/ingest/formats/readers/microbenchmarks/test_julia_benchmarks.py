"""JSON of Julia's BenchmarkTools."""

import pytest

from ingest.formats import FormatError


def test_groups_and_trials_of_julia_are_read(read):
    trial = ["BenchmarkTools.Trial", {"times": [10, 30, 20], "memory": 64, "allocs": 1}]
    estimate = ["TrialEstimate", {"time": 45.5, "memory": 0, "allocs": 0}]
    inner = ["BenchmarkGroup", {"data": {"100": trial, "200": estimate}, "tags": ["fast"]}]
    group = ["BenchmarkTools.BenchmarkGroup", {"data": {"sort": inner}, "tags": []}]
    campaign = read([{"Julia": "1.10.2", "BenchmarkTools": "1.0.0"}, [group]])
    assert (campaign.format, campaign.parameters) == ("julia-benchmarks", ("arg1",))
    assert campaign.points.tolist() == [[100], [200]]
    assert campaign.series["sort", "time"].tolist() == [[20], [45.5]]
    assert campaign.units == {"time": "ns", "memory": "B"}
    assert campaign.metadata["Julia"] == "1.10.2"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ([{"Julia": "1", "BenchmarkTools": "1"}, [["Trial", {"times": ["x"]}]]], "the times"),
        ([{"Julia": "1", "BenchmarkTools": "1"}, [7]], "“7.0”"),
    ],
)
def test_invalid_files_are_refused_with_the_reason(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
