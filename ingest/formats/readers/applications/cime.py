"""Timing profiles of CIME, which E3SM and CESM write for a run (`e3sm_timing.…`, `cesm_timing.…`).

`ATM Run Time: 3334.155 seconds 1667.078 seconds/mday 0.14 myears/wday` is the line of a component; TOT is the
whole model. `Model Throughput: 0.13 simulated_years/day` follows. Processors and tasks on a node are
parameters.
"""

from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "cime", "CIME timing profile (E3SM, CESM)"
PRINTOUT = Printout(
    NAME,
    begins=r"-{8,} TIMING PROFILE -{8,}",
    lines=(
        Line(r"-{8,} TIMING PROFILE -{8,}", Then.BEGIN),
        Line(rf"total pes active\s*:\s*(?P<processors>{COUNT})"),
        Line(rf"mpi tasks per node\s*:\s*(?P<tasks_per_node>{COUNT})"),
        Line(rf"Model Cost:\s+(?P<cost>{NUMBER})\s+pe-hrs/simulated_year"),
        Line(rf"Model Throughput:\s+(?P<throughput>{NUMBER})\s+simulated_years/day"),
        Line(rf"(?P<kernel>Init|Final) Time\s*:\s+(?P<time>{NUMBER})\s+seconds", kernel=BELOW),
        Line(rf"TOT Run Time:\s+(?P<time>{NUMBER})\s+seconds\s.*"),
        Line(
            rf"(?P<kernel>[A-Z]{{3}}(?: COMM)?) (?:Run )?Time:\s+(?P<time>{NUMBER})\s+seconds\s.*",
            kernel=BELOW,
        ),
    ),
    metrics={
        "time": Metric("time", "s"),
        "cost": Metric("cost", "pe-hrs/simulated_year"),
        "throughput": Metric("throughput", "simulated_years/day"),
    },
    expected="the time of a finished run: “TOT Run Time: 3718.844 seconds”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
