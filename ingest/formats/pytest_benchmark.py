"""pytest-benchmark's JSON (`--benchmark-json`); with the time of each round where `save-data` kept it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingest.formats.campaign import Campaign
from ingest.formats.document import Document
from ingest.formats.entries import Entry, campaign_of, entry
from ingest.formats.errors import FormatError, quoted
from ingest.formats.json_text import check_numbers, members
from ingest.formats.source import Source

NAME = "pytest-benchmark"
TITLE = "pytest-benchmark JSON"


def recognises(source: Source) -> bool:
    """A JSON document with benchmarks and the machine on which they ran."""
    return source.keys >= {"benchmarks", "machine_info"}


def read(source: Source) -> Campaign:
    """Read entry by entry."""
    document = source.document
    try:
        metadata = _metadata(document)
        campaign = campaign_of(_entries(document, source.limits.repetitions), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    return replace(campaign, units={"time": "s"}, metadata=metadata)


def _metadata(document: Document) -> dict[str, object]:
    """What is told of the machine and the commit, as far as it is plain text or a number."""
    found: dict[str, object] = {}
    for section in ("machine_info", "commit_info"):
        if section in document.sections:
            document.enter(section)
            about = members(document.value(), f"an object of {section}")
            found |= {name: value for name, value in about.items() if isinstance(value, str | float)}
    return found


def _entries(document: Document, most: int) -> Iterator[Entry]:
    document.enter("benchmarks")
    for element in document.elements():
        yield _entry(members(element, "an object for each benchmark"), most, document.line)


def _entry(fields: dict[str, Any], most: int, line: int) -> Entry:
    name, stats = fields.get("fullname", fields.get("name")), members(fields.get("stats"), "stats by name")
    if not isinstance(name, str):
        raise FormatError(f"the name {quoted(name)}", "a text")
    data = stats.get("data")
    times: list[Any] = data if isinstance(data, list) and 0 < len(data) <= most else [stats.get("mean")]
    check_numbers(times, "the times")
    parameters = members(fields.get("params") or (), "params by name")
    return entry(name.partition("[")[0], parameters, {"time": times}, line)
