"""Tables of the Kokkos tools' simple kernel timer (`kp_reader`).

`- fill_crs` names a kernel or region, and `(ParFor) 0.000056 1 0.000056 35.9 0.015` below it gives its total
time, calls, time of a call, and shares. The number of devices and the problem's size are not printed: the
point is in the files' names, or sent with the file.
"""

from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "kokkos-timer", "Kokkos kernel timer"
PRINTOUT = Printout(
    NAME,
    begins=r"\(Type\)\s+Total Time, Call Count, Avg\. Time per Call",
    lines=(
        Line(r"- (?P<kernel>.{1,900})", Then.ABOVE),
        Line(
            rf"\((?:ParFor|ParRed|ParScan|REGION|\w{{1,20}})\)\s+(?P<time>{NUMBER})\s+(?P<calls>{COUNT})"
            rf"(?:\s+{NUMBER}){{1,4}}",
            Then.BEGIN,
        ),
        Line(
            rf"Total Execution Time \(incl\.[^)]*\):\s+(?P<time>{NUMBER}) seconds",
            Then.BEGIN,
            kernel=DEFAULT_KERNEL,
        ),
    ),
    metrics={"time": Metric("time", "s"), "calls": Metric("calls")},
    expected="a line such as “(ParFor) 0.000056 1 0.000056 35.9 0.015” below each kernel's name",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
