"""Google Benchmark's JSON (`--benchmark_format=json`).

Arguments are parts of a benchmark's name: `BM_sort/n:1024/threads:2`; those without a name are called arg1,
arg2 and so on. Times are read in seconds; counters are metrics, too. Aggregates are left out.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingest.formats.campaign import Campaign
from ingest.formats.document import Document
from ingest.formats.entries import Entry, as_number, campaign_of, entry
from ingest.formats.errors import FormatError, quoted
from ingest.formats.json_text import check_numbers, members
from ingest.formats.source import Source

NAME = "google-benchmark"
TITLE = "Google Benchmark JSON"
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
TIMES = ("real_time", "cpu_time")
SETTINGS = {"real_time", "process_time", "manual_time"}
SETTING_VALUES = ("iterations:", "repeats:", "min_time:", "min_warmup_time:")
NO_COUNTERS = {
    *TIMES,
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
}


def recognises(source: Source) -> bool:
    """A JSON document with benchmarks and the context in which they ran."""
    return source.keys >= {"benchmarks", "context"}


def read(source: Source) -> Campaign:
    """Read entry by entry."""
    document = source.document
    try:
        document.enter("context")
        context = members(document.value(), "an object of the context")
        campaign = campaign_of(_entries(document), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    metadata: dict[str, object] = {
        name: value for name, value in context.items() if isinstance(value, str | float)
    }
    return replace(campaign, units=dict.fromkeys(TIMES, "s"), metadata=metadata)


def _entries(document: Document) -> Iterator[Entry]:
    document.enter("benchmarks")
    for element in document.elements():
        fields = members(element, "an object for each benchmark")
        if fields.get("run_type", "iteration") == "iteration" and not fields.get("error_occurred"):
            yield _entry(fields, document.line)


def _entry(fields: dict[str, Any], line: int) -> Entry:
    name, unit = fields.get("name"), fields.get("time_unit", "ns")
    if not isinstance(name, str) or unit not in SECONDS:
        raise FormatError(
            f"the name {quoted(name)} and the time unit {quoted(unit)}", "a name, and s, ms, us or ns"
        )
    kernel, parameters = _parts(name)
    values = {}
    for metric in TIMES:
        check_numbers([fields.get(metric)], metric)
        values[metric] = [fields[metric] * SECONDS[unit]]
    for metric, value in fields.items():
        if isinstance(value, float) and metric not in NO_COUNTERS:
            values[metric] = [value]
    return entry(kernel, parameters, values, line)


def _parts(name: str) -> tuple[str, dict[str, object]]:
    """What is measured, and with which arguments."""
    first, *parts = name.split("/")
    kernel, parameters, count = [first], dict[str, object](), 0
    for part in parts:
        key, colon, value = part.rpartition(":")
        if part in SETTINGS or part.startswith(SETTING_VALUES):
            continue
        if colon:
            parameters[key] = value
        elif as_number(part) is not None:
            count += 1
            parameters[f"arg{count}"] = part
        else:
            kernel.append(part)
    return "/".join(kernel), parameters
