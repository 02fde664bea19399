"""Outputs of likwid-bench, LIKWID's microbenchmarks.

The test, such as triad_avx, is the kernel; threads and the size of all vectors are parameters. By default,
likwid-bench chooses the number of iterations such that a run takes a second. Its time, and everything that is
counted over all iterations, therefore says nothing, and is left out.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "likwid-bench", "likwid-bench output"
PRINTOUT = Printout(
    NAME,
    begins="LIKWID MICRO BENCHMARK",
    lines=(
        Line(r"Test: (?P<kernel>\S{1,80})", Then.BEGIN),
        Line(rf"Using (?P<threads>{COUNT}) threads"),
        Line(rf"Size \(Byte\):\s*(?P<size_B>{COUNT})"),
        Line(rf"MFlops/s:\s*(?P<rate>{NUMBER})"),
        Line(rf"MByte/s:\s*(?P<bandwidth>{NUMBER})"),
        Line(rf"Cycles per update:\s*(?P<cycles>{NUMBER})"),
    ),
    metrics={
        "rate": Metric("rate", "MFLOP/s"),
        "bandwidth": Metric("bandwidth", "MB/s"),
        "cycles": Metric("cycles per update"),
    },
    expected="the lines “Test: …” and “MByte/s: …” of a finished test",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
