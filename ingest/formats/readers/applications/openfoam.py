"""Logs of OpenFOAM's solvers and tools: the time of a run over its number of processes.

`ExecutionTime = 58.84 s ClockTime = 60 s` follows each step, and the last one has the time of the run. `Exec
: simpleFoam -parallel` begins a run and names its kernel; `nProcs : 1280` follows.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "openfoam", "OpenFOAM log"
PRINTOUT = Printout(
    NAME,
    begins=r"Exec\s*:\s*\S{1,200}.*\n(?:.*\n){1,12}?\s*nProcs\s*:",
    lines=(
        Line(r"Exec\s*:\s*(?:\S{0,200}/)?(?P<kernel>[\w.+-]{1,80})(?:\s.*)?", Then.BEGIN, kernel=BELOW),
        Line(rf"nProcs\s*:\s*(?P<processes>{COUNT})"),
        Line(rf"ExecutionTime = (?P<time>{NUMBER}) s(?:\s+ClockTime = (?P<clock>{NUMBER}) s)?"),
    ),
    metrics={"time": Metric("time", "s"), "clock": Metric("clock time", "s")},
    expected="a finished step: “ExecutionTime = 58.84 s  ClockTime = 60 s”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
