"""Outputs of perftest, which measures RDMA: `ib_write_bw`, `ib_send_lat` and others.

A title such as `RDMA_Write BW Test` is the kernel. Rows below `#bytes #iterations BW peak[MB/sec] …` or
`#bytes #iterations t_min[usec] …` hold average bandwidth, message rate and typical latency. The message size
in bytes and the number of queue pairs are parameters. The first header decides the units of all rows.
"""

from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.files.source import Source
from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "perftest", "perftest output (ib_write_bw)"
SIZE = rf"(?P<bytes>[1-9]\d{{0,17}})\s+{COUNT}"
BANDWIDTH = rf"{SIZE}\s+{NUMBER}\s+(?P<bandwidth>{NUMBER})\s+(?P<rate>{NUMBER})(?:\s+{NUMBER})?"
LATENCY = rf"{SIZE}\s+{NUMBER}\s+{NUMBER}\s+(?P<latency>{NUMBER})(?:\s+{NUMBER}){{0,4}}"
PRINTOUT = Printout(
    NAME,
    begins=r"#bytes\s+#iterations\s",
    lines=(
        Line(r"(?P<kernel>[\w ]{1,60}\S) Test", Then.ABOVE),
        Line(rf"Number of qps\s*:\s*(?P<qps>{COUNT})\b.*", Then.ABOVE),
        Line(BANDWIDTH, Then.BEGIN),
    ),
    metrics={
        "bandwidth": Metric("bandwidth", "MB/s"),
        "rate": Metric("message rate", "1/s", 1e6),
        "latency": Metric("latency", "us"),
    },
    expected="rows below “#bytes  #iterations  …”",
)
recognises = PRINTOUT.recognises


def read(source: Source) -> Campaign:
    """Read the rows, with the names and units in the first header."""
    if "t_typical[" in source.head:
        return replace(PRINTOUT, lines=(*PRINTOUT.lines[:-1], Line(LATENCY, Then.BEGIN))).read(source)
    if "[Gb/sec]" in source.head:
        gigabits = {"bandwidth": Metric("bandwidth", "Gb/s")}
        return replace(PRINTOUT, metrics={**PRINTOUT.metrics, **gigabits}).read(source)
    return PRINTOUT.read(source)
