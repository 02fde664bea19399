"""Outputs of ApacheBench (`ab`).

`Concurrency Level: 50` is the parameter of a run, `Requests per second: 8103.73 [#/sec] (mean)` its rate and
`Time per request: 6.170 [ms] (mean)` its mean latency. `99%  12` below them is a percentile in milliseconds.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "apache-bench", "ApacheBench output"
PRINTOUT = Printout(
    NAME,
    begins="This is ApacheBench, Version",
    lines=(
        Line(r"This is ApacheBench, Version.*", Then.BEGIN),
        Line(rf"Document Length:\s+(?P<bytes>{COUNT}) bytes"),
        Line(rf"Concurrency Level:\s+(?P<concurrency>{COUNT})"),
        Line(rf"Time taken for tests:\s+(?P<time>{NUMBER}) seconds"),
        Line(rf"Requests per second:\s+(?P<rate>{NUMBER}) \[#/sec\] \(mean\)"),
        Line(rf"Time per request:\s+(?P<latency>{NUMBER}) \[ms\] \(mean\)"),
        Line(rf"99%\s+(?P<p99>{NUMBER})"),
    ),
    metrics={
        "time": Metric("time", "s"),
        "rate": Metric("requests per second", "1/s"),
        "latency": Metric("latency", "ms"),
        "p99": Metric("latency p99", "ms"),
    },
    expected="lines such as “Requests per second: 8103.73 [#/sec] (mean)”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
