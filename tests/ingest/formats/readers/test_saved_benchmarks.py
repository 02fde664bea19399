"""JSON that benchmarking tools save, from pyperf to github-action-benchmark."""

import json

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "results.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return parse(path)

    return read


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


def llama(prompt, generated, *samples, **more):
    return {
        "build_commit": "2fd4eb17",
        "build_number": 7341,
        "model_type": "qwen3 1.7B",
        "model_size": 1276487680,
        "n_threads": 2,
        "n_prompt": prompt,
        "n_gen": generated,
        "test_time": f"2026-03-28T17:29:{prompt % 60:02}Z",
        "avg_ts": 9.5,
        "samples_ts": list(samples),
        **more,
    }


@pytest.mark.parametrize("written", [json.dumps, lambda tests: "\n".join(map(json.dumps, tests))])
def test_llama_bench_reads_and_writes_tokens(read, written):
    tests = [llama(256, 0, 68.25, 64.5, 65.5), llama(512, 0, 60.5), llama(0, 256, 11.5, 12.5)]
    campaign = read(written(tests))
    assert (campaign.format, campaign.parameters) == ("llama-bench", ("tokens",))
    assert campaign.series["prompt", "rate"].tolist() == [[65.5], [60.5]]
    assert campaign.rounds["prompt", "rate"][0].tolist() == [68.25, 64.5, 65.5]
    assert campaign.series["generation", "rate"][0].tolist() == [12]
    assert campaign.units == {"rate": "tokens/s"}
    assert campaign.metadata["model_type"] == "qwen3 1.7B"
    assert campaign.metadata["n_threads"] == 2


def test_varied_settings_of_llama_bench_are_parameters_or_names(read):
    threads = [llama(256, 0, 10.5 * n, n_threads=n, test_time=str(n)) for n in (1, 2, 4)]
    assert read(threads).parameters == ("tokens", "n_threads")
    campaign = read([llama(256, 64, 20.5), llama(256, 64, 8.5, model_type="qwen3 8B", model_size=5e9)])
    assert [kernel for kernel, _ in campaign.series] == [
        "prompt and generation [model_type=qwen3 1.7B]",
        "prompt and generation [model_type=qwen3 8B]",
    ]


def test_a_test_of_llama_bench_without_samples_is_refused(read):
    with pytest.raises(FormatError, match="found the samples “None”; expected a list of tokens per second"):
        read([llama(256, 0, samples_ts=None)])


def ior(tasks, *results):
    return {"Options": {"api": "POSIX", "nodes": 2, "tasks": tasks}, "Results": [*results]}


def ior_result(access, bandwidth, seconds):
    sizes = {"blockKiB": 16384.0, "xferKiB": 1024.0}
    return {"access": access, "bwMiB": bandwidth, "totalTime": seconds, "wrRdTime": seconds / 2, **sizes}


def test_ior_has_a_value_of_each_repetition(read):
    writes = [
        ior_result("write", 1500.5, 0.5),
        ior_result("read", 5500, 0.25),
        ior_result("write", 1600, 0.75),
    ]
    tests = [ior(4, *writes), ior(8, ior_result("write", 3000, 0.125))]
    summary = [{"operation": "write", "bwMeanMIB": 1550, "numTasks": 4}]
    campaign = read({"Version": "4.1.0", "Command line": "ior -a POSIX", "tests": tests, "summary": summary})
    assert (campaign.format, campaign.metadata["Version"]) == ("ior-json", "4.1.0")
    assert campaign.parameters == ("nodes", "tasks", "block_KiB", "transfer_KiB")
    assert campaign.points.tolist() == [[2, 4, 16384, 1024], [2, 8, 16384, 1024]]
    assert campaign.series["write", "bandwidth"][0].tolist() == [1500.5, 1600]
    assert campaign.series["write", "time"][1, 0] == 0.125
    assert campaign.series["read", "transfer"][0, 0] == 0.125
    assert campaign.units == {"bandwidth": "MiB/s", "transfer": "s", "time": "s"}


def test_a_test_of_ior_without_results_is_refused(read):
    broken = {"Command line": "ior", "tests": [{"Options": {}, "Results": None}]}
    with pytest.raises(FormatError, match="line 1: found the results “None”; expected a list of results"):
        read(broken)


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


def test_groups_and_trials_of_julia_are_read(read):
    trial = ["BenchmarkTools.Trial", {"times": [10, 30, 20], "memory": 64, "allocs": 1}]
    estimate = ["TrialEstimate", {"time": 45.5, "memory": 0, "allocs": 0}]
    inner = ["BenchmarkGroup", {"data": {"100": trial, "200": estimate}, "tags": ["fast"]}]
    group = ["BenchmarkTools.BenchmarkGroup", {"data": {"sort": inner}, "tags": []}]
    campaign = read([{"Julia": "1.10.2", "BenchmarkTools": "1.0.0"}, [group]])
    assert (campaign.format, campaign.parameters) == ("julia-benchmarks", ("arg1",))
    assert campaign.points.tolist() == [[100], [200]]
    assert campaign.series["sort", "time"].tolist() == [[20], [45.5]]
    assert campaign.units == {"time": "ns", "memory": "B"}
    assert campaign.metadata["Julia"] == "1.10.2"


def test_fio(read):
    direction = {
        "io_bytes": 8,
        "total_ios": 2,
        "iops": 1200.5,
        "bw_bytes": 4917248,
        "lat_ns": {"mean": 26000},
    }
    jobs = [
        {
            "jobname": "scan",
            "job options": {"bs": size},
            "read": direction,
            "write": {"io_bytes": 0, "iops": 0},
        }
        for size in ("4k", "1M")
    ]
    campaign = read(
        {"fio version": "fio-3.36", "global options": {"iodepth": "32", "direct": "1"}, "jobs": jobs}
    )
    assert (campaign.format, campaign.parameters) == ("fio", ("bs", "iodepth"))
    assert campaign.points.tolist() == [[4096, 32], [2**20, 32]]
    assert list(campaign.series) == [
        ("scan->read", "IOPS"),
        ("scan->read", "bandwidth"),
        ("scan->read", "latency"),
    ]
    assert campaign.units == {"IOPS": "1/s", "bandwidth": "B/s", "latency": "ns"}


RESULTS = [
    {"name": "sort", "unit": "ms", "value": 1.5, "range": "± 3"},
    {"name": "load", "unit": "%", "value": 50},
]


def test_a_list_of_results_is_read(read):
    campaign = read(RESULTS)
    assert campaign.format == "benchmark-action"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("sort", "ms"): [[1.5]],
        ("load", "%"): [[50]],
    }
    assert campaign.units == {"ms": "ms", "%": "%"}


def test_the_last_commit_of_a_history_is_read(read):
    old = {"commit": {"id": "abc"}, "benches": RESULTS[:1]}
    new = {"commit": {"id": "def"}, "benches": RESULTS}
    stored = {"lastUpdate": 1, "entries": {"Sorting": [old, new]}}
    campaign = read(f"window.BENCHMARK_DATA = {json.dumps(stored)}\n")
    assert campaign.metadata == {"commit": "def"}
    assert {kernel for kernel, _ in campaign.series} == {"sort", "load"}
    assert "only the last of 2 stored runs was read: def" in campaign.notes


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (pyperf({"values": ["fast"]}), "the values"),
        (pyperf({"values": [1]}, unit="mile"), "the unit “mile”"),
        (pyperf({"warmups": []}), "no results"),
        ({"HostEnvironmentInfo": {}, "Benchmarks": [{"Statistics": {"Median": 1}}]}, "a benchmark without"),
        ([{"Julia": "1", "BenchmarkTools": "1"}, [["Trial", {"times": ["x"]}]]], "the times"),
        ([{"Julia": "1", "BenchmarkTools": "1"}, [7]], "“7.0”"),
        ({"fio version": "3", "jobs": [{"read": {}}]}, "the job “None”"),
        ([{"name": "a", "unit": "s", "value": 1}, {"name": "b"}], "result 2 with the name"),
        ("window.BENCHMARK_DATA = {\"entries\": {\"a\": []}}", "the runs “[]”"),
    ],
)  # fmt: skip
def test_invalid_files_are_refused_with_the_reason(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
