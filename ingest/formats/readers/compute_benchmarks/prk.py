"""Outputs of the Parallel Research Kernels (PRK) in any language.

Below `Parallel Research Kernels version 2.17` stand the program's name, which is the kernel, and its settings
in lines such as `Number of threads = 8`. `Rate (MB/s): 27243.0 Avg time (s): 0.117` is the result. A program
whose solution was wrong is left out.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "prk", "Parallel Research Kernels"
KERNELS = (
    r"transpose|stencil|STREAM|nstream|triad|pipeline|p2p|wavefront|HYPERPLANE|sparse|D?GEMM|matrix[ -]\w*"
    r"|multiplication|branching|random|reduction|synchronization|reference|PIC|particle|AMR|exchange"
)
TIMES = rf"[,\s]+Avg time \(s\):\s*(?P<time>{NUMBER}).{{0,200}}"
PRINTOUT = Printout(
    NAME,
    begins=r"Parallel Research Kernels\b",
    lines=(
        Line(r"Parallel Research Kernels\b.*", Then.END),
        Line(rf"(?P<kernel>[^=:]{{0,80}}\b(?i:{KERNELS})\b[^=:]{{0,80}})(?::.*)?", Then.BEGIN),
        Line(rf"(?:Number of )?threads\s*[=:]\s*(?P<threads>{COUNT})\b.*"),
        Line(rf"Number of (?:ranks|processes|images|PEs)\s*[=:]\s*(?P<processes>{COUNT})\b.*"),
        Line(rf"(?:Matrix|matrix) order\s*[=:]\s*(?P<order>{COUNT})\b.*"),
        Line(rf"(?:Vector|Array) length\s*[=:]\s*(?P<length>{COUNT})\b.*"),
        Line(rf"Grid sizes?\s*[=:]\s*(?P<grid>{COUNT})\b.*"),
        Line(rf"Radius of stencil\s*[=:]\s*(?P<radius>{COUNT})\b.*"),
        Line(r"ERROR:.*|.*(?i:does not validate).*", Then.DROP),
        Line(rf"Rate \(MB/s\):\s*(?P<bandwidth>{NUMBER}){TIMES}"),
        Line(rf"Rate \(MFlops?/s\):\s*(?P<rate>{NUMBER}){TIMES}"),
        Line(rf"Rate \([^()]{{1,30}}\):\s*{NUMBER}{TIMES}"),
    ),
    metrics={
        "time": Metric("time", "s"),
        "bandwidth": Metric("bandwidth", "MB/s"),
        "rate": Metric("rate", "MFLOPS"),
    },
    expected="a result such as “Rate (MB/s): 27243.0 Avg time (s): 0.117” whose solution was right",
    check="their check",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
