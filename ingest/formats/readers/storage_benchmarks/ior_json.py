"""Reads the JSON of IOR (`-O summaryFormat=JSON`), with the metrics and parameters of its printed output.

Each test has options, and results of each repetition and access (write, read). The access is the kernel.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of
from ingest.formats.collecting.metadata import metadata_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source
from ingest.formats.readers.storage_benchmarks.ior import UNITS

NAME = "ior-json"
TITLE = "IOR JSON"
ABOUT = ("Version", "Command line", "Machine")
METRICS = {
    "bwMiB": "bandwidth",
    "iops": "IOPS",
    "latency": "latency",
    "openTime": "open",
    "wrRdTime": "transfer",
    "closeTime": "close",
    "totalTime": "time",
}
"""Key of a result → metric of the printed output."""
SIZES = {"blockKiB": "block_KiB", "xferKiB": "transfer_KiB"}
"""Key of a result → parameter of the printed output."""


def recognises(source: Source) -> bool:
    """Recognise a JSON document with tests and IOR's command line."""
    return source.keys >= {"tests", "Command line"} and '"Options"' in source.head


def read(source: Source) -> Campaign:
    """Read the document test by test."""
    document = source.document
    document.constants = True
    try:
        metadata = metadata_of(document, ABOUT)
        campaign = campaign_of(_results(document), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    return replace(campaign, units=units, metadata=metadata)


def _results(document: Document) -> Iterator[Entry]:
    document.enter("tests")
    for _ in document.places():
        line = document.line_of_next
        test = members(document.value(), "an object for each test")
        options = members(test.get("Options") or (), "options by name")
        results = test.get("Results")
        if not isinstance(results, list):
            raise FormatError(f"the results {quoted(results)}", "a list of results in each test", line)
        for each in results:
            fields = members(each, "an object for each result")
            values = {METRICS[key]: [value] for key, value in _numbers(fields, METRICS)}
            sizes = {SIZES[key]: value for key, value in _numbers(fields, SIZES)}
            counts = dict(_numbers(options, ("nodes", "tasks")))
            yield entry(level_of(str(fields.get("access"))), {**counts, **sizes}, values, line)


def _numbers(fields: Mapping[str, Any], keys: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield those of the keys that have a number, perhaps written as a text."""
    for key in keys:
        if (value := as_number(fields.get(key))) is not None:
            yield key, value
