"""Logs of LAMMPS and SPARTA: the time of each run, and how its sections share it.

`Loop time of 39.1 on 128 procs for 20000 steps with 256000 atoms` begins the report of a run. `99.5% CPU use
with 32 MPI tasks x 4 OpenMP threads` may follow, and sections: `Pair | 8.8 | 14.4 | 17.6 | 43.1 | 37.03`. The
second number, the mean time over processes, is read. SPARTA's final number of particles is a metric.
"""

from ingest.formats.printout import BELOW, COUNT, Line, Metric, Printout, Then

NAME, TITLE = "lammps", "LAMMPS and SPARTA logs"
NUMBER = r"[0-9.e+-]{1,20}"
LOOP = rf"Loop time of (?P<time>{NUMBER}) on (?P<processes>{COUNT}) procs(?: \([^()]{{0,60}}\))? for"
USE = rf"[0-9.]{{1,8}}% CPU use with (?P<processes>{COUNT}) MPI tasks x"
PRINTOUT = Printout(
    NAME,
    begins=rf"(?:LAMMPS|SPARTA) \(|Loop time of {NUMBER} on ",
    lines=(
        Line(rf"{LOOP} 0 steps.*", Then.END),
        Line(rf"{LOOP} (?P<steps>{COUNT}) steps with (?P<atoms>{COUNT}) atoms.*", Then.BEGIN),
        Line(rf"{LOOP} (?P<steps>{COUNT}) steps with (?P<particles>{COUNT}) particles.*", Then.BEGIN),
        Line(rf"{USE} (?P<threads>{COUNT}) OpenMP threads.*"),
        Line(rf"{USE} no OpenMP threads.*", sets={"threads": 1.0}),
        Line(rf"Performance: .{{0,200}}?(?P<rate>{NUMBER}) timesteps/s.*"),
        Line(
            rf"(?P<kernel>[A-Z][\w ()/-]{{0,30}}?) *\|[^|]*\| *(?P<time>{NUMBER}) *\|[^|]*\|[^|]*\|[^|]*",
            kernel=BELOW,
        ),
    ),
    metrics={
        "time": Metric("time", "s"),
        "particles": Metric("particles"),
        "rate": Metric("timesteps/s"),
    },
    expected="a finished run: “Loop time of … on … procs for … steps with …”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
