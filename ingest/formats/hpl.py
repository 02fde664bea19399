"""Outputs of High Performance Linpack (HPL) and of programs that print the same table, such as rocHPL.

`WR11C2R4  29184  192  2  2  123.45  1.3430e+02` below `T/V  N  NB  P  Q  Time  Gflops` is a result: the
variant of the algorithm is the kernel, and N, NB, P and Q are parameters. Results of one configuration are
repetitions. A result whose residual failed its check is left out, with a note.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.formats.campaign import Campaign
from ingest.formats.entries import Entry, campaign_of
from ingest.formats.errors import FormatError
from ingest.formats.source import Source
from ingest.formats.text import check_unmeasured, numbers

NAME = "hpl"
TITLE = "HPL output"
BEGIN = re.compile(r"^\s*(?:HPLinpack \d|T/V\s+N\s+NB\s+P\s+Q\s+Time\s+Gflops)", re.MULTILINE)
RESULT = re.compile(
    r"(?P<variant>W[A-Z0-9]{3,20})(?P<sizes>(?:\s+\d{1,12}){4})"
    r"\s+(?P<time>[0-9.eE+-]{1,20})\s+(?P<rate>[0-9.eE+-]{1,20})(?:\s.{0,200})?"
)
CHECK = re.compile(r"\|\|Ax-b\|\|.{0,200}\.\s*(?P<verdict>PASSED|FAILED)")
SIZES = ("N", "NB", "P", "Q")
UNITS = {"Time": "s", "Gflops": "GFLOPS"}
LINE = 1000
"""Number of characters that are looked at of a line."""


def recognises(source: Source) -> bool:
    """Recognise the program's name or the header of its table near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    failed = list[str]()
    campaign = campaign_of(_entries(source, failed), source.limits, NAME)
    left_out = f"{len(failed)} results that failed HPL's check were left out, the first in line "
    notes = (left_out + failed[0], *campaign.notes) if failed else campaign.notes
    return replace(campaign, units=UNITS, notes=notes)


def _entries(source: Source, failed: list[str]) -> Iterator[Entry]:
    """Yield the results whose checks passed or are missing; lines of the others are added to `failed`."""
    waiting: Entry | None = None
    others = 0
    for line, whole in source.lines():
        text = whole[:LINE]
        if result := RESULT.fullmatch(text):
            if waiting:
                yield waiting
            waiting = _entry(result, line)
            continue
        others += 1
        check_unmeasured(others, source.limits, line)
        if waiting and (check := CHECK.match(text)) and check["verdict"] == "FAILED":
            failed.append(str(waiting.line))
            waiting = None
    if waiting:
        yield waiting


def _entry(result: re.Match[str], line: int) -> Entry:
    try:
        sizes, measured = numbers(result["sizes"]), numbers(f"{result['time']} {result['rate']}")
    except FormatError as error:
        raise error.at(line) from None
    values = {name: [value] for name, value in zip(UNITS, measured, strict=True)}
    return Entry(result["variant"], dict(zip(SIZES, sizes, strict=True)), values, line)
