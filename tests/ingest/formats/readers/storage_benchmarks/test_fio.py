"""JSON of fio."""

import pytest

from ingest.formats import FormatError


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


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"fio version": "3", "jobs": [{"read": {}}]}, "the job “None”"),
    ],
)
def test_invalid_files_are_refused_with_the_reason(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
