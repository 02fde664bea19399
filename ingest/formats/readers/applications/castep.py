"""Outputs of CASTEP: the time and the peak memory of a run.

`Total time = 589.06 s` follows the times of initialisation, calculation and finalisation. `Calculation
parallelised over 256 processes.` and `Each process may use up to 8 threads` name the parameters.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "castep", "CASTEP output"
PRINTOUT = Printout(
    NAME,
    begins=r".{0,80}\bCASTEP version \d|\|\s+CCC\s+AA\s+SSS\s+TTTTT\s+EEEEE\s+PPPP",
    lines=(
        Line(
            rf"Calculation parallelised over\s+(?P<processes>{COUNT}) (?:processes|nodes).*",
            Then.BEGIN,
            sets={"threads": 1.0},
        ),
        Line(r"Calculation not parallelised.*", Then.BEGIN, sets={"processes": 1.0, "threads": 1.0}),
        Line(rf"Each process may use up to\s+(?P<threads>{COUNT}) threads.*"),
        Line(
            rf"(?P<kernel>(?:Initial|Calcul|Final)(?:is|iz)?ation) time\s+=\s+(?P<time>{NUMBER}) s",
            kernel=BELOW,
        ),
        Line(rf"Total time\s+=\s+(?P<time>{NUMBER}) s"),
        Line(rf"Peak Memory Use\s+=\s+(?P<memory>{NUMBER}) kB"),
    ),
    metrics={"time": Metric("time", "s"), "memory": Metric("memory", "kB")},
    expected="the end of a finished run: “Total time = 589.06 s”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
