"""Outputs of Quantum ESPRESSO (`pw.x`, `cp.x`, `ph.x`): the time of each routine.

`h_psi : 1586.14s CPU 1600.21s WALL ( 14 calls)` is the line of a routine. The wall-clock time is read, or the
CPU time of old versions. The line of the whole program, `PWSCF : 2h 2m CPU 2h 9m WALL`, has no calls.
`Program PWSCF v.7.2 starts` begins a run; processes, threads and atoms are parameters.
"""

from ingest.formats.printout import BELOW, COUNT, Line, Metric, Printout, Then

NAME, TITLE = "quantum-espresso", "Quantum ESPRESSO output"
CLOCK = r"(?:\d{1,4} ?d ?)?(?:\d{1,5} ?h ?)?(?:\d{1,5} ?m ?)?(?:\d{1,9}\.\d{1,4} ?s)?"
CALLS = rf"\(\s*(?P<calls>{COUNT}) calls?(?:,.{{0,40}})?\)"
ROUTINE = r"(?P<kernel>[a-z][\w:.*+-]{0,30})\s*:\s+"
PROGRAM = r"[A-Z][\w.-]{0,20}\s*:\s+"
PRINTOUT = Printout(
    NAME,
    begins=r"Program (?:PWSCF|CP|PHONON|NEB|[A-Z]\w{1,20}) +v\.",
    lines=(
        Line(r"Program [A-Z][\w.-]{1,20} +v\..* starts .*", Then.BEGIN, sets={"threads": 1.0}),
        Line(rf"Parallel version \(MPI\), running on\s+(?P<processes>{COUNT}) processors?"),
        Line(r"Serial (?:multi-threaded )?version.*", sets={"processes": 1.0}),
        Line(rf"Number of processors in use:\s+(?P<processes>{COUNT})"),
        Line(rf"Number of MPI processes:\s+(?P<processes>{COUNT})"),
        Line(rf"Threads/MPI process:\s+(?P<threads>{COUNT})"),
        Line(rf"number of atoms/cell\s+=\s+(?P<atoms>{COUNT})"),
        Line(rf"{ROUTINE}{CLOCK}\s*CPU\s+(?P<time>{CLOCK})\s*WALL\s+{CALLS}", kernel=BELOW),
        Line(rf"{ROUTINE}(?P<cpu>{CLOCK})\s*CPU\s+{CALLS}", kernel=BELOW),
        Line(rf"{PROGRAM}{CLOCK}\s*CPU(?: time,)?\s+(?P<time>{CLOCK})\s*(?i:WALL)(?: time)?"),
    ),
    metrics={"time": Metric("time", "s"), "cpu": Metric("CPU time", "s"), "calls": Metric("calls")},
    expected="the times at the end of a finished run: “PWSCF : 1m12.34s CPU 1m15.02s WALL”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
