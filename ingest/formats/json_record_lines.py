"""Reads text with a JSON object of a table's row in each line, as scripts append one result after the other.

The objects are read as those in a list are, see `json_records`. They are tried before JSON documents, because
several lines are not one document.
"""

import re

from ingest.formats.json_records import read
from ingest.formats.source import Source

__all__ = ["NAME", "TITLE", "read", "recognises"]

NAME = "json-record-lines"
TITLE = "JSON Lines of records"
LINES = re.compile(r'\{\s*("[^"\\]{1,100}")\s*:[^\n]*\}\s*\n\s*\{\s*\1\s*:[^\n]*\d')


def recognises(source: Source) -> bool:
    """Recognise two lines that are objects with the same first key."""
    return source.head.startswith("{") and LINES.match(source.head) is not None
