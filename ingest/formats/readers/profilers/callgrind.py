"""Reads profiles of Valgrind's Callgrind and Cachegrind (`callgrind.out.PID`, `cachegrind.out.PID`).

A function is a kernel. Its metrics are the events in the function itself, such as executed instructions
(`Ir`). `fn=(448) sinf` names the function of the lines below, and `cfn=(448) sinf` a called function. Later,
`fn=(448)` is enough. A line of costs has a position and the counts of the `events:`. The line after `calls=`
has the counts of the called function, and is left out. The point is sent with the file.
"""

import re
from collections.abc import Sequence

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.bounds import check_count
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source

NAME = "callgrind"
TITLE = "Callgrind and Cachegrind profiles"
BEGIN = re.compile(
    r"(?:# callgrind format|(?:version|creator|desc|cmd|pid|part|positions):.*\n(?:.*\n){0,40}?events:)"
)
FUNCTION = re.compile(r"c?fn=(?:\((?P<id>\d{1,9})\))?\s*(?P<name>.*)")
COSTS = re.compile(r"(?:(?:0x[0-9a-fA-F]+|[+*-]?\d+|\*)(?:\s+|$))+")
LINE = 4000
"""Limit on the characters of a line of costs. Lines with names may be longer."""
NONE = "???"
"""Valgrind's name for functions that are unknown."""


def recognises(source: Source) -> bool:
    """Recognise the lines at the beginning of a profile."""
    return BEGIN.match(source.head) is not None and "\nfn=" in source.head


def read(source: Source) -> Campaign:
    """Read the profile line by line. The costs of a function's lines are added up."""
    costs: dict[str, list[float]] = {}
    events = _add_up(source, costs)
    if not events or not costs:
        raise FormatError("a profile without costs", "“events: Ir”, and lines of costs below “fn=”")
    entries = (
        Entry(level_of(name), {}, {event: [value] for event, value in zip(events, found, strict=True)})
        for name, found in costs.items()
    )
    return campaign_of(entries, source.limits, NAME)


def _add_up(source: Source, costs: dict[str, list[float]]) -> list[str]:
    """Add the costs of each function to `costs`, and return the names of the events."""
    events, positions, names = list[str](), 1, dict[str, str]()
    found: list[float] | None = None
    called = False
    for number, text in source.lines():
        if text.startswith("fn="):
            name = _named(text, names)
            found = costs.setdefault(name, [0.0] * len(events))
            if len(costs) > source.limits.kernels:
                raise FormatError(f"more than {source.limits.kernels} functions", "fewer functions", number)
        elif text.startswith("cfn="):
            _named(text, names)
        elif text.startswith("events:"):
            events = text.removeprefix("events:").split()
            check_count(len(events), source.limits.metrics, "events")
        elif text.startswith("positions:"):
            positions = len(text.removeprefix("positions:").split())
        elif text.startswith("calls="):
            called = True
        elif text[0] in "0123456789+-*" and len(text) <= LINE and COSTS.fullmatch(text):
            if found is not None and not called:
                _add(found, text.split()[positions:], number)
            called = False
    return events


def _named(text: str, names: dict[str, str]) -> str:
    match = FUNCTION.fullmatch(text)
    if match is None:
        return NONE
    name = match["name"].strip()
    if match["id"] is None:
        return name or NONE
    if name:
        names[match["id"]] = name
    return names.get(match["id"], NONE)


def _add(found: list[float], counts: Sequence[str], number: int) -> None:
    """Add the counts of a line. Counts that are missing at its end are 0."""
    if len(counts) > len(found):
        raise FormatError(
            f"{len(counts)} counts in {quoted(' '.join(counts))}", f"at most {len(found)}", number
        )
    for place, count in enumerate(counts):
        found[place] += float(count)
