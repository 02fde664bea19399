"""Reports of the High Performance Conjugate Gradients benchmark (HPCG).

Lines such as `Benchmark Time Summary::SpMV=7.17` and `GFLOP/s Summary::Raw SpMV=1.65` are the time and the
rate of a part, which is a kernel. The total is the kernel main, with the official rating. Processes, threads
per process and the number of equations are parameters. `Total with …` adds a part of the overhead, and is
left out.
"""

from ingest.formats.printed.printout import BELOW, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "hpcg", "HPCG report"
PART = r"(?P<kernel>(?!Total)[^=]{1,80})"
PRINTOUT = Printout(
    NAME,
    begins=r"Machine Summary::|Benchmark Time Summary::|HPCG-NVIDIA \d",
    lines=(
        Line(rf"Machine Summary::Distributed Processes=(?P<processes>{NUMBER})", Then.BEGIN),
        Line(rf"Machine Summary::Threads per processes=(?P<threads>{NUMBER})", Then.RESUME),
        Line(rf"Linear System Information::Number of Equations=(?P<equations>{NUMBER})", Then.RESUME),
        Line(rf"Benchmark Time Summary::Total=(?P<time>{NUMBER})", Then.RESUME),
        Line(rf"GFLOP/s Summary::(?:Raw )?Total=(?P<rate>{NUMBER})", Then.RESUME),
        Line(rf"Benchmark Time Summary::{PART}=(?P<time>{NUMBER})", Then.RESUME, BELOW),
        Line(rf"GFLOP/s Summary::(?:Raw )?{PART}=(?P<rate>{NUMBER})", Then.RESUME, BELOW),
        Line(rf"Final Summary::HPCG result is VALID with a GFLOP/s rating of=(?P<rating>{NUMBER})"),
    ),
    metrics={
        "time": Metric("time", "s"),
        "rate": Metric("rate", "GFLOP/s"),
        "rating": Metric("rating", "GFLOP/s"),
    },
    expected="the lines “Benchmark Time Summary::…=…” of a finished run",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
