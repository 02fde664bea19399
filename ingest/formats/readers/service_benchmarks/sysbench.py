"""Outputs of sysbench.

Below `Running the test with following options:` stand the number of threads and then the statistics of the
test: events or transactions per second, transfer rates, and the mean and 95th percentile of the latency.
Reports during the test are left out.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "sysbench", "sysbench output"
PRINTOUT = Printout(
    NAME,
    begins=r"sysbench \d[\d.]*\b",
    lines=(
        Line(r"Running the test with following options:", Then.BEGIN),
        Line(rf"Number of threads:\s*(?P<threads>{COUNT})"),
        Line(rf"events per second:\s*(?P<events>{NUMBER})"),
        Line(rf"transactions:\s*{COUNT}\s*\((?P<transactions>{NUMBER}) per sec\.\)"),
        Line(rf"queries:\s*{COUNT}\s*\((?P<queries>{NUMBER}) per sec\.\)"),
        Line(rf"Total operations:\s*{COUNT}\s*\(\s*(?P<operations>{NUMBER}) per second\)"),
        Line(rf"[\d.]+ MiB transferred \((?P<transferred>{NUMBER}) MiB/sec\)"),
        Line(rf"reads/s:\s*(?P<reads>{NUMBER})"),
        Line(rf"writes/s:\s*(?P<writes>{NUMBER})"),
        Line(rf"total time:\s*(?P<time>{NUMBER})s"),
        Line(rf"avg:\s*(?P<latency>{NUMBER})(?:ms)?"),
        Line(rf"(?:approx\.\s+)?95(?:th)? percentile:\s*(?P<p95>{NUMBER})(?:ms)?"),
    ),
    metrics={
        "events": Metric("events per second", "1/s"),
        "transactions": Metric("transactions per second", "1/s"),
        "queries": Metric("queries per second", "1/s"),
        "operations": Metric("operations per second", "1/s"),
        "transferred": Metric("transferred", "MiB/s"),
        "reads": Metric("reads per second", "1/s"),
        "writes": Metric("writes per second", "1/s"),
        "time": Metric("time", "s"),
        "latency": Metric("latency", "ms"),
        "p95": Metric("latency p95", "ms"),
    },
    expected="the statistics below “Running the test with following options:”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
