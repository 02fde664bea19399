"""OUTCAR of VASP: the time of the run, and of its routines.

`LOOP+:  cpu time 1.5: real time 1.6` is one call of a routine; all calls are added up. `Elapsed time (sec)`
and `Maximum memory used (kb)` stand at the end. `running on 512 total cores`, or `running on 128 mpi-ranks,
with 4 threads/rank`, and the number of ions are parameters.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "vasp", "VASP OUTCAR"
PRINTOUT = Printout(
    NAME,
    begins=r"vasp\.\d",
    lines=(
        Line(r"vasp\.\d.*", Then.BEGIN, sets={"threads": 1.0}),
        Line(rf"running on\s+(?P<processes>{COUNT}) total cores.*"),
        Line(rf"running\s+(?P<processes>{COUNT}) mpi-ranks, with\s+(?P<threads>{COUNT}) threads/rank.*"),
        Line(rf"running on\s+(?P<processes>{COUNT}) mpi-ranks, with\s+(?P<threads>{COUNT}) threads/rank.*"),
        Line(rf".*number of ions\s+NIONS =\s+(?P<ions>{COUNT})"),
        Line(
            rf"(?P<kernel>[A-Z][A-Z0-9_+]{{1,20}}):\s+cpu time\s+{NUMBER}:\s+real time\s+(?P<time>{NUMBER})",
            kernel=BELOW,
            adds=frozenset({"time"}),
        ),
        Line(rf"Elapsed time \(sec\):\s+(?P<time>{NUMBER})"),
        Line(rf"Total CPU time used \(sec\):\s+(?P<cpu>{NUMBER})"),
        Line(rf"Maximum memory used \(kb\):\s+(?P<memory>{NUMBER})"),
    ),
    metrics={
        "time": Metric("time", "s"),
        "cpu": Metric("CPU time", "s"),
        "memory": Metric("memory", "kB"),
    },
    expected="the accounting at the end of a finished run: “Elapsed time (sec): 104.2”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
