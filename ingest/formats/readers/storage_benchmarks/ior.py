"""Outputs of IOR, which measures file systems.

Rows such as `write 580.00 580.01 0.006896 10485760 1024.00 0.000648 70.62 0.000842 70.62 0` stand below
`access bw(MiB/s) IOPS Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter`. The access is
the kernel. Nodes, tasks, and the sizes of blocks and transfers in KiB are parameters. Versions before 4.0
print no IOPS and no latency.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "ior", "IOR output"
UNITS = {"bandwidth": "MiB/s", "IOPS": "1/s"} | dict.fromkeys(
    ("latency", "open", "transfer", "close", "time"), "s"
)
NEWER = "bandwidth IOPS latency block_KiB transfer_KiB open transfer close time"
OLDER = "bandwidth block_KiB transfer_KiB open transfer close time"


def _row(columns: str) -> Line:
    """Return the row of a table with these columns and the number of the iteration."""
    cells = (rf"\s+(?P<{name}>{NUMBER}|NA|EXCEL)" for name in columns.split())
    return Line(rf"(?P<kernel>write|read|remove){''.join(cells)}(?:\s+{COUNT})?", Then.BEGIN)


def _nodes(parameters: dict[str, float]) -> None:
    parameters["nodes"] = parameters["tasks"] / max(parameters.pop("per_node"), 1.0)


PRINTOUT = Printout(
    NAME,
    begins=r"IOR-\d|access\s+bw\(MiB/s\)",
    lines=(
        Line(rf"nodes\s*:\s*(?P<nodes>{COUNT})", Then.ABOVE),
        Line(rf"tasks\s*:\s*(?P<tasks>{COUNT})", Then.ABOVE),
        Line(
            rf"clients\s*=\s*(?P<tasks>{COUNT}) \((?P<per_node>{COUNT}) per node\)",
            Then.ABOVE,
            derives=_nodes,
        ),
        _row(NEWER),
        _row(OLDER),
    ),
    metrics={name: Metric(name, unit) for name, unit in UNITS.items()},
    expected="rows below “access  bw(MiB/s)  …”; with -v IOR prints them for each iteration",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
