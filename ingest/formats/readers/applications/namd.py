"""Logs of NAMD: the time of a run, and its benchmark times.

`WallClock: 104.2 CPUTime: 103.9 Memory: 512.0 MB` ends a run. Of `Info: Benchmark time: 64 CPUs 0.012 s/step
0.14 days/ns`, the last one is read. `Info: Running on 64 processors` begins a run, and `Info: 92224 ATOMS`
names its size.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "namd", "NAMD log"
PRINTOUT = Printout(
    NAME,
    begins=r"(?:Charm\+\+.*\n(?:.*\n){0,40}?)?Info: NAMD ",
    lines=(
        Line(rf"Info: Running on (?P<processes>{COUNT}) processors.*", Then.BEGIN),
        Line(rf"Info: (?P<atoms>{COUNT}) ATOMS"),
        Line(rf"Info: Benchmark time: {COUNT} CPUs (?P<step>{NUMBER}) s/step.*"),
        Line(
            rf"WallClock:\s+(?P<time>{NUMBER})\s+CPUTime:\s+(?P<cpu>{NUMBER})"
            rf"\s+Memory:\s+(?P<memory>{NUMBER}) MB.*"
        ),
    ),
    metrics={
        "time": Metric("time", "s"),
        "cpu": Metric("CPU time", "s"),
        "step": Metric("time per step", "s/step"),
        "memory": Metric("memory", "MB"),
    },
    expected="the end of a finished run: “WallClock: 104.2  CPUTime: 103.9  Memory: 512.0 MB”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
