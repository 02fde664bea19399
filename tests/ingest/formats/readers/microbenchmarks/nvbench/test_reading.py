"""JSON of nvbench."""

import json

import pytest

from ingest.formats import FormatError, parse


def state(seconds, device=0, skipped=False, **axes):
    values = [{"name": name, "type": "x", "value": str(value)} for name, value in axes.items()]
    tags = {"nv/cold/time/gpu/mean": seconds, "nv/cold/time/cpu/mean": 2 * seconds, "nv/cold/sample_size": 9}
    summaries = [
        {"tag": tag, "data": [{"name": "value", "value": str(value)}]} for tag, value in tags.items()
    ]
    return {
        "device": device,
        "axis_values": values or None,
        "summaries": None if skipped else summaries,
        "is_skipped": skipped,
    }


@pytest.fixture
def read(tmp_path):
    def read(**benchmarks):
        path = tmp_path / "results.json"
        found = [{"name": name, "states": states} for name, states in benchmarks.items()]
        meta = {"version": {"nvbench": {"major": 0}}}
        path.write_text(json.dumps({"meta": meta, "devices": [{"id": 0}], "benchmarks": found}))
        return parse(path)

    return read


def test_numbers_of_axes_are_parameters_and_types_are_in_names(read):
    campaign = read(
        copy=[state(n / 1e6, T="U8", N=n) for n in (64, 128)] + [state(0, skipped=True, T="F", N=9)]
    )
    assert (campaign.format, campaign.parameters) == ("nvbench", ("N",))
    assert campaign.points.tolist() == [[64], [128]]
    assert campaign.series["copy [T=U8]", "GPU time"].tolist() == [[64e-6], [128e-6]]
    assert campaign.units == {"GPU time": "s", "CPU time": "s"}
    assert len(campaign.series) == 2


def test_several_devices_are_in_names(read):
    campaign = read(copy=[state(1, device=0, N=8), state(2, device=1, N=8)])
    assert {kernel for kernel, _ in campaign.series} == {"copy [device=GPU 0]", "copy [device=GPU 1]"}


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({"axis_values": 5}, "found “5.0”; expected a list with an object for each axis"),
        ({"axis_values": [1]}, "found “1.0”; expected an object for each axis"),
        ({"summaries": {}}, "expected a list with an object for each summary"),
    ],
)
def test_a_state_of_another_form_is_refused(read, wrong, found):
    with pytest.raises(FormatError, match=found):
        read(copy=[state(1, N=8) | wrong])


def test_a_benchmark_without_states_is_refused(read):
    with pytest.raises(FormatError, match="found the benchmark “copy” without states"):
        read(copy=None)
