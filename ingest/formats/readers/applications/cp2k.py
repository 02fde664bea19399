"""Outputs of CP2K: the time of each subroutine, from the table `T I M I N G`.

`qs_forces 11 3.9 0.001 0.002 19.715 19.716` is the line of a subroutine: calls, depth of the call stack, and
its own and its total time, each as mean and maximum over processes. The mean of the total time is read. The
line of CP2K is the whole program. `GLOBAL| Total number of message passing processes` begins a run.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "cp2k", "CP2K output"
TIMES = rf"\s+(?P<calls>{COUNT})\s+{NUMBER}\s+(?P<self>{NUMBER})\s+{NUMBER}\s+(?P<time>{NUMBER})\s+{NUMBER}"
PRINTOUT = Printout(
    NAME,
    begins=r"(?:DBCSR|CP2K|GLOBAL)\|",
    lines=(
        Line(
            rf"GLOBAL\| Total number of message passing processes\s+(?P<processes>{COUNT})",
            Then.BEGIN,
            sets={"threads": 1.0},
        ),
        Line(rf"GLOBAL\| Number of threads for this process\s+(?P<threads>{COUNT})"),
        Line(rf"CP2K{TIMES}"),
        Line(rf"(?P<kernel>[A-Za-z]\S{{0,80}}){TIMES}", kernel=BELOW),
    ),
    metrics={"time": Metric("time", "s"), "self": Metric("self time", "s"), "calls": Metric("calls")},
    expected="the table “T I M I N G”, which CP2K prints at the end of a finished run",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
