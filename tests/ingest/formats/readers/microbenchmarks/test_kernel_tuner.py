"""Cache files of Kernel Tuner."""

import json

import pytest

from ingest.formats import FormatError


def cache(*configurations, **more):
    keys = ["block_size_x", "tile", "layout"]
    return json.dumps(
        {
            "device_name": "A4000",
            "kernel_name": "vector_add",
            "problem_size": [48, 64],
            "tune_params_keys": keys,
            "tune_params": {"block_size_x": [128, 192], "tile": [2]},
            "cache": {str(place): each for place, each in enumerate(configurations)},
            **more,
        }
    )


def configuration(block, times=(3.0, 1.0, 2.0), **more):
    timing = {
        "time": sum(times) / len(times),
        "times": list(times),
        "compile_time": 555.5,
        "benchmark_time": 9,
    }
    return {"block_size_x": block, "tile": 2, "GFLOP/s": 7.5, "temperature": 45, **timing, **more}


def test_it_works(read):
    campaign = read(cache(*map(configuration, (128, 192, 256))))
    assert campaign.format == "kernel-tuner"
    assert (campaign.parameters, campaign.points.tolist()) == (("block_size_x",), [[128], [192], [256]])
    assert set(campaign.series) == {("vector_add", "time"), ("vector_add", "GFLOP/s")}
    assert campaign.series["vector_add", "time"].tolist() == [[2]] * 3  # the median of rounds
    assert campaign.units == {"time": "ms"}
    assert campaign.metadata == {"device_name": "A4000", "problem_size": [48, 64]}


def test_texts_that_vary_are_part_of_the_name(read):
    campaign = read(cache(configuration(128, layout="AoS"), configuration(128, layout="SoA")))
    assert {kernel for kernel, _ in campaign.series} == {"vector_add [layout=AoS]", "vector_add [layout=SoA]"}


@pytest.mark.parametrize("time", ["InvalidConfig", 1e20])
def test_configurations_that_failed_are_left_out(read, time):
    campaign = read(cache(configuration(128), configuration(192), {"block_size_x": 256, "time": time}))
    assert campaign.points.tolist() == [[128], [192]]
    assert campaign.notes[0] == "1 configurations that failed were left out"


def test_without_single_times_the_mean_is_read(read):
    campaign = read(cache({"block_size_x": 128, "time": 2.5}, {"block_size_x": 192, "time": 2.0}))
    assert campaign.series["vector_add", "time"].tolist() == [[2.5], [2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            cache(configuration(128, times=(1, 2)) | {"times": ["fast"]}),
            "the times .* a list of milliseconds",
        ),
        (cache("fast"), "expected an object for each configuration"),
        (cache(), "no results"),
        (cache(configuration(128))[:-2], "the end of the file within an object"),
    ],
)
def test_wrong_files_are_refused(read, text, message):
    with pytest.raises(FormatError, match=message):
        read(text)
