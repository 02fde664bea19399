"""Reports of the MPI profiler mpiP (`app.64.12345.1.mpiP`).

The line `*` below `Task AppTime MPITime MPI%` has the sums over all processes, in seconds. Below `Aggregate
Time`, `Isend 25 926 1.45 16.06 71742 0.20` are function, place in the code, its time in milliseconds, shares,
calls and their variation. Places of one function are added up, because their numbers change with the code.
"""

from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.printout import BELOW, COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "mpip", "mpiP reports"
PRINTOUT = Printout(
    NAME,
    begins=r"@ mpiP\b",
    lines=(
        Line(r"@ mpiP\b.*", Then.BEGIN),
        Line(r"@ MPI Task Assignment\s*:.*", sets={"processes": 1.0}, adds=frozenset({"processes"})),
        Line(rf"\*\s+(?P<app>{NUMBER})\s+(?P<mpi>{NUMBER})\s+{NUMBER}"),
        Line(
            rf"(?P<kernel>[A-Z]\w{{1,60}})\s+{COUNT}\s+(?P<time>{NUMBER})\s+{NUMBER}\s+{NUMBER}"
            rf"\s+(?P<calls>{COUNT})\s+{NUMBER}",
            kernel=f"{BELOW}MPI{SEPARATOR}",
            adds=frozenset({"time", "calls"}),
        ),
    ),
    metrics={
        "app": Metric("total time", "s"),
        "mpi": Metric("MPI time", "s"),
        "time": Metric("total time", "s", 1e-3),
        "calls": Metric("calls"),
    },
    expected="the line “*” with the sums below “Task AppTime MPITime MPI%”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
