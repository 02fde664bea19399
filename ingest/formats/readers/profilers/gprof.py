"""Flat profiles of gprof: `6.25  1.80  0.12  400  0.30  0.45  solve` is the line of a function.

A function is a kernel, with its own time and its calls. Functions of equal name, such as static ones, are
added up. The point is sent with the file. Several profiles in a file are repetitions. The call graph is left
out.
"""

from ingest.formats.printout import Line, Metric, Printout, Then

NAME, TITLE = "gprof", "gprof flat profile"
NUMBER = r"\d{1,15}(?:\.\d{1,9})?"
PRINTOUT = Printout(
    NAME,
    begins="Flat profile:",
    lines=(
        Line("Flat profile:.*", Then.BEGIN),
        Line("(?:%         the percentage|Call graph|granularity:|index % time).*", Then.END),
        Line(
            rf"{NUMBER}\s+{NUMBER}\s+(?P<self>{NUMBER})(?:\s+(?P<calls>\d{{1,18}})\s+{NUMBER}\s+{NUMBER})?"
            r"\s+(?P<kernel>[A-Za-z_~<(*].{0,900})",
            adds=frozenset({"self", "calls"}),
        ),
    ),
    metrics={"self": Metric("self time", "s"), "calls": Metric("calls")},
    expected="a line for each function below “% time  cumulative seconds  self seconds  calls”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
