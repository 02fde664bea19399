"""Folders of benchmarks of Criterion.rs."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats import cubex
from tests.ingest.formats.memory import seconds_of_children


@pytest.fixture
def read(tmp_path):
    def read(files, point=""):
        path = tmp_path / "criterion.tar"
        path.write_bytes(cubex.tar(files))
        return parse(path, point=point)

    return read


def benchmark(
    group, function=None, value=None, *, times=(2.0, 3.0, 4.0), throughput=None, root="criterion", **files
):
    """Return the files of a benchmark's newest measurement.

    Sampling is linear: each sample has more iterations than the one before.
    """
    directory = "/".join(text for text in (group, function, value) if text)
    about = {
        "group_id": group, "function_id": function, "value_str": value, "throughput": throughput,
        "full_id": directory, "directory_name": directory, "title": directory,
    }  # fmt: skip
    iterations = range(10, 10 * len(times) + 10, 10)
    totals = [count * time for count, time in zip(iterations, times, strict=True)]
    sample = {"sampling_mode": "Linear", "iters": list(iterations), "times": totals}
    contents = {"benchmark": about, "sample": sample, **files}
    return {
        f"{root}/{directory}/new/{name}.json": json.dumps(content).encode()
        for name, content in contents.items()
        if content is not None
    }


def test_it_works(read):
    files = {}
    for n in (64, 128):
        files |= benchmark("sum", "fold", str(n), times=[n, n + 1.0, n + 2.0])
    campaign = read(files)
    assert campaign.format == "criterion"
    assert (campaign.parameters, campaign.points.tolist()) == (("size",), [[64], [128]])
    assert campaign.series["sum/fold", "time"].tolist() == [[65], [129]]
    np.testing.assert_allclose(campaign.rounds["sum/fold", "time"], [[64, 65, 66], [128, 129, 130]])
    assert campaign.units == {"time": "ns"}
    assert campaign.notes[0].startswith("the median of up to 3 rounds of one process")


@pytest.mark.parametrize(
    ("named", "kernel", "parameters"),
    [
        (("sum", "fold", "64"), "sum/fold", {"size": 64}),
        (("sum", None, "64"), "sum", {"size": 64}),
        (("sum", "fold", "n=64"), "sum/fold", {"n": 64}),
        (("get", "load_factor=00.20", None), "get", {"load_factor": 0.2}),
        (("sum", "fold", "64x64"), "sum/fold/64x64", {"configuration": 1}),
        (("sum", None, None), "sum", {"configuration": 1}),
        (("a->b", None, None), "a→b", {"configuration": 1}),
        (("sum", "8", "64"), "sum/64", {"size": 8}),
    ],
)
def test_names_contain_parameters(read, named, kernel, parameters):
    campaign = read(benchmark(*named))
    assert {path for path, _ in campaign.series} == {kernel}
    assert dict(zip(campaign.parameters, campaign.points[0], strict=True)) == parameters


@pytest.mark.parametrize(("throughput", "size"), [({"Bytes": 512}, 512), ({"Elements": 64}, 64)])
def test_the_throughput_is_the_size_if_the_name_has_none(read, throughput, size):
    campaign = read(benchmark("parse", "json", "small file", throughput=throughput))
    assert (campaign.parameters, campaign.points.tolist()) == (("size",), [[size]])
    assert list(campaign.series) == [("parse/json/small file", "time")]
    assert read(benchmark("parse", None, "7", throughput=throughput)).points.tolist() == [[7]]


def test_an_earlier_measurement_is_read_only_without_a_newer_one(read):
    new, base = benchmark("a", times=[2.0]), benchmark("a", times=[9.0])
    before = {name.replace("/new/", "/base/"): content for name, content in base.items()}
    change = {"criterion/a/change/estimates.json": b"{}", "criterion/report/index.html": b""}
    assert read({**before, **new, **change}).series["a", "time"].tolist() == [[2]]
    assert read(before | {"criterion/b/new/sample.json": b"{}"}).series["a", "time"].tolist() == [[9]]


def test_folders_of_several_processes_are_repetitions(read):
    files = {}
    for run, value in ((1, 2.0), (2, 5.0)):
        files |= benchmark("a", None, "64", times=[value] * 3, root=f"run{run}/target/criterion")
    campaign = read(files)
    assert campaign.series["a", "time"].tolist() == [[2, 5]]
    assert campaign.rounds["a", "time"].shape == (1, 6)


def test_folders_or_points_give_the_points_of_processes(read):
    files = {}
    for threads in (1, 2):
        files |= benchmark("a", None, "64", root=f"threads{threads}/target/criterion")
    campaign = read(files)
    assert (campaign.parameters, campaign.points.tolist()) == (("size", "threads"), [[64, 1], [64, 2]])
    campaign = read(benchmark("a", None, "64"), point="p=4")
    assert (campaign.parameters, campaign.points.tolist()) == (("size", "p"), [[64, 4]])


def test_older_samples_and_estimates_alone_are_read(read):
    campaign = read(benchmark("a", sample=[[1, 2], [10.0, 30.0]]))
    assert campaign.series["a", "time"].tolist() == [[12.5]]
    campaign = read(benchmark("a", sample=None, estimates={"mean": {"point_estimate": 7.5}}))
    assert campaign.series["a", "time"].tolist() == [[7.5]]


def test_a_single_file_is_refused_with_advice(tmp_path):
    for name, content in benchmark(
        "a", estimates={"mean": 1, "median": 1, "median_abs_dev": 1, "std_dev": 1}
    ).items():
        path = tmp_path / name.rpartition("/")[2]
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"a single file of Criterion\.rs.*expected the whole folder"):
            parse(path)


def test_a_broken_benchmark_is_left_out(read):
    campaign = read({**benchmark("a"), **benchmark("b", sample={"iters": [1], "times": []})})
    assert list(campaign.series) == [("a", "time")]
    assert campaign.notes[1].startswith("left out: criterion/b/new/benchmark.json: found times “[]”")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"benchmark": {"group_id": 7}}, "the benchmark “"),
        ({"benchmark": []}, "“[]”"),
        ({"benchmark": {"group_id": "a", "value_str": ["x"]}}, "the benchmark “"),
        ({"sample": {"iters": [1], "times": ["x"]}}, "times “["),
        ({"sample": {"iters": [0], "times": [1]}}, "a sample without"),
        ({"sample": {"iters": [1, 2], "times": [1]}}, "a sample without"),
        ({"sample": [[[]]] * 2}, "iters “"),
        ({"sample": {"iters": [1], "times": [-1]}}, "a time of -1 ns"),
        ({"sample": None}, "the mean “[null]”"),
        ({"sample": None, "estimates": 7}, "“7.0”"),
    ],
)
def test_invalid_benchmarks_are_refused(read, files, found):
    with pytest.raises(FormatError) as raised:
        read(benchmark("a", **files))
    assert found in raised.value.found
    assert raised.value.file.startswith("criterion.tar, criterion/a/new/")


HOSTILE = {
    "deep": b"[" * 100_000,
    "nothing": b"",
    "an endless text": b'{"group_id": "' + b"=" * 1_000_000 + b'"',
    "a long name": json.dumps({"group_id": "a", "function_id": "a " * 100_000 + "= 1"}).encode(),
    "a huge number": b'{"group_id": "a", "value_str": "' + b"9" * 100_000 + b'"}',
    "no UTF-8": b"\xff\xfe",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_in_time(read, content):
    begun = seconds_of_children()
    with pytest.raises(FormatError):
        read({**benchmark("a"), "criterion/a/new/benchmark.json": content})
    assert seconds_of_children() - begun < 2


def message(name, *times, reason="benchmark-complete", **more):
    counts = [10.0 * (at + 1) for at in range(len(times))]
    totals = [time * count for time, count in zip(times, counts, strict=True)]
    known = {"reason": reason, "id": name, "iteration_count": counts, "measured_values": totals, "unit": "ns"}
    return json.dumps({**known, **more}) + "\n"


def test_messages_of_cargo_criterion(tmp_path):
    path = tmp_path / "messages.json"
    lines = [message("sort/quick/1000", 3, 1, 2), message("sort/quick/2000", 5, 4, 6)]
    path.write_text("".join([*lines, '{"reason": "group-complete", "group_name": "sort"}\n']))
    campaign = parse(path)
    assert (campaign.format, campaign.units) == ("cargo-criterion", {"time": "ns"})
    assert campaign.parameters == ("size",)
    assert campaign.points.tolist() == [[1000], [2000]]
    assert campaign.series["sort/quick", "time"].tolist() == [[2], [5]]
    assert campaign.rounds["sort/quick", "time"][0].tolist() == [3, 1, 2]


def test_a_damaged_message_is_named(tmp_path):
    path = tmp_path / "messages.json"
    path.write_text(message("sort/1000", 3, 1) + message("sort/2000", 3, 1, measured_values=[1.0]))
    with pytest.raises(FormatError, match="line 2: found a sample without a time or iterations"):
        parse(path)
