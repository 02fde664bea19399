"""Run reports of ReFrame: old versions with `perfvars`, and new versions with `perfvalues`."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse


def case(name, result="pass", time=1.5, **fields):
    values = {
        "daint:gpu:time": [time, 2.0, None, 0.1, "s", "pass"],
        "daint:gpu:bw": [20, 0, None, None, "GB/s"],
    }
    place = {"system": "daint", "partition": "gpu", "environ": "gnu"}
    return {"display_name": name, "name": name, "result": result, "perfvalues": values, **place, **fields}


def old_case(name, result="success", time=1.5, **fields):
    variable = {
        "name": "time",
        "reference": 2.0,
        "thres_lower": None,
        "thres_upper": 0.1,
        "unit": "s",
        "value": time,
    }
    place = {"system": "daint:gpu", "environment": "gnu"}
    return {"name": name, "result": result, "perfvars": [variable], "check_params": {}, **place, **fields}


@pytest.fixture
def read(tmp_path):
    def read(*cases, runs=None):
        path = tmp_path / "report.json"
        runs = [{"num_cases": len(cases), "testcases": list(cases), "run_index": 0}] if runs is None else runs
        path.write_text(
            json.dumps({"session_info": {"data_version": "4.2"}, "runs": runs, "restored_cases": []})
        )
        return parse(path)

    return read


def test_it_works(read):
    campaign = read(case("stream %n=8"), case("stream %n=8", time=1.25), case("stream %n=16", time=None))
    assert campaign.format == "reframe-report"
    assert campaign.parameters == ("n",)
    np.testing.assert_array_equal(campaign.series["stream", "time"], [[1.5, 1.25], [np.nan, np.nan]])
    assert campaign.series["stream", "bw"].tolist()[0] == [20, 20]
    assert campaign.units == {"time": "s", "bw": "GB/s"}
    assert campaign.metadata == {"system": "daint", "partition": "gpu", "environ": "gnu"}


def test_versions_before_4_7(read):
    campaign = read(old_case("stream %n=8"), old_case("stream %n=16", time=3.0))
    assert campaign.series["stream", "time"].tolist() == [[1.5], [3]]
    assert campaign.units == {"time": "s"}
    assert campaign.metadata == {"system": "daint", "partition": "gpu", "environ": "gnu"}


def test_parameters_may_be_missing_in_the_name(read):
    cases = [old_case("stream_8", check_params={"n": n, "kind": "triad", "list": [1]}) for n in (8, 16)]
    campaign = read(*cases)
    assert campaign.parameters == ("n",)
    assert {kernel for kernel, _ in campaign.series} == {"stream_8 [kind=triad]"}


def test_text_parameters_are_part_of_the_kernel(read):
    campaign = read(case("stream %n=8 %kind=copy"), case("stream %n=8 %kind=triad"))
    assert {kernel for kernel, _ in campaign.series} == {"stream [kind=copy]", "stream [kind=triad]"}


@pytest.mark.parametrize("result", ["fail", "failure", "skip", "aborted", "abort", "xfail"])
def test_what_did_not_pass_is_left_out_and_counted(read, result):
    campaign = read(case("stream %n=8"), case("stream %n=8", result, time=99))
    assert campaign.series["stream", "time"].tolist() == [[1.5]]
    assert campaign.notes == ("1 runs that did not pass were left out",)


def test_tests_that_measure_nothing_are_left_out_and_counted(read):
    campaign = read(case("stream %n=8"), case("hello", perfvalues={}), old_case("old", perfvars=None))
    assert {kernel for kernel, _ in campaign.series} == {"stream"}
    assert campaign.notes == ("2 runs without a performance value were left out",)


def test_all_runs_of_a_session_are_read(read):
    campaign = read(runs=[{"testcases": [case("stream %n=8", time=time)]} for time in (1.0, 2.0)])
    assert campaign.series["stream", "time"].tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("cases", "found"),
    [
        ([case("stream", "fail")], "no results"),
        ([case("stream", time="fast")], "“fast” as time_value"),
        ([case("stream", time=[1])], "as time_value"),
        ([case(None)], "the name “None” of a test case"),
        ([case("stream", perfvalues={"a:b:c": [1]})], "as “a:b:c”"),
        ([case("stream", perfvalues=[1])], "“[1.0]”"),
        ([old_case("stream", perfvars=[1])], "“1.0”"),
        ([old_case("stream", perfvars=1)], "“1.0”"),
        ([7], "“7.0”"),
    ],
)
def test_errors_say_what_was_found(read, cases, found):
    with pytest.raises(FormatError) as raised:
        read(*cases)
    assert found in raised.value.found
    assert raised.value.expected


@pytest.mark.parametrize("runs", [{}, [1], 3, [{"testcases": {}}]])
def test_other_documents_are_refused(read, runs):
    with pytest.raises(FormatError, match=r"found .*; expected"):
        read(runs=runs)
