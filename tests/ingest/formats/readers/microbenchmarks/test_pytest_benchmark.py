"""JSON of pytest-benchmark."""

import numpy as np
import pytest

from ingest.formats import FormatError
from tests.ingest.formats.reading import changed


def pytest_entry(n, **stats):
    return {
        "name": f"test_sort[{n}-quick]",
        "fullname": f"tests/test_sort.py::test_sort[{n}-quick]",
        "params": {"n": n, "kind": "quick"},
        "stats": {"mean": 1.5, "rounds": 2, **stats},
    }


PYTEST = {
    "machine_info": {"node": "x", "cpu": {"count": 8}},
    "commit_info": {"id": "abc", "dirty": False},
    "benchmarks": [pytest_entry(8, data=[1.0, 2.0]), pytest_entry(16, median=1.25)],
}


def test_pytest_benchmark(read):
    campaign = read(PYTEST)
    assert campaign.format == "pytest-benchmark"
    assert campaign.parameters == ("n",)
    table = campaign.series["tests/test_sort.py::test_sort [kind=quick]", "time"]
    assert table.tolist() == [[1.5], [1.25]]
    rounds = campaign.rounds["tests/test_sort.py::test_sort [kind=quick]", "time"]
    assert rounds[0].tolist() == [1.0, 2.0]
    assert campaign.metadata == {"node": "x", "cpu.count": 8.0, "id": "abc", "dirty": False}
    assert "the median of the rounds replaces them in 1 benchmarks" in campaign.notes[0]


def test_the_first_versions_of_pytest_benchmark_are_read(read):
    """Old files name parameters only in the benchmark's name, and lack the processor and the rounds."""
    names = ["test_a[8-quick]", "test_a[16-quick]", "test_b[1e-5]", "test_c"]
    benchmarks = [{"name": name, "fullname": None, "stats": {"median": 1.0}} for name in names]
    campaign = read({"machine_info": {}, "benchmarks": benchmarks, "version": "2.5.0"})
    assert campaign.parameters == ("arg1",)
    assert campaign.points.tolist() == [[8], [16], [1e-5]]
    assert {path for path, _ in campaign.series} == {"test_a [id=quick]", "test_b", "test_c"}


def test_arguments_without_a_short_text_have_the_id_in_the_tests_name(read):
    changes = {"fullname": "t[8-data0]", "params": {"n": 8, "data": [1, 2]}}
    campaign = read(PYTEST | {"benchmarks": [PYTEST["benchmarks"][0] | changes]})
    assert campaign.parameters == ("n",)
    assert {path for path, _ in campaign.series} == {"t [id=data0]"}


def test_tests_that_were_not_measured_are_left_out(read):
    wrong = [
        {"name": "test_null", "stats": None},
        {"name": "test_nan", "stats": {"median": float("nan"), "ops": float("inf")}},
        {
            "name": "test_a",
            "params": None,
            "extra_info": {"n": 7},
            "stats": {"stddev": float("nan"), "min": 2},
        },
    ]
    campaign = read(PYTEST | {"benchmarks": wrong})
    assert {path for path, _ in campaign.series} == {"test_a"}
    assert any("2 benchmarks have no times" in note for note in campaign.notes)


@pytest.mark.parametrize("count", [10_001, 30_000, 400_000])
def test_thinned_rounds_keep_their_median(read, count):
    rounds = np.random.default_rng(count).pareto(1.5, count) + 1
    campaign = read(PYTEST | {"benchmarks": [pytest_entry(8, data=rounds.tolist())]})
    (kept,) = campaign.rounds.values()
    assert 9_990 < kept.shape[1] <= 10_000
    (median,) = campaign.series.values()
    assert median[0, 0] == np.median(rounds)
    assert kept.min() == rounds.min()
    assert kept.max() == rounds.max()
    assert any("same median" in note for note in campaign.notes)


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (changed(PYTEST, "benchmarks", fullname=[8]), 13, "the name “[8.0]”"),
        (changed(PYTEST, "benchmarks", params=7), 13, "“7.0”"),
        (PYTEST | {"benchmarks": [{"name": "a", "stats": {}}]}, 17, "no results"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert (raised.value.file, raised.value.line) == ("results", line)
    assert raised.value.expected
