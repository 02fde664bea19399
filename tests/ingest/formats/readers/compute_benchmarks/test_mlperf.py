"""Logs of MLPerf."""

import json

import pytest

from ingest.formats import FormatError


def event(key, time, value=None, before=""):
    fields = {"namespace": "", "time_ms": time, "key": key, "value": value, "metadata": {"lineno": 7}}
    return f"{before}:::MLLOG {json.dumps(fields)}\n"


def run(batch, start, epochs):
    text = event("init_start", start) + event("global_batch_size", start + 1, batch)
    text += event("init_stop", start + 100) + event("run_start", start + 100)
    for place, time in enumerate(epochs):
        begin = start + 1000 * (place + 1)
        text += event("epoch_start", begin, before="0: ") + "Loss: 0.5\n" + event("epoch_stop", begin + time)
    return text + event("run_stop", start + 9000, {"status": "success"})


def test_intervals_are_kernels_and_epochs_repetitions(read):
    campaign = read(run(32, 0, [500, 400]) + run(64, 50_000, [300, 250]))
    assert (campaign.format, campaign.parameters) == ("mlperf", ("global_batch_size",))
    assert campaign.points.tolist() == [[32], [64]]
    assert campaign.series["epoch", "time"].tolist() == [[500, 400], [300, 250]]
    assert campaign.series["run", "time"].tolist() == [[8900], [8900]]
    assert campaign.units == {"time": "ms"}


def test_mixed_lines_are_left_out(read):
    mixed = ':::MLLOG {"key": "epoch_st:::MLLOG {"key": 7}\n'
    assert read(mixed + run(32, 0, [500])).series["epoch", "time"].tolist() == [[500]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (event("run_start", 5), "no results"),
        (event("run_start", "soon"), "line 1: found the event “run_start” at “soon”"),
        (event("run_start", 5) + ":::MLLOG " + "[" * 100_000 + "\n", "no results"),
    ],
)
def test_wrong_logs_are_refused(read, text, found):
    with pytest.raises(FormatError, match=found):
        read(text)
