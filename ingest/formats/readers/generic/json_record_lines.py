"""Reads text in which each line is a JSON object with the cells of one row.

`json_records` reads the objects. This format comes before JSON documents, which cannot contain several lines.
"""

import re

from ingest.formats.files.source import Source
from ingest.formats.readers.generic.json_records import read_lines as read

__all__ = ["NAME", "TITLE", "read", "recognises"]

NAME = "json-record-lines"
TITLE = "JSON Lines of records"
LINES = re.compile(r'\{\s*("[^"\\]{1,100}")\s*:[^\n]*\}\s*\n\s*\{\s*\1\s*:[^\n]*\d')


def recognises(source: Source) -> bool:
    """Recognise two lines that are objects with the same first key."""
    return source.head.startswith("{") and LINES.match(source.head) is not None
