"""Logs of GROMACS (`md.log`): the time of a run, its performance, and its activities.

Below `R E A L C Y C L E A N D T I M E A C C O U N T I N G`, each activity has a row: `Force 40 2 16000 36.866
7061.839 40.8`. Only its wall-clock time is read. `Time: 7221.614 90.270 8000.0` and `Performance: 76.570
0.313` follow. `On 40 MPI ranks, each using 2 OpenMP threads` names the parameters; ranks of PP and PME are
added up.
"""

from ingest.formats.printout import BELOW, COUNT, Line, Metric, Printout, Then

NAME, TITLE = "gromacs", "GROMACS log"
NUMBER = r"[0-9.]{1,20}"
PRINTOUT = Printout(
    NAME,
    begins=r"[ ]*:-\) GROMACS|GROMACS: +gmx|Log file opened on .*\n(?:.*\n){1,40}?.*GROMACS",
    lines=(
        Line(r"R E A L +C Y C L E +A N D +T I M E.*", Then.BEGIN),
        Line(
            rf"[Oo]n (?P<processes>{COUNT}) MPI ranks?(?: doing (?:PP|PME))?"
            rf"(?:, each using (?P<threads>{COUNT}) OpenMP threads?)?.*",
            sets={"processes": 1.0, "threads": 1.0},
            adds=frozenset({"processes"}),
        ),
        Line(rf"On (?P<threads>{COUNT}) OpenMP threads?.*", sets={"processes": 1.0}),
        Line(
            rf"(?P<kernel>[A-Z][\w .+/&-]{{0,30}}?)\s+{COUNT}\s+{COUNT}\s+{COUNT}"
            r"\s+(?P<time>\d{1,12}\.\d{1,6})(?:\s+\S{1,20}){1,3}",
            kernel=BELOW,
        ),
        Line(rf"Time:\s+{NUMBER}\s+(?P<time>{NUMBER})\s+{NUMBER}"),
        Line(rf"Performance:\s+(?P<performance>{NUMBER})\s+{NUMBER}"),
    ),
    metrics={"time": Metric("time", "s"), "performance": Metric("performance", "ns/day")},
    expected="the time of a finished run, which GROMACS writes at the end of its log",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
