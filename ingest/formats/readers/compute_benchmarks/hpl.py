"""Outputs of High Performance Linpack (HPL) and of programs with the same table, such as rocHPL.

`WR11C2R4  29184  192  2  2  123.45  1.3430e+02` below `T/V  N  NB  P  Q  Time  Gflops` is a result: the
variant of the algorithm is the kernel, and N, NB, P and Q are parameters. A result whose residual failed its
check is left out.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "hpl", "HPL output"
PRINTOUT = Printout(
    NAME,
    begins=r"HPLinpack \d(?!.*input file)|T/V\s+N\s+NB\s+P\s+Q\s+Time\s+Gflops",
    lines=(
        Line(
            rf"(?P<kernel>W[RC]\d[A-Z0-9]{{0,18}})\s+(?P<N>{COUNT})\s+(?P<NB>{COUNT})\s+(?P<P>{COUNT})"
            rf"\s+(?P<Q>{COUNT})\s+(?P<time>{NUMBER})\s+(?P<rate>{NUMBER})(?:\s.{{0,200}})?",
            Then.BEGIN,
        ),
        Line(r"\|\|Ax-b\|\|.{0,200}\.\s*FAILED.*", Then.DROP),
    ),
    metrics={"time": Metric("Time", "s"), "rate": Metric("Gflops", "GFLOPS")},
    expected="at least one result that passed its check: “WR11C2R4 29184 192 2 2 123.45 1.3430e+02”",
    check="HPL's check",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
