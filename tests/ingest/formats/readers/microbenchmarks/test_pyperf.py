"""JSON of pyperf."""

import pytest

from ingest.formats import FormatError


def pyperf(*runs, **metadata):
    return {"version": "1.0", "metadata": {"name": "sum", **metadata}, "benchmarks": [{"runs": list(runs)}]}


def test_a_run_of_pyperf_is_a_repetition(read):
    campaign = read(
        pyperf({"warmups": [[1, 0.5]]}, {"values": [1.0, 3.0, 1.5]}, {"values": [1.25]}, unit="second")
    )
    assert (campaign.format, campaign.units) == ("pyperf", {"time": "s"})
    assert campaign.series["sum", "time"].tolist() == [[1.5, 1.25]]


def test_pyperf_also_measures_memory(read):
    campaign = read(pyperf({"values": [4096]}, unit="byte"))
    assert campaign.series["sum", "memory"].tolist() == [[4096]]
    assert campaign.units == {"memory": "B"}


def test_benchmarks_of_pyperf_have_different_names(read):
    runs = [{"values": [1.0]}]
    benchmarks = [{"metadata": {"name": name}, "runs": runs} for name in ("a", "b")]
    campaign = read({"version": "1.0", "benchmarks": benchmarks})
    assert list(campaign.series) == [("a", "time"), ("b", "time")]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (pyperf({"values": ["fast"]}), "the values"),
        (pyperf({"values": [1]}, unit="mile"), "the unit “mile”"),
        (pyperf({"warmups": []}), "no results"),
    ],
)
def test_invalid_files_are_refused_with_the_reason(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
