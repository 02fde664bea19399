"""Reads counters of `perf stat`: its JSON (`-j`), its CSV (`-x,`), and the table that it prints.

The counts of parts of a run are added: intervals (`-I`), and processors, sockets, cores or threads (`-A`,
`--per-…`). Any other second line of an event is a repetition. Events that were not counted are missing.
Derived ratios are left out. Numbers in which commands differ are parameters.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, within_limits
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.files.documents.json_text import load, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.readers.commands.command_arguments import differences

NAME = "perf-stat"
TITLE = "perf stat"
COUNT = "counter-value"
PARTS = ("interval", "cpu", "core", "die", "socket", "node", "cluster", "cache", "thread", "aggregate-number")
"""Keys of lines that count only a part of a run."""
UNITS = {"msec": "ms", "Joules": "J", "MiB": "MiB", "seconds": "s", "ns": "ns"}
DEPTH = 2
BEGIN = ("# started on", "Performance counter stats for")
"""Beginnings of the line above the counters of a run."""
COMMAND = re.compile(rf"{BEGIN[1]} '(.{{1,4000}})'.{{0,100}}")
NUMBER = r"(?P<count>\d[\d,.'\u202f\u00a0]{0,40}|<not (?:counted|supported)>)"
"""Matches a count. Depending on the language, any of these characters may separate thousands."""
EVENT = r"(?P<event>[A-Za-z][\w:./=,@{}-]{0,200})"
PRINTED = re.compile(
    rf"(?P<part>(?:\d{{1,9}}\.\d{{6,9}}|CPU\d{{1,6}}|S\d{{1,4}}(?:-[A-Z]\d{{1,5}}){{0,4}})\s+(?:\d{{1,4}}\s+)?)?{NUMBER}"
    rf"(?:\s+(?P<unit>msec|ns|Joules|MiB))?\s+{EVENT}(?:\s+(?:#|\(|\+-).{{0,300}})?"
)
"""Matches a line of the printed table: `1,234.5 msec task-clock:u  # 0.9 CPUs utilized  ( +- 0.1% )`."""
TIMES = re.compile(
    rf"{NUMBER}(?: \+- \S{{1,20}})? (?P<unit>seconds) "
    r"(?P<event>time elapsed|user|sys)\b.{0,100}"
)
SEPARATED = re.compile(
    r"(?P<part>(?:\s*\d{1,9}\.\d{6,9}[,;|])?(?:(?:CPU|S)\d[\w-]{0,40}[,;|](?:\d{1,6}[,;|])?)?)"
    r"(?P<count>\d{1,30}(?:\.\d{1,20})?|<not (?:counted|supported)>)[,;|](?P<unit>[A-Za-z]{0,20})[,;|]"
    r"(?P<event>[A-Za-z][\w:./=@{}-]{0,200})(?:[,;|][\d.]{1,20}%)?[,;|]\d{1,20}"
    r"[,;|]\d{1,3}[.,]\d\d(?:[,;|].{0,300})?"
)
"""Matches a line of the CSV: `1234.5,msec,task-clock:u,1234567,100.00,0.9,CPUs utilized`."""

DECIMAL = re.compile(r"(?P<whole>.*)[.,](?P<fraction>\d+)")
BETWEEN = re.compile(r"[,.'\u202f\u00a0]")
"""Matches what separates thousands."""
THOUSAND = 3
"""Number of digits between two separators of thousands."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a run, or of one of its events, and the run's command, if known."""

    of: dict[str, float]
    command: str
    line: int


@dataclass(frozen=True)
class Counted:
    """The count of an event in one line; None if the event was not counted.

    `of_part` says whether the line counts only a part of a run.
    """

    event: str
    unit: str
    count: float | None
    of_part: bool


def recognises(source: Source) -> bool:
    """Recognise a run's first line, or a line that counts an event."""
    lines = source.head.splitlines()
    first = next((line for line in lines if line.startswith("{")), "")
    if f'"{COUNT}"' in first and '"event"' in first:
        return True
    measured = (line for line in lines if line.strip() and not line.startswith("#"))
    return SEPARATED.fullmatch(next(measured, "")) is not None or any(
        line.strip().startswith(BEGIN[1]) for line in lines
    )


def read(source: Source) -> Campaign:
    """Read the file line by line."""
    units: dict[str, str] = {}
    campaign = campaign_of(_entries(source, units), source.limits, NAME)
    missing = [name for name in units if all(name != metric for _, metric in campaign.series)]
    notes = [f"{name} was never counted, so it is missing" for name in missing[:20]]
    known = {name: unit for name, unit in units.items() if unit and name not in missing}
    return replace(campaign, units=known, notes=(*notes, *campaign.notes))


def _entries(source: Source, units: dict[str, str]) -> Iterator[Entry]:
    """Yield an entry for each run."""
    runs = (each for each in _runs(source, units) if each.of)
    found = list(within_limits(runs, source.limits, lambda each: len(each.of)))
    arguments = differences([each.command for each in found])
    for each, differing in zip(found, arguments, strict=True):
        yield entry(
            DEFAULT_KERNEL, differing, {event: [count] for event, count in each.of.items()}, each.line
        )


def _runs(source: Source, units: dict[str, str]) -> Iterator[Counts]:
    """Yield the counts of each run. A second count of an event in a run is yielded separately."""
    sums: dict[str, float] = {}
    of_parts, last, others, command = False, 0, 0, ""
    for line, text in source.lines():
        if text.startswith(BEGIN):
            yield Counts(sums, command, last)
            sums, of_parts = {}, False
            command = found[1] if (found := COMMAND.fullmatch(text)) else ""
        counted = _counted(text, line)
        if counted is None:
            others += 1  # the line has only a derived ratio, or another program wrote it
            check_unmeasured(others, source.limits, line)
            continue
        last, event = line, counted.event
        if len(units) > source.limits.metrics:
            raise LimitError(
                f"more than {source.limits.metrics} events", f"at most {source.limits.metrics} events", line
            )
        units[event] = UNITS.get(counted.unit, counted.unit)
        if counted.count is None:
            continue
        of_parts = counted.of_part
        if event in sums and not of_parts:
            yield Counts({event: sums.pop(event)}, command, line)
        sums[event] = sums.get(event, 0.0) + counted.count
    yield Counts(sums, command, last)


def _counted(text: str, line: int) -> Counted | None:
    """Return the count in a line, or None if it has none."""
    if text.startswith("{"):
        fields = _fields(text, line)
        if "event" not in fields or COUNT not in fields:
            return None
        of_part = any(name in fields for name in PARTS)
        return Counted(str(fields["event"]), str(fields.get("unit", "")), as_number(fields[COUNT]), of_part)
    found = TIMES.fullmatch(text) or SEPARATED.fullmatch(text) or PRINTED.fullmatch(text)
    if found is None:
        return None
    named = found.groupdict()
    unit = named["unit"] or ""
    return Counted(named["event"], unit, _number(named["count"], unit), bool(named.get("part")))


def _number(text: str, unit: str) -> float | None:
    """Return a count printed in any language: `1,234.50`, `1.234,50`, `1 234`; None for other texts."""
    whole, fraction = text, ""
    if (decimal := DECIMAL.fullmatch(text)) and (len(decimal["fraction"]) != THOUSAND or unit == "seconds"):
        whole, fraction = decimal["whole"], decimal["fraction"]
    return as_number(f"{BETWEEN.sub('', whole)}.{fraction or 0}")


def _fields(text: str, line: int) -> dict[str, Any]:
    try:
        return members(load(text.replace(", }", "}"), DEPTH), "an object for each event")
    except FormatError as error:
        raise error.at(line) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"no JSON: {quoted(error.msg)}", "an object for each event", line) from None
