"""Outputs of ApacheBench."""

import pytest

from ingest.formats import FormatError

RUN = """This is ApacheBench, Version 2.3 <$Revision: 1879490 $>
Benchmarking localhost (be patient).....done

Document Path:          /
Document Length:        12 bytes

Concurrency Level:      {concurrency}
Time taken for tests:   1.25 seconds
Complete requests:      10000
Requests per second:    8103.75 [#/sec] (mean)
Time per request:       6.17 [ms] (mean)
Time per request:       0.123 [ms] (mean, across all concurrent requests)
Transfer rate:          1020.86 [Kbytes/sec] received

Percentage of the requests served within a certain time (ms)
  50%      6
  99%     12
 100%     20 (longest request)
"""


def test_it_works(read):
    campaign = read("".join(RUN.format(concurrency=count) for count in (50, 100)))
    assert campaign.format == "apache-bench"
    assert (campaign.parameters, campaign.points.tolist()) == (
        ("bytes", "concurrency"),
        [[12, 50], [12, 100]],
    )
    assert {metric: values[0].tolist() for (_, metric), values in campaign.series.items()} == {
        "time": [1.25],
        "requests per second": [8103.75],
        "latency": [6.17],
        "latency p99": [12],
    }
    assert campaign.units["latency p99"] == "ms"


def test_a_run_without_results_is_refused(read):
    with pytest.raises(FormatError, match="Requests per second"):
        read("This is ApacheBench, Version 2.3\nTest aborted after 10 failures\n")
