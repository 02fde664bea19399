"""Comma- or tab-separated values with a header, as people export them from their own scripts.

`columns` tells what the header may name. Semicolons separate as well; decimals may then be commas.
Lines that begin with # before the header are comments.
"""

import csv
from dataclasses import replace
from itertools import chain

from ingest.formats.campaign import Campaign
from ingest.formats.collector import Collector
from ingest.formats.columns import Rows
from ingest.formats.errors import FormatError
from ingest.formats.source import Source

NAME = "csv"
TITLE = "CSV or TSV"
SEPARATORS = "\t;,"


def recognises(source: Source) -> bool:
    """Two lines of the same number of cells, the first of them without numbers."""
    text = [line for line in source.head.splitlines() if not _is_comment(line)]
    if len(text) < 2 or text[0][0] in "{[" or "\0" in text[0]:
        return False
    separator = separator_of(text[0])
    header = text[0].split(separator)
    return len(header) > 1 and not any(map(_is_number, header)) and separator in text[1]


def separator_of(header: str) -> str:
    """What separates the cells: the one that is there most often."""
    return max(SEPARATORS, key=header.count)


def read(source: Source) -> Campaign:
    """Read row by row."""
    collector, text = Collector(source.limits), source.raw_lines()
    skipped, header = next(((n - 1, line) for n, line in text if not _is_comment(line)), (0, ""))
    separator = separator_of(header)
    table = csv.reader(chain([header], (line for _, line in text)), delimiter=separator, strict=True)
    try:
        rows = Rows(collector, next(table), "," if separator == ";" else ".")
        for row in table:
            if any(row):
                rows.take(row, skipped + table.line_num)
    except csv.Error as error:
        found = f"no table: {error}"
        raise FormatError(found, "cells in quotes, or none with quotes", skipped + table.line_num) from None
    except FormatError as error:
        raise error.at(skipped + table.line_num) from None
    campaign = collector.campaign(NAME)
    return replace(campaign, units=rows.columns.units, notes=rows.notes() + campaign.notes)


def _is_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
