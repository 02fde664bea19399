"""Reports of the High Performance Conjugate Gradients benchmark (HPCG).

Lines such as `Benchmark Time Summary::SpMV=7.17` and `GFLOP/s Summary::Raw SpMV=1.65` are the time and the
rate of a part, which is a kernel. The total is the kernel main, with the official rating. Processes, threads
per process and the number of equations are parameters. `Total with …` adds a part of the overhead, and is
left out.

NVIDIA's versions print the same in other lines: `SpMV  = 6189.2 GF (…)`, with the extents of the grid of
processes and of each process's part of the domain.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "hpcg", "HPCG report"
EXTENTS = r"\d{1,9}x\d{1,9}x\d{1,9}"
PART = r"(?P<kernel>(?!Total)[^=]{1,80})"


def _equations(parameters: dict[str, float]) -> None:
    """Replace the equations of each process, which the extents of its part give, by those of all."""
    parameters["equations"] = parameters.pop("local") * parameters.get("processes", 1.0)


PRINTOUT = Printout(
    NAME,
    begins=r"Machine Summary::|Benchmark Time Summary::|HPCG-NVIDIA \d|HPCG-CUDA-Benchmark",
    lines=(
        Line(rf"Machine Summary::Distributed Processes=(?P<processes>{NUMBER})", Then.BEGIN),
        Line(rf"Machine Summary::Threads per processes=(?P<threads>{NUMBER})", Then.RESUME),
        Line(rf"Linear System Information::Number of Equations=(?P<equations>{NUMBER})", Then.RESUME),
        Line(rf"Benchmark Time Summary::Total=(?P<time>{NUMBER})", Then.RESUME),
        Line(rf"GFLOP/s Summary::(?:Raw )?Total=(?P<rate>{NUMBER})", Then.RESUME),
        Line(rf"Benchmark Time Summary::{PART}=(?P<time>{NUMBER})", Then.RESUME, BELOW),
        Line(rf"GFLOP/s Summary::(?:Raw )?{PART}=(?P<rate>{NUMBER})", Then.RESUME, BELOW),
        Line(rf"start of application \((?P<threads>{COUNT}) OMP threads\).*", Then.BEGIN),
        Line(rf"(?P<processes>{EXTENTS}) process grid"),
        Line(rf"(?P<local>{EXTENTS}) local domain", derives=_equations),
        Line(rf"Total Time: (?P<time>{NUMBER}) sec"),
        Line(rf"(?P<kernel>SpMV|SymGS) {{1,9}}= (?P<rate>{NUMBER}) GF .*", kernel=BELOW),
        Line(rf"total = (?P<rate>{NUMBER}) GF .*"),
        Line(rf"final = (?P<rating>{NUMBER}) GF .*"),
        Line(rf"Final Summary::HPCG result is VALID with a GFLOP/s rating of=(?P<rating>{NUMBER})"),
    ),
    metrics={
        "time": Metric("time", "s"),
        "rate": Metric("rate", "GFLOP/s"),
        "rating": Metric("rating", "GFLOP/s"),
    },
    expected="the lines “Benchmark Time Summary::…=…” or “SpMV  = … GF” of a finished run",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
