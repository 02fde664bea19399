"""Outputs of nccl-tests and rccl-tests, which measure collective operations of GPUs.

Rows such as `1048576 262144 float sum -1 46.41 22.59 22.59 0 49.27 21.28 21.28 0` hold a message size in
bytes, then time, algorithm bandwidth and bus bandwidth, out of place and in place. The number of GPUs is a
parameter. Newer versions name the test, which is the kernel.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "nccl-tests", "nccl-tests output"
UNITS = {"time": "us", "algbw": "GB/s", "busbw": "GB/s"}


def _results(prefix: str) -> str:
    """Return the pattern of the results in or out of place, with the number of wrong values."""
    return "".join(rf"\s+(?P<{prefix}{name}>{NUMBER})" for name in UNITS) + r"\s+(?:0|N/A|[\d.e+-]{1,12})"


PRINTOUT = Printout(
    NAME,
    begins=r"# nThread \d+ nGpus \d+ minBytes",
    lines=(
        Line(r"# Collective test starting: (?P<kernel>\w{1,60})", Then.ABOVE),
        Line(r"# nThread .*", Then.ABOVE, sets={"gpus": 0.0}),
        Line(r"#\s+Rank\s+\d+ .*", Then.ABOVE, sets={"gpus": 1.0}, adds=frozenset({"gpus"})),
        Line(
            rf"(?P<bytes>[1-9]\d{{0,17}})\s+{COUNT}\s+[a-z]\w{{1,20}}(?:\s+[a-z]\w{{1,20}})?(?:\s+-?\d{{1,9}})?"
            rf"{_results('')}{_results('in_place_')}",
            Then.BEGIN,
        ),
    ),
    metrics={
        f"{prefix}{name}": Metric(f"{prefix}{name}", unit)
        for prefix in ("", "in_place_")
        for name, unit in UNITS.items()
    },
    expected="rows below “#  size  count  type  redop  root  time  algbw  busbw”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
