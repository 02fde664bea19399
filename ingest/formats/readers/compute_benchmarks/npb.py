"""Outputs of the NAS Parallel Benchmarks (NPB), also of their ports to other languages.

`CG Benchmark Completed.` begins a report of lines such as `Time in seconds = 12.34`. The benchmark is the
kernel. Its size (the product of its extents), processes and threads are parameters. Reports whose
verification failed are left out.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "npb", "NAS Parallel Benchmarks"
PRINTOUT = Printout(
    NAME,
    begins=r"NAS Parallel Benchmarks|\w{2} Benchmark Completed\b",
    lines=(
        Line(r"(?P<kernel>\w{2}(?:-MZ)?) (?i:Benchmark Completed).*", Then.BEGIN),
        Line(r"Verification\s*=\s*.{0,40}(?i:UNSUCCESS).*", Then.DROP),
        Line(r"Size\s*=\s*(?P<size>\d{1,15}(?:\s*x\s*\d{1,15})*)"),
        Line(rf"Total processes\s*=\s*(?P<processes>{COUNT})"),
        Line(rf"(?:Total threads|Num threads|Threads)\s*=\s*(?P<threads>{COUNT})"),
        Line(rf"Time in seconds\s*=\s*(?P<time>{NUMBER})"),
        Line(rf"Mop/s total\s*=\s*(?P<rate>{NUMBER})"),
    ),
    metrics={"time": Metric("time", "s"), "rate": Metric("rate", "Mop/s")},
    expected="a report with “Time in seconds = …” whose verification was successful",
    check="their verification",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
