"""Reads counters of `perf stat -j`, which writes a line with a JSON object for each event.

The counts of parts of a run are added. Such parts are intervals (`-I`), and processors, sockets, cores or
threads (`-A`, `--per-…`). Any other second line of an event belongs to another run, and is a repetition.
Values of events that were not counted or not supported are missing. Ratios that perf derives from events are
left out.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingest.formats.campaign import Campaign
from ingest.formats.documents.json_text import load, members
from ingest.formats.entries import Entry, as_number, campaign_of
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.names import DEFAULT_KERNEL
from ingest.formats.source import Source
from ingest.formats.text import check_unmeasured

NAME = "perf-stat"
TITLE = "perf stat JSON"
COUNT = "counter-value"
PARTS = ("interval", "cpu", "core", "die", "socket", "node", "cluster", "cache", "thread", "aggregate-number")
"""Keys of lines that count only a part of a run."""
UNITS = {"msec": "ms", "Joules": "J", "MiB": "MiB"}
DEPTH = 2


def recognises(source: Source) -> bool:
    """Recognise a file whose first line of JSON counts an event."""
    first = next((line for line in source.head.splitlines() if line.startswith("{")), "")
    return f'"{COUNT}"' in first and '"event"' in first


def read(source: Source) -> Campaign:
    """Read the file line by line."""
    units: dict[str, str] = {}
    campaign = campaign_of(_entries(source, units), source.limits, NAME)
    missing = [name for name in units if all(name != metric for _, metric in campaign.series)]
    notes = [f"{name} was never counted, so it is missing" for name in missing[:20]]
    known = {name: unit for name, unit in units.items() if unit and name not in missing}
    return replace(campaign, units=known, notes=(*notes, *campaign.notes))


def _entries(source: Source, units: dict[str, str]) -> Iterator[Entry]:
    """Yield an entry for each event and run."""
    sums: dict[str, float] = {}
    of_parts, last, others = False, 0, 0
    for line, text in source.lines():
        if text.startswith("# started on"):
            yield from _run(sums, last)
            sums, of_parts = {}, False
        fields = _fields(text, line) if text.startswith("{") else {}
        if "event" not in fields or COUNT not in fields:
            others += 1  # the line has only a derived ratio, or another program wrote it
            check_unmeasured(others, source.limits, line)
            continue
        last, event = line, str(fields["event"])
        if len(units) > source.limits.metrics:
            raise LimitError(
                f"more than {source.limits.metrics} events", f"at most {source.limits.metrics} events", line
            )
        units[event] = UNITS.get(str(fields.get("unit", "")), str(fields.get("unit", "")))
        count = as_number(fields[COUNT])
        if count is None:
            continue  # "<not counted>", "<not supported>"
        of_parts = any(name in fields for name in PARTS)
        if event in sums and not of_parts:
            yield from _run({event: sums.pop(event)}, line)
        sums[event] = sums.get(event, 0.0) + count
    yield from _run(sums, last)


def _fields(text: str, line: int) -> dict[str, Any]:
    try:
        return members(load(text.replace(", }", "}"), DEPTH), "an object for each event")
    except FormatError as error:
        raise error.at(line) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"no JSON: {quoted(error.msg)}", "an object for each event", line) from None


def _run(sums: dict[str, float], line: int) -> Iterator[Entry]:
    for event, count in sums.items():
        yield Entry(DEFAULT_KERNEL, {}, {event: [count]}, line)
