"""Outputs of sysbench."""

import pytest

from ingest.formats import FormatError

DATABASE = """sysbench 1.0.18 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: {threads}
Initializing random number generator from current time

[ 5s ] thds: 4 tps: 308.64 qps: 4454.82 (r/w/o: 1/2/3) lat (ms,95%): 70.10 err/s: 0.00 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            103180
        total:                           147394
    transactions:                        7367   ({rate} per sec.)
    queries:                             147394 (14725.16 per sec.)

General statistics:
    total time:                          10.0076s
    total number of events:              7367

Latency (ms):
         min:                                    3.16
         avg:                                    6.79
         max:                                   26.81
         95th percentile:                       13.46
         sum:                                49992.65

Threads fairness:
    events (avg/stddev):           1473.4000/5.00
    execution time (avg/stddev):   9.9985/0.00
"""
PROCESSOR = """sysbench 0.5:  multi-threaded system evaluation benchmark
Running the test with following options:
Number of threads: 2
CPU speed:
    events per second:   850.25
response time:
         avg:                                  2.35ms
         approx.  95 percentile:               2.40ms
"""


def test_it_works(read):
    campaign = read(DATABASE.format(threads=4, rate=735.5) + DATABASE.format(threads=8, rate=900))
    assert campaign.format == "sysbench"
    assert (campaign.parameters, campaign.points.tolist()) == (("threads",), [[4], [8]])
    assert {metric: values.ravel().tolist() for (_, metric), values in campaign.series.items()} == {
        "transactions per second": [735.5, 900],
        "queries per second": [14725.16] * 2,
        "time": [10.0076] * 2,
        "latency": [6.79] * 2,
        "latency p95": [13.46] * 2,
    }
    assert campaign.units["latency"] == "ms"


def test_old_versions_print_units(read):
    campaign = read(PROCESSOR)
    assert {metric: values.item() for (_, metric), values in campaign.series.items()} == {
        "events per second": 850.25,
        "latency": 2.35,
        "latency p95": 2.4,
    }


def test_an_output_without_statistics_is_refused(read):
    with pytest.raises(FormatError, match="an output without results"):
        read("sysbench 1.0.18\n\nRunning the test with following options:\nNumber of threads: 4\n")
