"""Outputs of WRF (`rsl.error.0000`, `rsl.out.0000`): the time of all steps of a domain.

`Timing for main: time 2019-11-26_12:00:20 on domain 1: 1.27 elapsed seconds` is the line of a step, and
`Timing for Writing wrfout_d01 for domain 1: 0.62 elapsed seconds` that of an output. The times of each kind
are added up. `Ntasks in X 8 , ntasks in Y 4` begins a run of 32 processes.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "wrf", "WRF output (rsl)"


def _processes(parameters: dict[str, float]) -> None:
    parameters["processes"] = parameters.pop("x") * parameters.pop("y")


TIMED = rf":\s+(?P<time>{NUMBER}) elapsed seconds.*"
ADDED = frozenset({"time"})
PRINTOUT = Printout(
    NAME,
    begins=r"Ntasks in X\s+\d",
    lines=(
        Line(
            rf"Ntasks in X\s+(?P<x>{COUNT})\s*,\s*ntasks in Y\s+(?P<y>{COUNT})",
            Then.BEGIN,
            derives=_processes,
        ),
        Line(
            rf"Timing for main(?: \(dt=.{{0,20}}\))?: time \S+ on (?P<kernel>domain\s+\d+){TIMED}",
            kernel=f"{BELOW}main ",
            adds=ADDED,
        ),
        Line(rf"Timing for (?P<kernel>[A-Z]\w+) .{{0,200}}?{TIMED}", kernel=BELOW, adds=ADDED),
    ),
    metrics={"time": Metric("time", "s")},
    expected="the steps of a run: “Timing for main: time … on domain 1: 1.27 elapsed seconds”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
