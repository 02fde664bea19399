"""Outputs of the HTTP benchmarks wrk and wrk2.

`Running 30s test @ http://localhost:8080/` begins a run, whose path is the kernel. `10 threads and 200
connections` are its parameters. The mean latency, its 99th percentile if it is printed, and the requests per
second are read.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "wrk", "wrk output"
UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3}
"""Unit of a latency → milliseconds."""
PRINTOUT = Printout(
    NAME,
    begins=r"Running \d+[smh] test @ ",
    lines=(
        Line(r"Running \d+[smh] test @ \w+://[^/\s]+(?P<kernel>/\S{0,300})?", Then.BEGIN),
        Line(rf"(?P<threads>{COUNT}) threads and (?P<connections>{COUNT}) connections"),
        *(Line(rf"Latency\s+(?P<latency_{unit}>[\d.]{{1,20}}){unit}\s.*") for unit in UNITS),
        *(Line(rf"99(?:\.0+)?%\s+(?P<p99_{unit}>[\d.]{{1,20}}){unit}") for unit in UNITS),
        Line(rf"Requests/sec:\s+(?P<rate>{NUMBER})"),
    ),
    metrics={
        "rate": Metric("requests per second", "1/s"),
        **{f"latency_{unit}": Metric("latency", "ms", factor) for unit, factor in UNITS.items()},
        **{f"p99_{unit}": Metric("latency p99", "ms", factor) for unit, factor in UNITS.items()},
    },
    expected="lines such as “Latency 16.08ms …” and “Requests/sec: 83974.71”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
