"""Results of IO500, which measures file systems by IOR, mdtest and find.

`[RESULT] BW phase 1 ior_easy_write 2.135 GB/s : time 340.90 seconds` is the bandwidth or rate, and the time,
of a phase, which is a kernel. Processes and nodes are parameters. Invalid results are left out.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "io500", "IO500 results"
PHASE = r"\[RESULT\]\s+(?:(?:BW|IOPS)\s+phase\s+\d{1,3}\s+)?(?P<kernel>[\w-]{1,80})"
TIME = rf"\s*:\s+time\s+(?P<time>{NUMBER})\s+seconds"
PRINTOUT = Printout(
    NAME,
    begins=r"\[RESULT\]\s+(?:(?:BW|IOPS)\s+phase\s|[a-z]+-\S+\s+[\d.]+ (?:GiB/s|kIOPS))",
    lines=(
        Line(r"IO500 version .*", Then.BEGIN),
        Line(rf"NODES=(?P<nodes>{COUNT})", Then.RESUME),
        Line(rf"NPROC=(?P<processes>{COUNT})", Then.RESUME),
        Line(rf"{PHASE}\s+(?P<GB>{NUMBER})\s+GB/s{TIME}", Then.RESUME),
        Line(rf"{PHASE}\s+(?P<GiB>{NUMBER})\s+GiB/s{TIME}", Then.RESUME),
        Line(rf"{PHASE}\s+(?P<rate>{NUMBER})\s+(?:kiops|kIOPS){TIME}", Then.RESUME),
        Line(r"\[SCORE\s*\].*", Then.END),
    ),
    metrics={
        "GB": Metric("bandwidth", "GB/s"),
        "GiB": Metric("bandwidth", "GB/s", 2**30 / 1e9),
        "rate": Metric("rate", "1/s", 1000.0),
        "time": Metric("time", "s"),
    },
    expected="lines such as “[RESULT]  ior-easy-write  2.135 GiB/s : time 340.9 seconds”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
