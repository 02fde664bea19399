"""JSON of BenchmarkDotNet."""

import pytest

from ingest.formats import FormatError


def dotnet(parameters="N=100", statistics=None, method="Sort"):
    return {
        "Namespace": "Lists",
        "Type": "Sorting",
        "Method": method,
        "Parameters": parameters,
        "Statistics": statistics or {"OriginalValues": [12.5, 11.5, 14], "Mean": 12.7, "Median": 12.5},
        "Memory": {"BytesAllocatedPerOperation": 368},
    }


def test_benchmark_dotnet(read):
    brief = dotnet("N=200", {"Median": 25})
    campaign = read(
        {"Title": "Lists", "HostEnvironmentInfo": {"OsVersion": "x"}, "Benchmarks": [dotnet(), brief]}
    )
    assert (campaign.format, campaign.parameters) == ("benchmark-dotnet", ("N",))
    assert campaign.points.tolist() == [[100], [200]]
    assert campaign.series["Lists->Sorting->Sort", "time"].tolist() == [[12.5], [25]]
    assert campaign.series["Lists->Sorting->Sort", "allocated"].tolist() == [[368], [368]]
    assert campaign.units == {"time": "ns", "allocated": "B"}


def test_a_benchmark_of_dotnet_that_failed_is_left_out(read):
    failed = {**dotnet(method="Scan"), "Statistics": None}
    campaign = read({"HostEnvironmentInfo": {}, "Benchmarks": [dotnet(), failed]})
    assert {kernel for kernel, _ in campaign.series} == {"Lists->Sorting->Sort"}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"HostEnvironmentInfo": {}, "Benchmarks": [{"Statistics": {"Median": 1}}]}, "a benchmark without"),
    ],
)
def test_invalid_files_are_refused_with_the_reason(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
