"""Outputs of wrk and wrk2."""

import pytest

from ingest.formats import FormatError

OUTPUT = """wrk -t10 -c200 -d30s --latency http://127.0.0.1:8080/
Running 30s test @ http://127.0.0.1:8080{path}
  10 threads and {connections} connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    {latency}   34.40ms 501.10ms   88.69%
    Req/Sec     8.74k     5.97k   43.64k    71.99%
  Latency Distribution
     50%    1.11ms
     99%  151.60ms
  2525852 requests in 30.08s, 387.82MB read
Requests/sec:  83974.71
Transfer/sec:     12.89MB
"""


def test_it_works(read):
    outputs = [OUTPUT.format(path="/item?id=1", connections=count, latency="16.08ms") for count in (100, 200)]
    campaign = read("".join(outputs))
    assert campaign.format == "wrk"
    assert (campaign.parameters, campaign.points.tolist()) == (
        ("threads", "connections"),
        [[10, 100], [10, 200]],
    )
    assert {key: values[0].tolist() for key, values in campaign.series.items()} == {
        ("/item?id=1", "latency"): [16.08],
        ("/item?id=1", "latency p99"): [151.6],
        ("/item?id=1", "requests per second"): [83974.71],
    }


@pytest.mark.parametrize(
    ("latency", "milliseconds"), [("540.95us", 0.54095), ("1.25s", 1250), ("2.50m", 150_000), ("7.50ms", 7.5)]
)
def test_units_of_latencies_are_converted(read, latency, milliseconds):
    campaign = read(OUTPUT.format(path="", connections=1, latency=latency))
    assert campaign.series["main", "latency"].item() == pytest.approx(milliseconds)


def test_wrk2_prints_percentiles_with_decimals(read):
    text = OUTPUT.format(path="/", connections=1, latency="1.44ms").replace(
        "99%  151.60ms", "99.000%    3.02ms"
    )
    assert read(text).series["/", "latency p99"].item() == 3.02


def test_an_output_without_results_is_refused(read):
    with pytest.raises(FormatError, match="an output without results"):
        read("Running 30s test @ http://localhost:8080\n  2 threads and 2 connections\n")
