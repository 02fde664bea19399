"""Summaries of the MPI profiler IPM, which it prints at the end of a job's output.

`##IPMv2.0.6####` begins a summary. `mpi_tasks : 40 on 1 nodes` and `wallclock : 5.35` are of the whole
program; `MPI_Alltoall 26.94 400 12.65` below `[time] [count] <%wall>` are a function's seconds and calls in
all processes, and its share.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "ipm", "IPM summaries"
PRINTOUT = Printout(
    NAME,
    begins=r"##IPM(?:v[\d.]+)?#",
    lines=(
        Line(r"##IPM(?:v[\d.]+)?#.*", Then.BEGIN),
        Line(rf"# stop\s+:.*\bwallclock\s*:\s*(?P<time>{NUMBER})"),
        Line(rf"# mpi_tasks\s*:\s*(?P<processes>{COUNT}) on (?P<nodes>{COUNT}) nodes.*"),
        Line(
            rf"# (?P<kernel>MPI_\w{{1,60}})\s+(?P<total>{NUMBER})\s+(?P<calls>{COUNT})\s+{NUMBER}",
            kernel=BELOW,
        ),
        Line(r"#{40,}", Then.END),
    ),
    metrics={
        "time": Metric("time", "s"),
        "total": Metric("total time", "s"),
        "calls": Metric("calls"),
    },
    expected="a summary with “wallclock : 5.35” and a line for each MPI function",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
