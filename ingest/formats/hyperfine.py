"""hyperfine's JSON (`--export-json`): commands, their parameters, and the time of each run."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingest.formats.campaign import Campaign
from ingest.formats.document import Document
from ingest.formats.entries import Entry, as_number, campaign_of, entry
from ingest.formats.errors import FormatError, quoted
from ingest.formats.json_text import check_numbers, members
from ingest.formats.limits import Limits
from ingest.formats.source import Source

NAME = "hyperfine"
TITLE = "hyperfine JSON"


def recognises(source: Source) -> bool:
    """A JSON document of nothing but results."""
    return source.keys == {"results"}


def read(source: Source) -> Campaign:
    """Read command by command."""
    document = source.document
    try:
        campaign = campaign_of(_entries(document, source.limits), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    return replace(campaign, units=dict.fromkeys(("time", "user", "system"), "s"))


def _entries(document: Document, limits: Limits) -> Iterator[Entry]:
    document.enter("results")
    for element in document.elements():
        fields = members(element, "an object for each command")
        parameters = members(fields.get("parameters", ()), "parameters by name")
        if len(parameters) > limits.parameters:
            raise FormatError(f"{len(parameters)} parameters", f"{limits.parameters} at most")
        yield _entry(fields, parameters, document.line)


def _entry(fields: dict[str, Any], parameters: dict[str, Any], line: int) -> Entry:
    command = fields.get("command")
    if not isinstance(command, str):
        raise FormatError(f"the command {quoted(command)}", "a text")
    times = fields.get("times") or [fields.get("mean")]
    values = {"time": times if isinstance(times, list) else [times]}
    check_numbers(values["time"], "the times")
    for metric in ("user", "system"):
        if fields.get(metric) is not None:
            values[metric] = [fields[metric]]
            check_numbers(values[metric], metric)
    return entry(_without(command, parameters), parameters, values, line)


def _without(command: str, parameters: dict[str, Any]) -> str:
    """The command with {name} where a number stood: all of its runs are one kernel."""
    for name, value in parameters.items():
        if as_number(value) is not None:
            text = value if isinstance(value, str) else f"{value:g}"
            pieces = re.split(rf"(?<![\w.]){re.escape(text)}(?![\w.])", command)
            command = f"{{{name}}}".join(pieces)
    return command
