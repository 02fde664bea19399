"""Outputs of IOR, which measures file systems.

Rows such as `write 580.00 580.01 0.006896 10485760 1024.00 0.000648 70.62 0.000842 70.62 0` below `access
bw(MiB/s) IOPS Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter` are the results. The
kind of access is the kernel; nodes, tasks, and the sizes of blocks and transfers in KiB are parameters;
iterations are repetitions. Older versions print fewer columns.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.printed.printout import Printout, printout_read
from ingest.formats.source import Source

NAME = "ior"
TITLE = "IOR output"
HEADER = re.compile(r"access\s+bw\(MiB/s\).*")
BEGIN = re.compile(rf"^\s*(?:IOR-\d|{HEADER.pattern}$)", re.MULTILINE)
OPTION = re.compile(r"(?P<name>nodes|tasks)\s*:\s*(?P<value>\d{1,9})")
CLIENTS = re.compile(r"clients\s*=\s*(?P<tasks>\d{1,9}) \((?P<per_node>\d{1,9}) per node\)")
ROW = re.compile(r"(?P<kernel>write|read|remove)(?P<cells>(?:\s+(?:[0-9.eE+-]{1,20}|NA|EXCEL)){2,12})")
COLUMN = re.compile(r"(?P<name>[^\s(]+)(?:\((?P<unit>[^\s()]+)\))?")
SIZES = {"block": "block_KiB", "xfer": "transfer_KiB"}
METRICS = {"bw": "bandwidth", "Latency": "latency", "wr/rd": "transfer", "total": "time"}
"""Name of a column → name of its metric. All other columns keep their names."""
UNITS = {
    "bandwidth": "MiB/s",
    "IOPS": "1/s",
} | dict.fromkeys(("latency", "open", "transfer", "close", "time"), "s")
EMPTY = {"-", "NA", "EXCEL"}
EXPECTED = "rows below “access  bw(MiB/s)  …”; with -v IOR prints them for each iteration"


def recognises(source: Source) -> bool:
    """Recognise the program's name or the header of its table near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    return printout_read(source, Tests(), NAME, UNITS, EXPECTED)


class Tests(Printout):
    """Reads all tests of an output.

    Attributes:
        options: parameters that were printed above the table. columns: names of the columns of the current
        table, without the first one, which has the kind of access.
    """

    def __init__(self) -> None:
        super().__init__()
        self.options = dict[str, float]()
        self.columns = list[str]()

    def take(self, text: str, line: int) -> bool:
        """Read an option, a header, or a row."""
        if option := OPTION.fullmatch(text):
            self.options[option["name"]] = float(option["value"])
        elif clients := CLIENTS.fullmatch(text):
            tasks, per_node = float(clients["tasks"]), float(clients["per_node"])
            self.options |= {"tasks": tasks, "nodes": tasks / max(per_node, 1.0)}
        elif HEADER.fullmatch(text):
            self.columns = [found["name"] for found in COLUMN.finditer(text)][1:]
        elif self.columns and (row := ROW.fullmatch(text)):
            self._take_row(row["kernel"], row["cells"].split(), line)
        else:
            return False
        return True

    def _take_row(self, kernel: str, cells: list[str], line: int) -> None:
        run = self.begin(line, self.options)
        for column, cell in zip(self.columns, cells, strict=False):
            if cell in EMPTY or column == "iter":
                continue
            if column in SIZES:
                run.parameters[SIZES[column]] = float(cell)
            else:
                run.add(kernel, METRICS.get(column, column), cell)
