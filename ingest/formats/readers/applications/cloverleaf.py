"""Outputs of the mini-applications CloverLeaf and TeaLeaf.

`Wall clock 8.27` follows each step. The one after the check of the result, or after `Calculation complete`,
is the time of the run. Processes, threads and the cells of the grid are parameters.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "cloverleaf", "CloverLeaf and TeaLeaf outputs"
PRINTOUT = Printout(
    NAME,
    begins=r"(?:Clover|Tea) Version\s+\d",
    lines=(
        Line(r"(?:Clover|Tea) Version\s.*", Then.END),
        Line(rf"Task Count:?\s+(?P<processes>{COUNT})", Then.ABOVE),
        Line(rf"Thread Count:?\s+(?P<threads>{COUNT})", Then.ABOVE),
        Line(rf"x_cells[= ]\s*(?P<x_cells>{COUNT})", Then.ABOVE),
        Line(rf"y_cells[= ]\s*(?P<y_cells>{COUNT})", Then.ABOVE),
        Line(r"This test is considered PASSED|Calculation complete", Then.BEGIN),
        Line(rf"Wall clock\s+(?P<time>{NUMBER})"),
    ),
    metrics={"time": Metric("time", "s")},
    expected="“Wall clock 8.27” behind “Calculation complete”, as a finished run prints it",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
