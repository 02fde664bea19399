"""Outputs of HPL-MxP, the mixed-precision variant of Linpack, as NVIDIA's and AMD's versions print them.

A result follows the residual that passed the check: `N = 258048, NB = 1024, NPROW = 4, NPCOL = 2`, and
below it `GFLOPS = 4.3468e+05`, of the whole benchmark, and `LU GFLOPS = 2.4940e+06`, without the refinement.
Results whose residual failed are not read.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "hpl-mxp", "HPL-MxP output"
RESIDUAL = r"\|\|Ax-b\|\|_oo\s*/.{0,200}=\s*\S{1,30}\s*\.*\s*"
PRINTOUT = Printout(
    NAME,
    begins=r"\*+ HPL[ -](?:MxP|AI) Result|HPL-MxP",
    lines=(
        Line(RESIDUAL + "PASSED", Then.BEGIN),
        Line(RESIDUAL + "FAILED", Then.END),
        Line(
            rf"N = (?P<N>{COUNT}), NB = (?P<NB>{COUNT}), NPROW = (?P<P>{COUNT}), NPCOL = (?P<Q>{COUNT})"
            rf"(?:, SLOPPY-TYPE = (?P<sloppy_type>{COUNT}))?"
        ),
        Line(rf"GFLOPS = (?P<rate>{NUMBER}),.*"),
        Line(rf"LU GFLOPS = (?P<rate>{NUMBER}),.*", kernel=f"{BELOW}LU"),
    ),
    metrics={"rate": Metric("rate", "GFLOPS")},
    expected="a residual that passed its check, and below it “N = …, NB = …” and “GFLOPS = …”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
