"""JSON of IOR."""

import pytest

from ingest.formats import FormatError


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
    with pytest.raises(FormatError, match="line 4: found the results “None”; expected a list of results"):
        read(broken)
