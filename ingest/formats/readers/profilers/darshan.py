"""Outputs of darshan-parser: input and output of a job, as Darshan recorded it.

Each interface (POSIX, MPI-IO, STDIO) is a kernel. Metrics are the numbers of opens, reads and writes, the
bytes, and the times, as sums over all processes. The output without options has a line for each counter of
each file; these counters are added, as `--total` does. The run time of the job is that of the kernel main,
and the number of processes is a parameter. Counters that are −1 were not recorded.
"""

from ingest.formats.printout import BELOW, COUNT, Line, Metric, Printout, Then

NAME, TITLE = "darshan", "darshan-parser output"
METRICS = {
    "OPENS": Metric("opens"),
    "READS": Metric("reads"),
    "WRITES": Metric("writes"),
    "BYTES_READ": Metric("bytes read", "B"),
    "BYTES_WRITTEN": Metric("bytes written", "B"),
    "F_READ_TIME": Metric("read time", "s"),
    "F_WRITE_TIME": Metric("write time", "s"),
    "F_META_TIME": Metric("metadata time", "s"),
}
COUNTER = rf"(?P<kernel>[A-Z][A-Z0-9]{{1,20}})_(?P<metric>{'|'.join(METRICS)})"
VALUE = r"(?P<value>\d{1,20}(?:\.\d{1,20})?)"
PRINTOUT = Printout(
    NAME,
    begins=r"# darshan log version: ",
    lines=(
        Line(r"# darshan log version: .*", Then.BEGIN),
        Line(rf"# nprocs: (?P<processes>{COUNT})"),
        Line(rf"# run time: {VALUE.replace('value', 'time')}(?: .*)?"),
        Line(rf"total_{COUNTER}: {VALUE}", kernel=BELOW),
        Line(
            rf"[^\t]{{1,40}}\t-?\d{{1,10}}\t\d{{1,20}}\t{COUNTER}\t{VALUE}\t.*",
            kernel=BELOW,
            adds=frozenset(METRICS),
        ),
    ),
    metrics={"time": Metric("run time", "s"), **METRICS},
    expected="“# run time: 60.12”, and counters such as “total_POSIX_BYTES_READ: 4096”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
