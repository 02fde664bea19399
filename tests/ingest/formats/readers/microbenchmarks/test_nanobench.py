"""JSON of nanobench."""

import pytest

from ingest.formats import FormatError


def nanobench(name="sort 1000", size=1000, batch=1, seconds=(3.0, 1.0, 2.0), **more):
    measured = [{"elapsed": each, "cpucycles": 4e9 * each, "pagefaults": 0} for each in seconds]
    return {
        "title": "lists",
        "name": name,
        "unit": "op",
        "batch": batch,
        "complexityN": size,
        "median(elapsed)": 9.0,
        "measurements": measured,
        **more,
    }


def test_measurements_of_nanobench_are_rounds(read):
    larger = nanobench("sort 2000", 2000, seconds=(5.0, 4.0, 6.0))
    campaign = read({"results": [nanobench(), larger]})
    assert (campaign.format, campaign.parameters, campaign.units) == ("nanobench", ("N",), {"time": "s"})
    assert campaign.points.tolist() == [[1000], [2000]]
    assert campaign.series["sort", "time"].tolist() == [[2], [5]]
    assert campaign.rounds["sort", "time"].tolist() == [[3, 1, 2], [5, 4, 6]]
    assert campaign.series["sort", "CPU cycles"].tolist() == [[8e9], [20e9]]
    assert "page faults" not in {metric for _, metric in campaign.series}


def test_times_of_nanobench_are_per_unit_and_titles_distinguish_them(read):
    results = [nanobench("sum", -1, batch=4), nanobench("sum", -1, title="sets")]
    campaign = read({"results": results})
    assert campaign.parameters == ("configuration",)
    assert campaign.series["lists->sum", "time"].tolist() == [[0.5]]
    assert campaign.series["sets->sum", "time"].tolist() == [[2]]


def test_a_result_of_nanobench_without_measurements_is_refused(read):
    with pytest.raises(FormatError, match="found the result “sort”; expected a name and a list of measurem"):
        read({"results": [nanobench("sort", measurements=None)]})
