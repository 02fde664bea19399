"""Reads the JSON of fio (`--output-format=json`), the flexible I/O tester.

A job in one direction of access (read, write, trim) is a kernel. Numbers among the options bs, iodepth,
numjobs, size and rwmixread are parameters; sizes such as 4k become bytes (k = 1024). Text above the document,
such as fio's warnings, is skipped.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.collecting.metadata import metadata_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source

NAME = "fio"
TITLE = "fio JSON"
ABOUT = ("fio version", "time")
PARAMETERS = ("bs", "iodepth", "numjobs", "size", "rwmixread")
DIRECTIONS = ("read", "write", "trim")
METRICS = {"iops": ("IOPS", "1/s"), "bw_bytes": ("bandwidth", "B/s"), "runtime": ("runtime", "ms")}
LATENCIES = {"lat_ns": "latency", "clat_ns": "completion latency"}
"""Name of an object with statistics of a latency → metric. Only the mean is read, in nanoseconds."""
UNITS = dict(METRICS.values()) | dict.fromkeys(LATENCIES.values(), "ns")
SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([kmgt]?)(?:i?b)?", re.IGNORECASE)


def recognises(source: Source) -> bool:
    """Recognise a JSON document that contains fio's version and jobs."""
    return source.keys >= {"fio version", "jobs"}


def read(source: Source) -> Campaign:
    """Read the document job by job."""
    document = source.document
    try:
        metadata, options = metadata_of(document, ABOUT), _options(document)
        campaign = campaign_of(_jobs(document, options), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    return replace(campaign, units=units, metadata=metadata)


def _options(document: Document) -> dict[str, Any]:
    """Return the options of all jobs."""
    if "global options" not in document.sections:
        return {}
    document.enter("global options")
    return members(document.value(), "an object of options")


def _jobs(document: Document, common: Mapping[str, Any]) -> Iterator[Entry]:
    document.enter("jobs")
    for _ in document.places():
        line = document.line_of_next
        fields = members(document.value(), "an object for each job")
        name = fields.get("jobname")
        if not isinstance(name, str):
            raise FormatError(f"the job {quoted(name)}", "a text as “jobname”", line)
        options = {**common, **members(fields.get("job options") or (), "an object of options")}
        sizes = {option: _size(options.get(option)) for option in PARAMETERS}
        point = {option: size for option, size in sizes.items() if size is not None}
        for direction in DIRECTIONS:
            values = _values(members(fields.get(direction) or (), "an object for each direction"))
            if values:
                yield Entry(f"{level_of(name)}{SEPARATOR}{direction}", point, values, line)


def _size(text: object) -> float | None:
    """Return the number of an option such as 32 or 4k; None for other options."""
    found = SIZE.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return text if isinstance(text, float) else None
    return float(found[1]) * 1024.0 ** " kmgt".index(found[2].lower() or " ")


def _values(fields: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return the metrics of a direction; empty if nothing was read or written."""
    if not fields.get("total_ios") and not fields.get("io_bytes"):
        return {}
    values = {metric: fields.get(key) for key, (metric, _) in METRICS.items()}
    for key, metric in LATENCIES.items():
        values[metric] = members(fields.get(key) or (), "an object of statistics").get("mean")
    return {metric: [value] for metric, value in values.items() if isinstance(value, float)}
