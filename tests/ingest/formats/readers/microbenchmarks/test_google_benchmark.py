"""JSON, CSV and printed tables of Google Benchmark."""

import numpy as np
import pytest

from ingest.formats import FormatError
from tests.ingest.formats.reading import changed


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
        ('{"benchmarks": [{"name": "a", "name": "b"}], "context": {}}', 1, "the key “name” twice"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert (raised.value.file, raised.value.line) == ("results", line)
    assert raised.value.expected
