"""Outputs of STREAM and BabelStream, which measure the bandwidth of memory.

STREAM prints `Copy: 4380.2 0.037653 0.036528 0.038368` below `Function Best Rate MB/s Avg time Min time Max
time`, and BabelStream `Copy 553418.684 0.00097 0.00101 0.00098` below `Function MBytes/sec Min (sec) Max
Average`. Each function is a kernel, with its best bandwidth and its average time. Threads and the elements
of an array are parameters if the output names them. Several outputs in one file are repetitions.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.printed.printout import Printout, printout_read
from ingest.formats.source import Source

NAME = "stream"
TITLE = "STREAM and BabelStream outputs"
HEADER = re.compile(r"Function\s+(?:(?P<stream>(?:Best )?Rate)|MBytes/sec)\b.*", re.IGNORECASE)
BEGIN = re.compile(rf"^\s*{HEADER.pattern}$", re.IGNORECASE | re.MULTILINE)
THREADS = re.compile(r"Number of Threads (?:counted|requested) = (\d{1,6})", re.IGNORECASE)
ELEMENTS = re.compile(r"(?:Array size = |Number of elements: )(\d{1,15})(?: \(elements\)|$)")
ROW = re.compile(r"(?P<name>[A-Za-z]\w{0,30}):?(?P<cells>(?:\s+[0-9.eE+-]{1,20}){4})")
UNITS = {"bandwidth": "MB/s", "time": "s"}
AVERAGES = {True: 1, False: 3}
"""Index of the average time among the numbers of a row: of STREAM for True, of BabelStream for False."""
EXPECTED = "a table of functions below “Function  Best Rate MB/s  Avg time  Min time  Max time”"


def recognises(source: Source) -> bool:
    """Recognise the header of the table near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    return printout_read(source, Tables(), NAME, UNITS, EXPECTED)


class Tables(Printout):
    """Reads all tables of functions.

    Attributes:
        parameters: those that were named so far.
        average: place of the average time in the rows of the current table; None outside of a table.
    """

    def __init__(self) -> None:
        super().__init__()
        self.parameters = dict[str, float]()
        self.average: int | None = None

    def take(self, text: str, line: int) -> bool:
        """Read a parameter, a header, or a row."""
        if header := HEADER.fullmatch(text):
            self.average = AVERAGES[header["stream"] is not None]
        elif threads := THREADS.match(text):
            self.parameters["threads"] = float(threads[1])
        elif elements := ELEMENTS.match(text):
            self.parameters["elements"] = float(elements[1])
        elif self.average is not None and (row := ROW.fullmatch(text)):
            cells = row["cells"].split()
            run = self.begin(line, self.parameters)
            run.add(row["name"], "bandwidth", cells[0])
            run.add(row["name"], "time", cells[self.average])
        else:
            return False
        return True
