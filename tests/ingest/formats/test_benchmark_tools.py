"""What Google Benchmark, hyperfine and pytest-benchmark write."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "results.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return parse(path)

    return read


def google(name, real=1500.0, unit="ns", **more):
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": 1,
        "threads": 1,
        "iterations": 1000,
        "real_time": real,
        "cpu_time": real / 2,
        "time_unit": unit,
        **more,
    }


def googles(*benchmarks):
    return {"context": {"host_name": "x", "num_cpus": 8, "caches": []}, "benchmarks": list(benchmarks)}


def test_google_benchmark(read):
    campaign = read(
        googles(
            google("BM_sort/8", items_per_second=3.5),
            google("BM_sort/8", 2500),
            google("BM_sort/16", 3, "us"),
            google("BM_sort/16_mean", 3, "us", run_type="aggregate"),
        )
    )
    assert campaign.format == "google-benchmark"
    assert campaign.parameters == ("arg1",)
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.series["BM_sort", "real_time"][0].tolist() == pytest.approx([1.5e-6, 2.5e-6])
    assert campaign.series["BM_sort", "cpu_time"][1, 0] == pytest.approx(1.5e-6)
    assert campaign.series["BM_sort", "items_per_second"][0, 0] == 3.5
    assert campaign.units == {"real_time": "s", "cpu_time": "s"}
    assert campaign.metadata == {"host_name": "x", "num_cpus": 8.0}


@pytest.mark.parametrize(
    ("name", "kernel", "parameters"),
    [
        ("BM_a<int, 8>/n:8/threads:2", "BM_a<int, 8>", {"n": 8, "threads": 2}),
        ("BM_a/8/16/real_time", "BM_a", {"arg1": 8, "arg2": 16}),
        ("Fixture/case/8/repeats:3/min_time:0.5", "Fixture/case", {"arg1": 8}),
        ("BM_a/kind:fast/n:8", "BM_a [kind=fast]", {"n": 8}),
    ],
)
def test_arguments_of_google_benchmark(read, name, kernel, parameters):
    campaign = read(googles(google(name)))
    assert campaign.parameters == tuple(parameters)
    assert campaign.points.tolist() == [list(parameters.values())]
    assert {path for path, _ in campaign.series} == {kernel}


def test_benchmarks_of_other_arguments_are_kept_where_they_can_be_compared(read):
    benchmarks = [google("BM_a/16"), google("BM_a/8"), google("BM_b"), google("BM_c/16/9")]
    campaign = read(googles(*benchmarks))
    assert campaign.parameters == ("arg1",)
    measured = {path: ~np.isnan(values).all(axis=1) for (path, _), values in campaign.series.items()}
    points = {path: campaign.points[known, 0].tolist() for path, known in measured.items()}
    assert points == {"BM_a": [16, 8], "BM_b": [8], "BM_c [arg2=9]": [16]}
    assert "BM_b" in campaign.notes[0]
    assert "arg1" in campaign.notes[0]


@pytest.mark.parametrize("value", ["0", "-1"])
def test_arguments_that_are_no_sizes_become_part_of_the_name(read, value):
    names = [f"BM_a/{size}/{flag}" for size in (8, 16) for flag in (1, value)]
    campaign = read(googles(*map(google, names)))
    assert campaign.parameters == ("arg1",)
    assert {path for path, _ in campaign.series} == {"BM_a [arg2=1]", f"BM_a [arg2={value}]"}


def test_a_size_of_zero_among_others_is_a_kernel_of_its_own(read):
    campaign = read(googles(*(google(f"BM_a/{size}") for size in (0, 8, 16, 32))))
    assert campaign.points.tolist() == [[8], [16], [32]]
    assert {path for path, _ in campaign.series} == {"BM_a", "BM_a [arg1=0]"}


def test_benchmarks_without_arguments_are_one_configuration(read):
    campaign = read(googles(google("BM_a"), google("BM_b")))
    assert campaign.parameters == ("configuration",)
    assert campaign.points.tolist() == [[1]]
    assert {path for path, _ in campaign.series} == {"BM_a", "BM_b"}
    assert "send its point" in campaign.notes[0]


def test_benchmarks_that_failed_are_left_out(read):
    campaign = read(googles(google("BM_a/8"), google("BM_b/8", error_occurred=True)))
    assert {path for path, _ in campaign.series} == {"BM_a"}


HYPERFINE = {
    "results": [
        {
            "command": f"./solve -n {n} --out x{n}.txt",
            "mean": 1.5,
            "user": 1.25,
            "system": 0.25,
            "times": [1.0 * n, 2.0 * n],
            "exit_codes": [0, 0],
            "parameters": {"n": str(n)},
        }
        for n in (8, 16)
    ]
}


def test_hyperfine(read):
    campaign = read(HYPERFINE)
    assert campaign.format == "hyperfine"
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.units["time"] == "s"
    names = {path for path, _ in campaign.series}
    assert names == {"./solve -n {n} --out x8.txt", "./solve -n {n} --out x16.txt"}


def test_commands_that_differ_in_a_number_only_are_one_kernel(read):
    results = [
        {"command": f"run {kind} {n}", "times": [1.0 * n], "parameters": {"n": str(n), "kind": kind}}
        for n in (8, 16)
        for kind in ("a", "b")
    ]
    campaign = read({"results": results})
    assert campaign.series["run a {n} [kind=a]", "time"].tolist() == [[8.0], [16.0]]
    assert len(campaign.series) == 2


def test_hyperfine_without_times_has_means(read):
    results = [{"command": "run", "mean": 2.5, "parameters": {"n": "8"}}]
    assert read({"results": results}).series["run", "time"].tolist() == [[2.5]]


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
    "benchmarks": [pytest_entry(8, data=[1.0, 2.0]), pytest_entry(16)],
}


def test_pytest_benchmark(read):
    campaign = read(PYTEST)
    assert campaign.format == "pytest-benchmark"
    assert campaign.parameters == ("n",)
    table = campaign.series["tests/test_sort.py::test_sort [kind=quick]", "time"]
    assert table[0].tolist() == [1.0, 2.0]
    assert table[1, 0] == 1.5
    assert campaign.metadata == {"node": "x", "id": "abc"}


def changed(document, key, **fields):
    """The same with the first entry changed."""
    first, *rest = document[key]
    return document | {key: [first | fields, *rest]}


GOOGLE = googles(google("BM_sort/8"), google("BM_sort/16"))


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (changed(GOOGLE, "benchmarks", name=7), 8, "the name “7.0”"),
        (changed(GOOGLE, "benchmarks", time_unit="weeks"), 8, "the time unit “weeks”"),
        (changed(GOOGLE, "benchmarks", real_time="fast"), 8, 'real_time “["fast"]”'),
        (changed(GOOGLE, "benchmarks", real_time=-1), 8, "the value “-1e-09”"),
        (GOOGLE | {"benchmarks": 7}, 7, "“7"),
        (GOOGLE | {"benchmarks": [7]}, 8, "“7.0”"),
        (GOOGLE | {"context": []}, 2, "“[]”"),
        (googles(), 7, "no results"),
        (changed(HYPERFINE, "results", command=None), 3, "the command “None”"),
        (changed(HYPERFINE, "results", parameters=[8]), 3, "“[8.0]”"),
        (changed(HYPERFINE, "results", times=["x"]), 3, "the times"),
        (changed(HYPERFINE, "results", user="x"), 3, "user"),
        (changed(HYPERFINE, "results", times=None, mean=None), 3, "the times “[null]”"),
        (changed(PYTEST, "benchmarks", stats=None), 13, "“None”"),
        (changed(PYTEST, "benchmarks", stats={}), 13, "the times “[null]”"),
        (changed(PYTEST, "benchmarks", fullname=[]), 13, "the name “[]”"),
        (changed(PYTEST, "benchmarks", params=7), 13, "“7.0”"),
        (PYTEST | {"machine_info": 7}, 2, "“7.0”"),
        ('{"results": ' + "[" * 100_000, 1, "nested deeper"),
        ('{"benchmarks": [{"name": "a", "name": "b"}], "context": {}}', 1, "the key “name” twice"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert (raised.value.file, raised.value.line) == ("results.json", line)
    assert raised.value.expected
