"""Results of Google Benchmark, hyperfine and pytest-benchmark."""

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
    assert campaign.rounds["BM_sort", "real_time"][0].tolist() == pytest.approx([1.5e-6, 2.5e-6])
    assert campaign.series["BM_sort", "real_time"][:, 0].tolist() == pytest.approx([2e-6, 3e-6])
    assert campaign.series["BM_sort", "cpu_time"][1, 0] == pytest.approx(1.5e-6)
    assert campaign.series["BM_sort", "items_per_second"][0, 0] == 3.5
    assert campaign.units == {"real_time": "s", "cpu_time": "s", "items_per_second": "items/s"}
    assert campaign.metadata == {"host_name": "x", "num_cpus": 8.0}


@pytest.mark.parametrize(
    ("name", "kernel", "parameters"),
    [
        ("BM_a<int, 8>/n:8/threads:2", "BM_a<int, 8>", {"n": 8, "threads": 2}),
        ("BM_a/8/16/real_time", "BM_a", {"arg1": 8, "arg2": 16}),
        ("Fixture/case/8/repeats:3/min_time:0.5", "Fixture/case", {"arg1": 8}),
        ("BM_a/kind:fast/n:8", "BM_a [kind=fast]", {"n": 8}),
        ("BM_a<a/b, std::pair<int, 4>>/std::sort/8", "BM_a<a/b, std::pair<int, 4>>/std::sort", {"arg1": 8}),
        ("BM_a->b/n:8/manual_time", "BM_a→b", {"n": 8}),
    ],
)
def test_arguments_of_google_benchmark_are_parameters(read, name, kernel, parameters):
    campaign = read(googles(google(name)))
    assert campaign.parameters == tuple(parameters)
    assert campaign.points.tolist() == [list(parameters.values())]
    assert {path for path, _ in campaign.series} == {kernel}


def test_benchmarks_with_other_arguments_are_kept_at_one_point(read):
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
    failed = google("BM_b/8", error_occurred=True, error_message="no GPU")
    skipped = google("BM_c/8", skipped=True, skip_message="not here")
    campaign = read(googles(google("BM_a/8"), failed, skipped))
    assert {path for path, _ in campaign.series} == {"BM_a"}
    assert "2 results were left out" in campaign.notes[0]
    assert "BM_b/8 (no GPU), BM_c/8 (not here)" in campaign.notes[0]


def aggregates(name, **values):
    return [
        google(f"{name}_{kind}", value, run_name=name, run_type="aggregate", aggregate_name=kind)
        for kind, value in values.items()
    ]


def test_aggregates_are_read_if_there_are_no_repetitions(read):
    benchmarks = [
        *aggregates("BM_a/8", mean=30, median=20, stddev=1, cv=0.1),
        *aggregates("BM_b/8", mean=30, cv=0.1),
        google("BM_c/8", 5),
        *aggregates("BM_c/8", median=6, max=9),
        *aggregates("BM_d/8", worst=9),
        google("BM_a_BigO", 7, run_type="aggregate", aggregate_name="BigO", time_unit="NlgN"),
    ]
    campaign = read(googles(*benchmarks))
    found = {key: values[0, 0] * 1e9 for key, values in campaign.series.items() if "real" in key[1]}
    assert found == pytest.approx(
        {
            ("BM_a", "real_time"): 20,
            ("BM_b", "real_time"): 30,
            ("BM_c", "real_time"): 5,
            ("BM_d", "real_time_worst"): 9,
        }
    )
    assert "only aggregates of 3 benchmarks" in campaign.notes[0]


def test_aggregates_of_old_files_are_recognised_by_name(read):
    names = {"BM_a": 1, "BM_a_mean": 2, "BM_b_mean": 3, "BM_b_stddev": 4, "BM_of_mean": 5}
    old = [{"name": name, "real_time": value, "time_unit": "ns"} for name, value in names.items()]
    campaign = read(googles(*old))
    found = {path: values[0, 0] * 1e9 for (path, _), values in campaign.series.items()}
    assert found == pytest.approx({"BM_a": 1, "BM_b": 3, "BM_of_mean": 5})


def test_counters_with_impossible_values_are_left_out(read):
    first = google("BM_a/8", loss=-1, ratio=float("nan"), speed=float("inf"), hits=3)
    campaign = read(googles(first, google("BM_a/16", loss=2, ratio=0.5)))
    assert {metric for _, metric in campaign.series} == {"real_time", "cpu_time", "hits", "ratio"}
    assert campaign.notes[0].startswith("the metric loss was left out: it is -1 for BM_a")


GOOGLE_CSV = """2026-01-01T00:00:00+00:00
Running ./b
***WARNING*** CPU scaling is enabled
name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message,"loss"
"BM_sort/16",100,2,1,us,5e+08,,"a ""good"" one",,,-1
a line of somebody else
"BM_sort/64",100,8,4,us,5e+08,,,,,inf
"BM_sort_BigO",,1.4,0.6,NlgN,,,,,,
"BM_fail/8",,,,,,,,true,"no GPU",
"""


def test_csv_of_google_benchmark_is_read(read):
    campaign = read(GOOGLE_CSV)
    assert campaign.format == "google-benchmark"
    assert campaign.points.tolist() == [[16.0], [64.0]]
    assert campaign.series["BM_sort", "real_time"][:, 0].tolist() == pytest.approx([2e-6, 8e-6])
    assert {metric for _, metric in campaign.series} == {"real_time", "cpu_time", "bytes_per_second"}
    assert "BM_fail/8 (no GPU)" in campaign.notes[0]


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


CONSOLE = """Run on (8 X 3000 MHz CPU s)
Load Average: 0.5, 0.4, 0.3
----------------------------------------------------------------------
Benchmark                    Time             CPU   Iterations UserCounters...
----------------------------------------------------------------------
BM_copy/size:64           1500 ns         1400 ns       497778 bytes_per_second=1.5Gi/s hits=20k
BM_copy/size:64           1.52 us         1.41 us       497778 bytes_per_second=1.4Gi/s hits=20k a label
BM_copy/size:64_mean      1510 ns         1405 ns            2 bytes_per_second=1.45Gi/s hits=20k
BM_copy/size:64_stddev    14.1 ns         7.07 ns            2 hits=0
BM_copy/size:64_cv        0.94 %          0.50 %             2
BM_copy/size:512          0.01 ms       0.0099 ms        70000 hits=160k
BM_bad/7                  ERROR OCCURRED: 'no such file'
"""


class TestPrintedTableOfGoogleBenchmark:
    def test_it_works(self, read):
        campaign = read(CONSOLE)
        assert (campaign.format, campaign.parameters) == ("google-benchmark", ("size",))
        times = campaign.series["BM_copy", "real_time"]
        np.testing.assert_allclose(times, [[1.51e-6], [1e-5]])
        np.testing.assert_allclose(campaign.rounds["BM_copy", "real_time"][0], [1.5e-6, 1.52e-6])
        assert campaign.units["real_time"] == "s"

    def test_counters_are_metrics(self, read):
        campaign = read(CONSOLE)
        assert campaign.series["BM_copy", "hits"].tolist() == [[20e3], [160e3]]
        rates = campaign.rounds["BM_copy", "bytes_per_second"][0]
        np.testing.assert_allclose(rates, [1.5 * 2**30, 1.4 * 2**30])

    def test_benchmarks_that_failed_are_left_out(self, read):
        assert any("BM_bad/7 (no such file)" in note for note in read(CONSOLE).notes)


def test_hyperfine(read):
    campaign = read(HYPERFINE)
    assert campaign.format == "hyperfine"
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.units["time"] == "s"
    names = {path for path, _ in campaign.series}
    assert names == {"./solve -n {n} --out x{n}.txt"}


def test_commands_that_differ_only_in_a_number_are_one_kernel(read):
    results = [
        {"command": f"run {kind} {n}", "times": [1.0 * n], "parameters": {"n": str(n), "kind": kind}}
        for n in (8, 16)
        for kind in ("a", "b")
    ]
    campaign = read({"results": results})
    assert campaign.series["run a {n} [kind=a]", "time"].tolist() == [[8.0], [16.0]]
    assert len(campaign.series) == 2


def test_a_number_that_is_part_of_a_word_by_chance_is_kept(read):
    results = [
        {"command": f"run1 -n {n} --level 12", "times": [1.0 * n], "parameters": {"n": str(n)}}
        for n in (1, 2)
    ]
    assert {path for path, _ in read({"results": results}).series} == {"run1 -n {n} --level 12"}


@pytest.mark.parametrize("statistics", [{"mean": 2.5}, {"mean": 9, "median": 2.5, "times": None}])
def test_without_times_of_runs_the_median_or_mean_is_read(read, statistics):
    results = [{"command": "run", "parameters": {"n": "8"}, **statistics}]
    campaign = read({"results": results})
    assert campaign.series["run", "time"].tolist() == [[2.5]]
    assert "counts as one repetition of 1 commands" in campaign.notes[0]


def test_runs_of_hyperfine_that_failed_are_left_out_with_a_note(read):
    failing = {"command": "a", "times": [1.0, 9.0, 2.0], "exit_codes": [0, 1, 0], "parameters": {"n": "8"}}
    always = {"command": "diff", "times": [3.0, 4.0], "exit_codes": [1, None], "parameters": {"n": "8"}}
    campaign = read({"results": [failing | {"memory_usage_byte": [10, 20, 30]}, always]})
    assert campaign.series["a", "time"].tolist() == [[1.0, 2.0]]
    assert campaign.series["a", "memory"].tolist() == [[10.0, 30.0]]
    assert campaign.series["diff", "time"].tolist() == [[3.0, 4.0]]
    assert "1 of 3 runs of “a” failed" in campaign.notes[0]
    assert "every run of “diff”" in campaign.notes[1]
    assert campaign.units == {"time": "s", "memory": "B"}
    # hyperfine starts a process for each run, so its values are repetitions and not rounds.
    assert not campaign.rounds


HYPERFINE_CSV = """command,mean,stddev,median,user,system,min,max,parameter_n,parameter_kind
"sort --n 8, heap",2,0.1,1.5,1.0,0.5,1.4,9,8,heap
"sort --n 16, heap",4,,3.5,1.0,0.5,1.4,9,16,heap
"""


def test_csv_of_hyperfine_is_read(read):
    campaign = read(HYPERFINE_CSV)
    assert campaign.format == "hyperfine"
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.series["sort --n {n}, heap [kind=heap]", "time"].tolist() == [[1.5], [3.5]]


def test_a_command_of_several_lines_has_one_name(read):
    results = [{"command": "set -e\n a -> b", "times": [1.0]}]
    assert {path for path, _ in read({"results": results}).series} == {"set -e a → b"}


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


def changed(document, key, **fields):
    """Return the document with some fields of its first entry changed."""
    first, *rest = document[key]
    return document | {key: [first | fields, *rest]}


GOOGLE = googles(google("BM_sort/8"), google("BM_sort/16"))


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (changed(GOOGLE, "benchmarks", name=7), 8, "the name “7.0”"),
        (changed(GOOGLE, "benchmarks", time_unit="weeks"), 8, "the time unit “weeks”"),
        (changed(GOOGLE, "benchmarks", real_time="fast"), 8, "real_time “fast”"),
        (changed(GOOGLE, "benchmarks", name=[]), 8, "the name “[]”"),
        (googles(google("BM_a/8", -1)), 8, "the value “-1e-09”"),
        (GOOGLE | {"benchmarks": 7}, 7, "“7"),
        (GOOGLE | {"benchmarks": [7]}, 8, "“7.0”"),
        (googles(), None, "no results"),
        (changed(HYPERFINE, "results", command=None), 3, "the command “None”"),
        (changed(HYPERFINE, "results", parameters=[8]), 3, "“[8.0]”"),
        (changed(HYPERFINE, "results", times=["x"]), 3, "times “['x']”"),
        (changed(HYPERFINE, "results", user="x"), 3, "user"),
        (changed(HYPERFINE, "results", times=None, mean=None), 3, "without times"),
        (HYPERFINE_CSV.replace(",1.5,", ",,").replace(",2,", ",,"), 2, "without times"),
        (HYPERFINE_CSV.replace(",1.4", "", 1), 2, "a row of 9 cells"),
        (changed(PYTEST, "benchmarks", fullname=[8]), 13, "the name “[8.0]”"),
        (changed(PYTEST, "benchmarks", params=7), 13, "“7.0”"),
        (PYTEST | {"benchmarks": [{"name": "a", "stats": {}}]}, 17, "no results"),
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
