"""Outputs of YCSB."""

import pytest

from ingest.formats import FormatError

OUTPUT = """Command line: -db site.ycsb.db.MongoDbClient -s -P workloads/workloada -threads {threads} -t
2022-07-06 15:50:18:917 1 sec: 1000 operations; 542.01 current ops/sec; [READ: Count=1000, Max=134655]
[OVERALL], RunTime(ms), 1849
[OVERALL], Throughput(ops/sec), {rate}
[TOTAL_GCS_Copy], Count, 5
[CLEANUP], AverageLatency(us), 1295.2
[READ], Operations, 1000
[READ], AverageLatency(us), 850.5
[READ], MinLatency(us), 561
[READ], 95thPercentileLatency(us), 1187
[READ], 99thPercentileLatency(us), 3990
[READ-MODIFY-WRITE], AverageLatency(us), 1700.25
"""


def test_it_works(read):
    campaign = read("".join(OUTPUT.format(threads=n, rate=500.5 * n) for n in (1, 2)))
    assert campaign.format == "ycsb"
    assert (campaign.parameters, campaign.points.tolist()) == (("threads",), [[1], [2]])
    assert {key: values.ravel().tolist() for key, values in campaign.series.items()} == {
        ("main", "time"): [1.849] * 2,
        ("main", "throughput"): [500.5, 1001],
        ("main->READ", "latency"): [850.5] * 2,
        ("main->READ", "latency p95"): [1187] * 2,
        ("main->READ", "latency p99"): [3990] * 2,
        ("main->READ-MODIFY-WRITE", "latency"): [1700.25] * 2,
    }
    assert campaign.units["latency"] == "us"


def test_the_throughput_may_come_first(read):
    campaign = read("[OVERALL], Throughput(ops/sec), 2306.5\n[READ], AverageLatency(us), 835.25\n")
    assert campaign.series["main->READ", "latency"].tolist() == [[835.25]]


def test_a_wrong_number_is_refused(read):
    with pytest.raises(FormatError, match=r"line 4: found “1\.2\.3”; expected a number"):
        read(OUTPUT.format(threads=1, rate="1.2.3"))
