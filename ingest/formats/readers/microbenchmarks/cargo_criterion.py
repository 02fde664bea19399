"""Reads the messages of cargo-criterion (`--message-format=json`), one JSON object in each line.

Lines with the reason benchmark-complete hold id, iterations and times of a benchmark of Criterion.rs. Names
and parameters are as in its folder.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, campaign_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import load, members
from ingest.formats.files.source import Source
from ingest.formats.readers.microbenchmarks.criterion import named, of_iteration

NAME = "cargo-criterion"
TITLE = "Messages of cargo-criterion"
MEASURED = "benchmark-complete"
UNIT = "ns"
MESSAGE = re.compile(r'\{"reason"\s*:\s*"(?:benchmark|group)-complete"')


def recognises(source: Source) -> bool:
    """Recognise a first line that is a message."""
    return MESSAGE.match(source.first_line) is not None


def read(source: Source) -> Campaign:
    """Read the messages line by line."""
    campaign = campaign_of(_entries(source), source.limits, NAME, rounds=True)
    return replace(campaign, units={"time": UNIT})


def _entries(source: Source) -> Iterator[Entry]:
    for line, text in source.lines():
        try:
            fields = members(load(text, source.limits.depth), "an object in each line")
            if fields.get("reason") != MEASURED:
                continue
            if fields.get("unit") != UNIT:
                raise FormatError(f"the unit {quoted(fields.get('unit'))}", f"times in {UNIT}")
            group, *levels = str(fields.get("id")).split("/")
            kernel, parameters = named(group, levels)
            counts, times = fields.get("iteration_count"), fields.get("measured_values")
            rounds = of_iteration(counts, times, source.limits)
        except FormatError as error:
            raise error.at(line) from None
        yield Entry(kernel, parameters, {"time": rounds}, line)
