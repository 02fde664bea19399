"""Reads the JSON of pyperf, and of pyperformance, which uses it.

A run is one process, whose values are rounds, and their median is one repetition. Runs that only calibrate
have no values. The unit of a benchmark (second, byte or integer) gives the metric's name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.collecting.metadata import metadata_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source

NAME = "pyperf"
TITLE = "pyperf JSON"
METRICS = {"second": ("time", "s"), "byte": ("memory", "B"), "integer": ("value", "")}
ABOUT = ("metadata", "version")


def recognises(source: Source) -> bool:
    """Recognise a JSON document with a version, and benchmarks made of runs."""
    return (
        source.keys >= {"benchmarks", "version"}
        and '"runs"' in source.head
        and "machine_info" not in source.keys
    )


def read(source: Source) -> Campaign:
    """Read the document benchmark by benchmark."""
    document = source.document
    try:
        common = _common(document)
        found = list(_benchmarks(document, common))
        campaign = campaign_of(found, source.limits, NAME)
        metadata = metadata_of(document, ABOUT)
    except FormatError as error:
        raise error.at(document.line) from None
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in METRICS.values() if unit and metric in metrics}
    return replace(campaign, units=units, metadata=metadata)


def _common(document: Document) -> dict[str, Any]:
    """Return the metadata that all benchmarks share, with the name of a single benchmark."""
    if "metadata" not in document.sections:
        return {}
    document.enter("metadata")
    return members(document.value(), "an object of metadata")


def _benchmarks(document: Document, common: Mapping[str, Any]) -> Iterator[Entry]:
    document.enter("benchmarks")
    for _ in document.places():
        line = document.line_of_next
        fields = members(document.value(), "an object for each benchmark")
        own = {**common, **members(fields.get("metadata") or (), "an object of metadata")}
        name, unit = own.get("name", ""), own.get("unit", "second")
        if not isinstance(name, str) or not name or unit not in METRICS:
            found = f"a benchmark with the name {quoted(name)} and the unit {quoted(unit)}"
            raise FormatError(found, f"a text, and one of {', '.join(METRICS)}")
        yield Entry(level_of(name), {}, {METRICS[unit][0]: list(_runs(fields.get("runs")))}, line)


def _runs(runs: object) -> Iterator[float]:
    """Yield the median of each run with values."""
    for run in runs if isinstance(runs, list) else ():
        values = members(run, "an object for each run").get("values")
        if values:
            check_numbers(values if isinstance(values, list) else [values], "the values")
            yield median(values)
