"""ReFrame's performance logs: a header, and a row for each run of a test.

`job_completion_time|version|display_name|system|partition|environ|jobid|result|time_value|time_unit|…`

Parameters stand in the name: `stream %num_threads=4 %kind=triad`; each `…_value` is a metric. Runs that did
not pass are left out. Systems, partitions and environments that vary become part of the kernel's name.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.formats.campaign import Campaign
from ingest.formats.entries import Entry, as_number, campaign_of, entry
from ingest.formats.errors import FormatError, quoted
from ingest.formats.source import Source

NAME = "reframe"
TITLE = "ReFrame performance log"
NAMES = ("display_name", "name")
PLACES = ("system", "partition", "environ")
VALUE, UNIT = "_value", "_unit"
PARAMETER = re.compile(r"%([^\s%=]+)=(\S*)")
UNITS = {"seconds": "s", "sec": "s"}


def recognises(source: Source) -> bool:
    """A first line that names a test and values."""
    header = source.first_line.split("|")
    return any(name in header for name in NAMES) and any(name.endswith(VALUE) for name in header)


def read(source: Source) -> Campaign:
    """Read row by row."""
    numbered = source.lines()
    _, first = next(numbered)
    header = [name.strip() for name in first.split("|")]
    if not any(name in header for name in NAMES) or len(set(header)) < len([name for name in header if name]):
        raise FormatError(f"the columns {quoted(first)}", "display_name, and …_value of each metric, once", 1)
    rows, failed = list[tuple[int, dict[str, str]]](), 0
    for line, text in numbered:
        row = _row(header, text, line)
        if row.get("result", "pass") in ("pass", ""):
            rows.append((line, row))
        else:
            failed += 1
    places = [name for name in PLACES if len({row.get(name) for _, row in rows}) > 1]
    campaign = campaign_of((_entry(row, places, line) for line, row in rows), source.limits, NAME)
    notes = (f"{failed} runs that did not pass were left out", *campaign.notes) if failed else campaign.notes
    constant: dict[str, object] = {
        name: rows[0][1][name] for name in PLACES if name in header and name not in places
    }
    return replace(campaign, units=_units(rows), metadata=constant, notes=notes)


def _row(header: Sequence[str], text: str, line: int) -> dict[str, str]:
    cells = [cell.strip() for cell in text.split("|")]
    if len(cells) != len(header):
        raise FormatError(f"a row of {len(cells)} cells", f"{len(header)}, as the header has", line)
    return dict(zip(header, cells, strict=True))


def _entry(row: dict[str, str], places: Sequence[str], line: int) -> Entry:
    name = next(row[key] for key in NAMES if key in row)
    parameters: dict[str, object] = dict(PARAMETER.findall(name))
    parameters |= {place: row[place] for place in places}
    values = {}
    for key, text in row.items():
        if key.endswith(VALUE) and text not in ("", "None", "null"):
            number = as_number(text)
            if number is None:
                raise FormatError(f"{quoted(text)} as {key}", "a number", line)
            values[key.removesuffix(VALUE)] = [number]
    return entry(re.split(r"\s[%/@~]", name, maxsplit=1)[0], parameters, values, line)


def _units(rows: Sequence[tuple[int, dict[str, str]]]) -> dict[str, str]:
    found = {}
    for _, row in rows:
        for key, text in row.items():
            if key.endswith(UNIT) and text:
                found[key.removesuffix(UNIT)] = UNITS.get(text, text)
    return found
