"""Outputs of the Yahoo! Cloud Serving Benchmark (YCSB) and of go-ycsb with the same lines.

`[OVERALL], Throughput(ops/sec), 1543.2` is of the whole run, and `[READ], AverageLatency(us), 6234` of one
kind of operation, which is a kernel. The number of threads is in the line of the command. Times of Java's
garbage collector, and extremes, are left out.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "ycsb", "YCSB output"
OPERATION = r"\[(?P<kernel>(?:Intended-)?(?:READ|UPDATE|INSERT|SCAN|DELETE|READ-MODIFY-WRITE))\],"
PRINTOUT = Printout(
    NAME,
    begins=r"\[OVERALL\], (?:RunTime|Throughput)\(",
    lines=(
        Line(
            rf"Command line:.*?(?:-threads |threadcount=)(?P<threads>{COUNT})\b.*",
            Then.ABOVE,
        ),
        Line(rf"\[OVERALL\], RunTime\(ms\), (?P<time>{NUMBER})", Then.BEGIN),
        Line(rf"\[OVERALL\], Throughput\(ops/sec\), (?P<rate>{NUMBER})", Then.RESUME),
        Line(rf"{OPERATION} AverageLatency\(us\), (?P<latency>{NUMBER})", kernel=BELOW),
        Line(rf"{OPERATION} 95thPercentileLatency\(us\), (?P<p95>{NUMBER})", kernel=BELOW),
        Line(rf"{OPERATION} 99thPercentileLatency\(us\), (?P<p99>{NUMBER})", kernel=BELOW),
    ),
    metrics={
        "time": Metric("time", "s", 1e-3),
        "rate": Metric("throughput", "1/s"),
        "latency": Metric("latency", "us"),
        "p95": Metric("latency p95", "us"),
        "p99": Metric("latency p99", "us"),
    },
    expected="lines such as “[OVERALL], Throughput(ops/sec), 1543.2”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
