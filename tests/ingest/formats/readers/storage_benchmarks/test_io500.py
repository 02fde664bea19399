"""Results of IO500."""

import pytest

IO500 = """IO500 version io500-isc22 (standard)
NODES=10
NPROC=160
[RESULT]       ior-easy-write        2.000000 GiB/s : time 340.500 seconds
[RESULT]    mdtest-easy-write       12.500000 kIOPS : time 301.000 seconds
[RESULT-invalid]  ior-hard-write     9.000000 GiB/s : time 3.000 seconds
[SCORE ] Bandwidth 2.0 GiB/s : IOPS 12.5 kiops : TOTAL 5.0
"""
OLDER_IO500 = """[RESULT] BW   phase 1      ior_easy_write                0.411 GB/s : time   9.73 seconds
[RESULT] IOPS phase 3                      find                9.160 kiops : time   0.27 seconds
"""


def test_io500(read):
    campaign = read(IO500)
    assert (campaign.format, campaign.parameters) == ("io500", ("nodes", "processes"))
    assert campaign.series["ior-easy-write", "bandwidth"].tolist() == [[pytest.approx(2 * 2**30 / 1e9)]]
    assert campaign.series["mdtest-easy-write", "rate"].tolist() == [[12500]]
    assert campaign.series["ior-easy-write", "time"].tolist() == [[340.5]]
    assert not any(kernel == "ior-hard-write" for kernel, _ in campaign.series)


def test_older_versions_of_io500(read):
    campaign = read(OLDER_IO500)
    assert campaign.series["ior_easy_write", "bandwidth"].tolist() == [[0.411]]
    assert campaign.series["find", "rate"].tolist() == [[9160]]
