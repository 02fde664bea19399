"""Reads the JSON of nanobench (`ankerl::nanobench::templates::json()`): measurements of C++ snippets.

A measurement holds means over many iterations in one process, and is therefore a round. The metrics are the
time and the counters of the CPU, for each unit of work: nanobench divides by `batch`, too, when it prints its
table. `complexityN` is the parameter N; a name that ends in it, `sort 1000`, is shortened. Counters that are
0 everywhere were not available.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.entries import Entry, campaign_of, level_of, within_limits
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source

NAME = "nanobench"
TITLE = "nanobench JSON"
TIME = "elapsed"
METRICS = {
    TIME: "time",
    "cpucycles": "CPU cycles",
    "instructions": "instructions",
    "branchinstructions": "branches",
    "branchmisses": "branch misses",
    "pagefaults": "page faults",
    "contextswitches": "context switches",
}
"""Key of a measurement → metric."""


def recognises(source: Source) -> bool:
    """Recognise a JSON document of results with a median and measurements."""
    return source.keys == {"results"} and '"median(elapsed)"' in source.head


def read(source: Source) -> Campaign:
    """Read the document result by result."""
    document = source.document
    document.constants = True
    try:
        results = list(within_limits(_results(document), source.limits, _cells))
    except FormatError as error:
        raise error.at(document.line) from None
    campaign = campaign_of(_entries(results), source.limits, NAME, rounds=True)
    return replace(campaign, units={"time": "s"})


def _results(document: Document) -> Iterator[tuple[dict[str, Any], int]]:
    document.enter("results")
    for element in document.results():
        fields = members(element, "an object for each result")
        if not isinstance(fields.get("name"), str) or not isinstance(fields.get("measurements"), list):
            found = f"the result {quoted(fields.get('name'))}"
            raise FormatError(found, "a name and a list of measurements in each result")
        fields["measurements"] = [members(each, "an object") for each in fields["measurements"]]
        check_numbers([fields.get("batch", 1.0), fields.get("complexityN", 0.0)], "batch and complexityN")
        yield fields, document.line


def _cells(result: tuple[dict[str, Any], int]) -> int:
    return len(METRICS) * len(result[0]["measurements"])


def _entries(results: Sequence[tuple[dict[str, Any], int]]) -> Iterator[Entry]:
    several = len({str(fields.get("title")) for fields, _ in results}) > 1
    measured = {
        key
        for fields, _ in results
        for each in fields["measurements"]
        for key in METRICS
        if each.get(key) or key == TIME
    }
    for fields, line in results:
        size = fields.get("complexityN", 0.0)
        name = _without(size, fields["name"])
        path = [str(fields.get("title")), name] if several else [name]
        values = {
            METRICS[key]: _per_unit([each.get(key) for each in fields["measurements"]], fields.get("batch"))
            for key in METRICS
            if key in measured
        }
        yield Entry(SEPARATOR.join(map(level_of, path)), {"N": size} if size > 0 else {}, values, line)


def _without(size: float, name: str) -> str:
    """Return the name without the size at its end."""
    return name.removesuffix(f"{size:.0f}").rstrip(" /=:_-([") or name if size > 0 else name


def _per_unit(values: Sequence[object], batch: float | None) -> list[float]:
    known = [value for value in values if isinstance(value, float)]
    return [value / (batch or 1.0) for value in known]
