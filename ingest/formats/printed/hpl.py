"""Outputs of High Performance Linpack (HPL) and of programs that print the same table, such as rocHPL.

`WR11C2R4  29184  192  2  2  123.45  1.3430e+02` below `T/V  N  NB  P  Q  Time  Gflops` is a result: the
variant of the algorithm is the kernel, and N, NB, P and Q are parameters. Results of one configuration are
repetitions. A result whose residual failed its check is left out, with a note.
"""

import re
from dataclasses import replace

from ingest.formats.campaign import Campaign
from ingest.formats.printed.printout import Printout, printout_read
from ingest.formats.source import Source
from ingest.formats.text import numbers

NAME = "hpl"
TITLE = "HPL output"
BEGIN = re.compile(r"^\s*(?:HPLinpack \d|T/V\s+N\s+NB\s+P\s+Q\s+Time\s+Gflops)", re.MULTILINE)
RESULT = re.compile(
    r"(?P<variant>W[RC]\d[A-Z0-9]{1,18})(?P<sizes>(?:\s+\d{1,12}){4})"
    r"\s+(?P<time>[0-9.eE+-]{1,20})\s+(?P<rate>[0-9.eE+-]{1,20})(?:\s.{0,200})?"
)
CHECK = re.compile(r"\|\|Ax-b\|\|.{0,200}\.\s*(?P<verdict>PASSED|FAILED)")
SIZES = ("N", "NB", "P", "Q")
UNITS = {"Time": "s", "Gflops": "GFLOPS"}
EXPECTED = "at least one result that passed its check: “WR11C2R4 29184 192 2 2 123.45 1.3430e+02”"


def recognises(source: Source) -> bool:
    """Recognise the program's name or the header of its table near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    printout = Linpack()
    campaign = printout_read(source, printout, NAME, UNITS, EXPECTED)
    if not printout.failed:
        return campaign
    first, count = printout.failed[0], len(printout.failed)
    note = f"{count} results that failed HPL's check were left out, the first in line {first}"
    return replace(campaign, notes=(note, *campaign.notes))


class Linpack(Printout):
    """Reads the results whose checks passed or are missing.

    Attributes:
        failed: lines of the other results.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failed = list[int]()

    def take(self, text: str, line: int) -> bool:
        """Read a result, or forget the last one if its check failed."""
        if result := RESULT.fullmatch(text):
            run = self.begin(line, dict(zip(SIZES, numbers(result["sizes"]), strict=True)))
            for metric, value in zip(UNITS, (result["time"], result["rate"]), strict=True):
                run.add(result["variant"], metric, value)
            return True
        if self.run and (check := CHECK.match(text)) and check["verdict"] == "FAILED":
            self.failed.append(self.run.line)
            self.run = None
        return False
