"""Outputs of pgbench, the benchmark of PostgreSQL.

`tps = 2431.77 (without initial connection time)` and `latency average = 4.112 ms` are of one run over the
numbers of clients and threads and the scaling factor. Old versions print the rate twice; the one without the
time of connecting is read.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "pgbench", "pgbench output"
PRINTOUT = Printout(
    NAME,
    begins=r"transaction type: ",
    lines=(
        Line(r"transaction type: .*", Then.BEGIN),
        Line(rf"scaling factor: (?P<scale>{COUNT})"),
        Line(rf"number of clients: (?P<clients>{COUNT})"),
        Line(rf"number of threads: (?P<threads>{COUNT})"),
        Line(rf"latency average = (?P<latency>{NUMBER}) ms"),
        Line(rf"tps = (?P<rate>{NUMBER}) \((?:without initial connection time|excluding connections .*)\)"),
    ),
    metrics={
        "rate": Metric("transactions per second", "1/s"),
        "latency": Metric("latency", "ms"),
    },
    expected="lines such as “tps = 2431.77 (without initial connection time)”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
