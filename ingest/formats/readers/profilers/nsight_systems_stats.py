"""Summaries that Nsight Systems prints (`nsys stats`, `nsys profile --stats=true`).

`20.8  75,339,544  51,200  1,471.5  1,472.0  1,440  1,696  17.4  saxpy(int)` is the line of a GPU kernel, call
or range: its share, total time and number of executions, then times of single executions. Kernels are named
as in the exported database, `GPU kernels->saxpy(int)`. Names that the tool has shortened to the same text are
added up. The point is sent with the file. Sizes of copies are left out.
"""

from ingest.formats.printout import Line, Metric, Printout, Then

NAME, TITLE = "nsight-systems-stats", "Nsight Systems summaries"
NUMBER = r"[\d,]{1,25}(?:\.\d{1,9})?"
TITLES = {
    "GPU kernels": "CUDA (?:GPU )?Kernel (?:Summary|Statistics)",
    "memory copies": r"CUDA (?:GPU )?(?:MemOps Summary|Memory Operation Statistics) \(by time\)",
    "CUDA API": "CUDA API (?:Summary|Statistics)",
    "operating system": "(?:OS|Operating System) Runtime (?:Summary|API Statistics)",
    "MPI": "MPI Event Summary",
    "NVTX": "NVTX (?:Push/?Pop )?Range (?:Summary|Statistics)",
}
"""Kind of activity, as `nsight_systems` names it → pattern of the titles above its table."""
PRINTOUT = Printout(
    NAME,
    begins=r"Time ?\(%\)\s+Total Time(?: \(ns\))?\s+(?:Num Calls|Calls|Instances|Operations|Count)\s",
    lines=(
        *(
            Line(rf"(?:\*\* )?(?i:{title})(?: \(\w+\))?:?", Then.BEGIN, kernel=kind)
            for kind, title in TITLES.items()
        ),
        Line(r"(?:\*\* )?\S.* (?:Summary|Statistics)(?: \(.*\))?:?", Then.END),
        Line(
            rf"\d{{1,3}}\.\d{{1,3}}%?\s+(?P<time>{NUMBER})\s+(?P<calls>[\d,]{{1,20}})(?:\s+{NUMBER}){{2,5}}\s+"
            r"(?:(?:Push/?Pop|Start/?End)\s+)?(?P<kernel>[^\d\s].{0,900})",
            below=True,
            adds=frozenset({"time", "calls"}),
        ),
    ),
    metrics={"time": Metric("time", "ns"), "calls": Metric("calls")},
    expected="a line for each kernel or call below “Time (%)  Total Time (ns)  Instances”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
