"""Results of airspeed velocity are read from its results folder."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse

COLUMNS = ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "samples"]
INDEX = {
    "suite.Sort.time_sort": {"param_names": ["n", "kind"], "unit": "seconds", "type": "time"},
    "suite.track_items": {"param_names": [], "unit": "items", "type": "track"},
    "version": 2,
}


def results(commit="a" * 40, env="virtualenv-py3.12", **benchmarks):
    taken = {
        "suite.Sort.time_sort": [
            [0.1, 0.2, None, 0.4],
            [["10", "100"], ["'heap'", "'merge'"]],
            "v1", 1, 2.0, [float("-inf")] * 4,
            [[0.1, 0.3, 0.2], [0.2], None, None],
        ],
        "suite.track_items": [[7.0], [], "v1"],
        "suite.failed": [None, []],
        **benchmarks,
    }  # fmt: skip
    return {
        "version": 2, "commit_hash": commit, "env_name": env, "date": 1700000000000, "python": "3.12",
        "params": {"machine": "box", "cpu": "Test CPU", "num_cpu": 8},
        "result_columns": COLUMNS, "results": taken,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes a results folder with these results."""

    def made(*documents):
        (tmp_path / "results" / "box").mkdir(parents=True)
        (tmp_path / "results" / "benchmarks.json").write_text(json.dumps(INDEX))
        (tmp_path / "results" / "box" / "machine.json").write_text('{"machine": "box", "version": 1}')
        for number, document in enumerate(documents):
            (tmp_path / "results" / "box" / f"{number}-env.json").write_text(json.dumps(document))
        return tmp_path / "results"

    return made


def test_it_works(folder):
    campaign = parse(folder(results()))
    assert (campaign.format, campaign.parameters) == ("asv", ("n",))
    assert campaign.points.tolist() == [[10], [100]]
    heap = "suite.Sort.time_sort [kind=heap]", "time"
    np.testing.assert_array_equal(campaign.series[heap], [[0.2], [np.nan]])
    assert campaign.rounds[heap][0].tolist() == [0.1, 0.3, 0.2]
    np.testing.assert_array_equal(
        campaign.series["suite.Sort.time_sort [kind=merge]", "time"], [[0.2], [0.4]]
    )
    assert campaign.series["suite.track_items", "items"][0].tolist() == [7]
    assert campaign.units == {"time": "s", "items": "items"}
    assert campaign.metadata["cpu"] == "Test CPU"
    assert not any(kernel == "suite.failed" for kernel, _ in campaign.series)


def test_a_single_file_gets_numbered_parameters(tmp_path):
    path = tmp_path / "aaaaaaaa-env.json"
    path.write_text(json.dumps(results()))
    campaign = parse(path)
    assert campaign.parameters == ("param1",)
    assert ("suite.Sort.time_sort [param2=heap]", "time") in campaign.series


def test_environments_become_part_of_kernels_names(folder):
    campaign = parse(folder(results(), results(env="virtualenv-py3.13")))
    kernels = {kernel for kernel, _ in campaign.series}
    assert "suite.Sort.time_sort [kind=heap, env=virtualenv-py3.12]" in kernels
    assert "suite.Sort.time_sort [kind=heap, env=virtualenv-py3.13]" in kernels


def test_several_commits_are_refused_as_several_versions(folder):
    with pytest.raises(FormatError, match=r"results of 2 commits; expected .* perfweb\.py history"):
        parse(folder(results(), results(commit="b" * 40)))


def test_results_of_older_versions(tmp_path):
    path = tmp_path / "result.json"
    old = results() | {
        "version": 1,
        "results": {"a.time_x": 0.5, "a.time_y": {"result": [0.25], "params": []}},
    }
    del old["result_columns"]
    path.write_text(json.dumps(old))
    campaign = parse(path)
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("a.time_x", "time"): [[0.5]],
        ("a.time_y", "time"): [[0.25]],
    }


@pytest.mark.parametrize(
    "content",
    ["[1]", '{"commit_hash": "a", "env_name": "e", "results": 7}', '{"commit_hash":' + "[" * 100_000],
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "result.json"
    path.write_text(content)
    with pytest.raises(FormatError):
        parse(path, "asv")


def test_files_of_version_1_are_read(tmp_path):
    path = tmp_path / "aaaaaaaa-py2.7-numpy1.8.json"
    taken = {
        "suite.time_units": 0.25,
        "suite.failed": None,
        "suite.mem_sort": {"params": [["10", "100"]], "result": [728, 7280]},
    }
    about = {
        "commit_hash": "a" * 40,
        "date": 1,
        "params": {"machine": "box"},
        "requirements": {"numpy": "1.8"},
    }
    path.write_text(json.dumps({**about, "results": taken, "version": 1}))
    campaign = parse(path)
    assert campaign.series["suite.time_units", "time"][0].tolist() == [0.25]
    assert campaign.series["suite.mem_sort", "mem"].tolist() == [[728], [7280]]
