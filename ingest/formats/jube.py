"""JUBE's result tables in its pretty style; those in CSV are read as such.

`| nodes | tasks | time_avg[s] |`, a line of dashes, and a row for each work package. `columns` tells what the
header may name; JUBE's own columns (`jube_wp_id` and so on) are left out.
"""

from dataclasses import replace
from itertools import pairwise

from ingest.formats.campaign import Campaign
from ingest.formats.collector import Collector
from ingest.formats.columns import Rows
from ingest.formats.errors import FormatError
from ingest.formats.source import Source

NAME = "jube"
TITLE = "JUBE result table"
RULE = set("-|+: ")
"""Characters of the line below the names."""


def recognises(source: Source) -> bool:
    """A line of names with bars between them, and one of dashes and bars below."""
    text = [line.strip() for line in source.head.splitlines() if line.strip()][:10]
    return any("|" in names and "-" in rule and set(rule) <= RULE for names, rule in pairwise(text))


def read(source: Source) -> Campaign:
    """Read row by row; what stands above the table, such as its name, is no part of it."""
    collector = Collector(source.limits)
    rows: Rows | None = None
    for line, text in source.lines():
        if "|" not in text or set(text) <= RULE:
            if rows and not set(text) <= RULE:
                raise FormatError("a text below the table", "one table", line)
            continue
        cells = [cell.strip() for cell in text.removeprefix("|").removesuffix("|").split("|")]
        try:
            if rows is None:
                rows = Rows(collector, cells)
            else:
                rows.take(cells, line)
        except FormatError as error:
            raise error.at(line) from None
    campaign = collector.campaign(NAME)
    if rows is None:
        return campaign
    return replace(campaign, units=rows.columns.units, notes=rows.notes() + campaign.notes)
