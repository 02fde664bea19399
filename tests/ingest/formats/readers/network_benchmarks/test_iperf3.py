"""JSON of iperf3."""

import pytest

from ingest.formats import FormatError


def result(end, **test):
    return {
        "start": {"version": "iperf 3.9", "test_start": {"num_streams": 4, "blksize": 131072, **test}},
        "intervals": [{"sum": {"bytes": 1, "bits_per_second": 1.5e9}}],
        "end": end,
    }


def test_received_bytes_count(read):
    sums = {
        "sum_sent": {"bits_per_second": 9.5e9, "retransmits": 3},
        "sum_received": {"bits_per_second": 9.25e9},
    }
    campaign = read(result(sums, protocol="TCP"))
    assert campaign.format == "iperf3"
    assert (campaign.parameters, campaign.points.tolist()) == (("streams", "bytes"), [[4, 131072]])
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("TCP", "bandwidth"): [[9.25e9]],
        ("TCP", "retransmits"): [[3]],
    }
    assert campaign.units == {"bandwidth": "bit/s"}


def test_udp_has_one_sum(read):
    campaign = read(result({"sum": {"bits_per_second": 1.5e6, "jitter_ms": 0.5}}, protocol="UDP"))
    assert {key: values.item() for key, values in campaign.series.items()} == {("UDP", "bandwidth"): 1.5e6}


@pytest.mark.parametrize("end", [{}, {"sum": {}}, {"sum_received": {"bits_per_second": "fast"}}])
def test_a_run_that_failed_is_refused(read, end):
    with pytest.raises(FormatError, match="complete run"):
        read(result(end) | {"error": "unable to connect to server"})


@pytest.mark.parametrize("broken", [{"end": 3}, {"start": []}, {"start": {"test_start": 1}}])
def test_sections_are_objects(read, broken):
    with pytest.raises(FormatError):
        read(result({"sum": {"bits_per_second": 1.5e6}}) | broken)
