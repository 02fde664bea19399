"""Reads Google Benchmark's JSON, CSV (`--benchmark_format`, `--benchmark_out_format`) and printed table.

Arguments are parts of a benchmark's name: `BM_sort/n:1024/threads:2`; without a name they are arg1, arg2 and
so on. Times are in seconds, and counters are metrics. Repetitions are rounds of one process. If the file has
only aggregates, the median or mean is the value. Lines of the console may precede a CSV table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, campaign_of, entry, within_limits
from ingest.formats.collecting.metadata import metadata_of
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source
from ingest.formats.readers.microbenchmarks.google_benchmark.aggregates import counted
from ingest.formats.readers.microbenchmarks.google_benchmark.arguments import arguments
from ingest.formats.readers.microbenchmarks.google_benchmark.console import HEADER as PRINTED
from ingest.formats.readers.microbenchmarks.google_benchmark.console import from_console
from ingest.formats.readers.microbenchmarks.google_benchmark.results import (
    HEADER,
    TIMES,
    Result,
    from_csv,
    from_json,
)

NAME = "google-benchmark"
TITLE = "Google Benchmark JSON or CSV"
UNITS = dict.fromkeys(TIMES, "s") | {"bytes_per_second": "B/s", "items_per_second": "items/s"}
SHOWN = 5
"""Limit on the failed benchmarks that are named one by one."""


def recognises(source: Source) -> bool:
    """Recognise a JSON document with benchmarks and their context, or a table's names of columns."""
    if "benchmarks" in source.keys:
        others = '"runs"' in source.head and '"alias"' in source.head  # mitata
        return ("context" in source.keys or '"run_type"' in source.head) and not others
    return any(header.search(source.beginnings) for header in (HEADER, PRINTED))


def read(source: Source) -> Campaign:
    """Read the file result by result."""
    metadata, failed = dict[str, object](), list[str]()
    if source.head.startswith("{"):
        document = source.document
        document.constants = True
        try:
            metadata = metadata_of(document, ("context",))
            results = _held(from_json(document, failed), source)
        except FormatError as error:
            raise error.at(document.line) from None
    else:
        rows = from_csv if HEADER.search(source.beginnings) else from_console
        results = _held(rows(source, failed), source)
    results, notes = counted(results)
    campaign = campaign_of(map(_entry, results), source.limits, NAME, rounds=True)
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    all_notes = (*_note_of_failed(failed), *notes, *campaign.notes)
    return replace(campaign, units=units, metadata=metadata, notes=all_notes)


def _held(results: Iterable[Result], source: Source) -> list[Result]:
    return list(within_limits(results, source.limits, lambda each: len(each.values) + len(each.labels)))


def _entry(result: Result) -> Entry:
    kernel, parameters = arguments(result.name)
    values = {metric: [value] for metric, value in result.values.items()}
    return entry(kernel, parameters | dict(result.labels), values, result.line)


def _note_of_failed(failed: Sequence[str]) -> tuple[str, ...]:
    if not failed:
        return ()
    names = list(dict.fromkeys(failed))
    shown = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
    return (f"{len(failed)} results were left out, as their benchmark failed or was skipped: {shown}",)
