"""Reads Talpas's format: JSON Lines whose fields are separated by semicolons or commas.

`{"parameters": {"p": 8}; "metric": "time"; "callpath": "main->solve"; "value": 1.3}`

Lines of the same point, kernel and metric add repetitions.
"""

import re

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError
from ingest.formats.files.documents.json_text import load
from ingest.formats.files.documents.nesting import TEXT
from ingest.formats.files.source import Source
from ingest.formats.readers.extrap.json_lines import LineReader

NAME = "talpas"
TITLE = "Talpas"
PARAMETERS = re.compile(r'"parameters"\s*:\s*\{')
TEXT_OR_SEMICOLON = re.compile(rf"{TEXT}|;")


def recognises(source: Source) -> bool:
    """Recognise a first line with an object of parameters and one value."""
    line = source.first_line
    return line.startswith("{") and PARAMETERS.search(line) is not None and '"value"' in line


def read(source: Source) -> Campaign:
    """Read the file line by line."""
    reader, depth = LineReader(Collector(source.limits), "parameters"), source.limits.depth
    for line, text in source.lines():
        try:
            reader.take(load(with_commas(text), depth), line)
        except FormatError as error:
            raise error.at(line) from None
    return reader.collector.campaign(NAME)


def with_commas(line: str) -> str:
    """Return a line as JSON, with commas instead of semicolons outside of texts."""
    if ";" not in line:
        return line
    return TEXT_OR_SEMICOLON.sub(lambda match: "," if match[0] == ";" else match[0], line)
