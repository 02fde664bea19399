"""Coordinates of a point that are sent together with a file."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse
from ingest.formats.campaign.sent_points import place_parse


@pytest.fixture
def read(tmp_path):
    def read(content, point, name="run_p64_n1,5.json"):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return parse(path, point=point)

    return read


def benchmarks(*names):
    times = {"real_time": 1.0, "cpu_time": 1.0, "time_unit": "s"}
    return {"context": {}, "benchmarks": [{"name": name, **times} for name in names]}


def test_it_works(read):
    campaign = read(benchmarks("a", "b"), "p=64, n = 100")
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[64, 100]]
    assert {kernel for kernel, _ in campaign.series} == {"a", "b"}
    assert not campaign.notes


def test_a_file_without_parameters_is_one_configuration(read):
    campaign = read(benchmarks("a"), "")
    assert (campaign.parameters, campaign.points.tolist()) == (("configuration",), [[1.0]])
    assert campaign.notes[0].startswith("the file names no parameters")


def test_a_sent_point_is_added_to_the_files_parameters(read):
    campaign = read(benchmarks("a/8", "a/16"), "p=4")
    assert campaign.parameters == ("arg1", "p")
    np.testing.assert_array_equal(campaign.points, [[8, 4], [16, 4]])


@pytest.mark.parametrize("pattern", ["run_p{p}_n{n}.json", "p{p}_n{n}", "r*_p{p}_n{n}."])
def test_a_pattern_is_read_from_the_name(read, pattern):
    campaign = read(benchmarks("a"), pattern)
    assert (campaign.parameters, campaign.points.tolist()) == (("p", "n"), [[64, 1.5]])


def test_a_contradicting_file_is_refused(read):
    with pytest.raises(FormatError, match="the point arg1 = 4 sent with a file that has other values"):
        read(benchmarks("a/8"), "arg1=4")
    assert read(benchmarks("a/8"), "arg1=8").points.tolist() == [[8.0]]


def test_a_name_that_does_not_match_the_pattern_is_refused(read):
    with pytest.raises(FormatError, match=r"the file name “other\.json”"):
        read(benchmarks("a"), "p{p}", name="other.json")


@pytest.mark.parametrize(
    "text", ["64", "p=", "p=x", "p=0", "p=-1", "p=nan", "p=1,p=2", "=4", "{p}{p}", "a\u202eb=1", "p=1" * 400]
)
def test_an_invalid_point_is_refused(text):
    with pytest.raises(FormatError):
        place_parse(text)
