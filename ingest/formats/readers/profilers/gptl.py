"""Statistics of the timing library GPTL, as E3SM and CESM write them (`model_timing_stats`).

`"CPL:RUN" - 1536 1536 1.5e+03 3.6e+06 2346.6 ( 237 0) 2344.5 ( 61 0)` is the line of a timer: whether it was
active, processes, threads, calls, and sum, maximum and minimum of its time over threads. The maximum is read,
because other threads wait for the slowest one. `***** GLOBAL STATISTICS ( 1536 MPI TASKS)` names the
processes.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "gptl", "GPTL timings (E3SM, CESM)"
THREAD = rf"\(\s*{COUNT}\s+{COUNT}\s*\)"
PRINTOUT = Printout(
    NAME,
    begins=r"\*{5} GLOBAL STATISTICS \(",
    lines=(
        Line(rf"\*{{5}} GLOBAL STATISTICS \(\s*(?P<processes>{COUNT}) MPI TASKS\s*\).*", Then.BEGIN),
        Line(
            rf"\"?(?P<kernel>[^\s\"][^\"]{{0,300}}?)\"?\s+[-y]\s+{COUNT}\s+{COUNT}\s+(?P<calls>{NUMBER})\s+"
            rf"(?P<total>{NUMBER})\s+(?P<time>{NUMBER})\s+{THREAD}\s+{NUMBER}\s+{THREAD}",
        ),
    ),
    metrics={
        "time": Metric("time", "s"),
        "total": Metric("total time", "s"),
        "calls": Metric("calls"),
    },
    expected="a line for each timer below “***** GLOBAL STATISTICS ( 64 MPI TASKS) *****”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
