"""Reads the JSON of BenchmarkDotNet (`--exporters json`: `…-report-full.json`, `…-report-brief.json`).

The iterations of a benchmark are rounds of an unknown number of processes, so their median is one repetition.
Parameters are read from `N=100&Kind=x`. Times are in nanoseconds. Allocated bytes per operation are a second
metric.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.entries import Entry, campaign_of, entry, level_of
from ingest.formats.collecting.metadata import metadata_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source

NAME = "benchmark-dotnet"
TITLE = "BenchmarkDotNet JSON"
ABOUT = ("HostEnvironmentInfo", "Title")
UNITS = {"time": "ns", "allocated": "B"}


def recognises(source: Source) -> bool:
    """Recognise a JSON document with benchmarks and a description of the host."""
    return source.keys >= {"HostEnvironmentInfo", "Benchmarks"}


def read(source: Source) -> Campaign:
    """Read the document benchmark by benchmark."""
    document = source.document
    document.constants = True
    try:
        metadata = metadata_of(document, ABOUT)
        campaign = campaign_of(_benchmarks(document), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    return replace(campaign, units=units, metadata=metadata)


def _benchmarks(document: Document) -> Iterator[Entry]:
    document.enter("Benchmarks")
    for _ in document.places():
        line = document.line_of_next
        fields = members(document.value(), "an object for each benchmark")
        names = [fields.get(name) for name in ("Namespace", "Type", "Method")]
        kernel = SEPARATOR.join(level_of(name) for name in names if isinstance(name, str) and name)
        if not kernel:
            raise FormatError("a benchmark without “Type” and “Method”", "their names as texts", line)
        values = {"time": _times(fields.get("Statistics")), "allocated": _allocated(fields.get("Memory"))}
        measured = {metric: found for metric, found in values.items() if found}
        if "time" in measured:
            yield entry(kernel, _parameters(fields.get("Parameters")), measured, line)


def _times(statistics: object) -> list[float]:
    """Return the median of the iterations; empty if the benchmark failed."""
    found: Mapping[str, Any] = members(statistics or (), "an object of statistics")
    values = found.get("OriginalValues") or [found[name] for name in ("Median", "Mean") if name in found][:1]
    if not values:
        return []
    check_numbers(values, "the times")
    return [median(values)]


def _allocated(memory: object) -> list[float]:
    found = members(memory or (), "an object for the memory").get("BytesAllocatedPerOperation")
    return [found] if isinstance(found, float) else []


def _parameters(text: object) -> dict[str, object]:
    """Return the parameters of a text such as `N=100&Kind=x`."""
    if text is None:
        return {}
    if not isinstance(text, str):
        raise FormatError(f"the parameters {quoted(text)}", "a text such as “N=100&Kind=x”")
    pairs = (piece.partition("=") for piece in text.split("&") if piece)
    return {name.strip(): value.strip() for name, _, value in pairs}
