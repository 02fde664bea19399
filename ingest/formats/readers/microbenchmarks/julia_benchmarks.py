"""Reads the JSON that Julia's BenchmarkTools saves (`BenchmarkTools.save("results.json", results)`).

The file is a list of versions and of saved values. A `BenchmarkGroup` holds groups, trials and estimates by
name. Names of groups are levels of the kernel's path; numbers are the parameters `arg1`, `arg2` and so on.
The samples of a `Trial` share a process, so their median is one repetition; an estimate is one value. Times
are in nanoseconds.
"""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, SEPARATOR
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import LIST, Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source

NAME = "julia-benchmarks"
TITLE = "BenchmarkTools.jl JSON"
MODULE = "BenchmarkTools."
GROUP, TRIAL, ESTIMATE = "BenchmarkGroup", "Trial", "TrialEstimate"
UNITS = {"time": "ns", "memory": "B"}


def recognises(source: Source) -> bool:
    """Recognise a JSON list that begins with the versions of Julia and of BenchmarkTools."""
    return source.head.startswith("[") and '"BenchmarkTools"' in source.head[:1000]


def read(source: Source) -> Campaign:
    """Read the saved values one by one."""
    document: Document = source.document
    try:
        document.enter(LIST)
        versions, *saved = document.elements()
        campaign = campaign_of(_all(saved), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    return replace(campaign, units=units, metadata=members(versions, "an object of versions"))


def _all(saved: list[Any]) -> Iterator[Entry]:
    for values in saved:
        for value in values if isinstance(values, list) else ():
            yield from _entries(value, ())


def _entries(value: object, path: tuple[str, ...]) -> Iterator[Entry]:
    """Yield the results in a value, which is a list of its type and its fields."""
    match value:
        case [str(kind), tuple(pairs)]:
            fields = members(pairs, "an object of fields")
        case _:
            raise FormatError(quoted(value), f"a list of a type, such as “{GROUP}”, and its fields")
    kind = kind.removeprefix(MODULE)
    if kind == GROUP:
        for name, inner in members(fields.get("data") or (), "values by name").items():
            yield from _entries(inner, (*path, name))
    elif kind in (TRIAL, ESTIMATE):
        yield _entry(fields, path)


def _entry(fields: dict[str, Any], path: tuple[str, ...]) -> Entry:
    times = fields.get("times", [fields.get("time")])
    check_numbers(times if isinstance(times, list) else [times], "the times")
    numbers = [name for name in path if as_number(name) is not None]
    names = [level_of(name) for name in path if as_number(name) is None and name]
    values = {"time": [median(times)]}
    for metric in ("memory", "allocs"):
        if isinstance(measured := fields.get(metric), float):
            values[metric] = [measured]
    parameters = {f"arg{place}": name for place, name in enumerate(numbers, 1)}
    return entry(SEPARATOR.join(names) or DEFAULT_KERNEL, parameters, values, 0)
