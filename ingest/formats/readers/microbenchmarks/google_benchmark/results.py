"""Reads results and aggregates in the notations of JSON and of CSV."""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ingest.formats.campaign.units import SECONDS
from ingest.formats.collecting.entries import as_number
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured

TIME_UNITS = ("s", "ms", "us", "ns")
TIMES = ("real_time", "cpu_time")
SPREADS = {"stddev", "cv", "BigO", "RMS"}
"""Aggregates of a spread or a fit, not of the measured quantity."""
NO_COUNTERS = {
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
}
HEADER = re.compile(r"^(?:\w++,){0,8}name,iterations,real_time,cpu_time,", re.MULTILINE)
"""Matches the names of the columns, with a program's own columns before them."""
TEXTS = {"name", "time_unit", "label", "error_occurred", "error_message"}
AGGREGATE = re.compile(r"(.*)_(mean|median|stddev|cv|BigO|RMS)", re.DOTALL)


@dataclass(frozen=True)
class Result:
    """A result of a benchmark, or an aggregate of its repetitions.

    Attributes:
        aggregate: name of the aggregate; empty for a result.
        certain: whether the file itself, not the name, tells aggregates from results.
        values: metric → value, times in seconds.
        labels: texts from the program's own columns.
    """

    name: str
    aggregate: str
    certain: bool
    values: Mapping[str, float]
    labels: Mapping[str, object]
    line: int


def from_json(document: Document, failed: list[str]) -> Iterator[Result]:
    """Yield the results one by one. Names of failed benchmarks are appended to `failed`.

    Raises:
        FormatError: a result has no name or time unit, or a time that is no number.
    """
    document.enter("benchmarks")
    for element in document.results():
        fields = members(element, "an object for each benchmark")
        if fields.get("error_occurred") or fields.get("skipped"):
            failed.append(_failure(fields, fields.get("error_message") or fields.get("skip_message")))
        else:
            yield _result(fields, document.line)


def from_csv(source: Source, failed: list[str]) -> Iterator[Result]:
    """Yield the results of a table. Lines of other programs between the rows are skipped.

    Raises:
        FormatError: as in `from_json`, or the text is no table.
    """
    numbered = source.raw_lines()
    skipped, header = next((number - 1, line) for number, line in numbered if HEADER.match(line))
    table = csv.reader(chain([header], (line for _, line in numbered)))
    names = next(table)
    own = names[: names.index("name")]
    others = 0
    try:
        for row in table:
            if len(row) != len(names) or row[len(own)] == "name":
                others += 1
                check_unmeasured(others, source.limits, skipped + table.line_num)
                continue
            cells = dict(zip(names, row, strict=True))
            if cells.get("error_occurred") == "true":
                failed.append(_failure(cells, cells.get("error_message")))
                if len(failed) > source.limits.results:
                    most = f"{source.limits.results} failed results"
                    raise LimitError(f"more than {most}", f"at most {most}")
                continue
            fields = {name: as_number(cell) for name, cell in cells.items() if name not in (*own, *TEXTS)}
            named = {"name": cells["name"], "time_unit": cells.get("time_unit")}
            labels = {name: cells[name] for name in own}
            yield _result(fields | named, skipped + table.line_num, labels)
    except csv.Error as error:
        raise FormatError(
            f"no table: {error}",
            "each cell either without quotes or wholly inside of quotes",
            skipped + table.line_num,
        ) from None


def _failure(fields: Mapping[str, Any], message: object) -> str:
    return f"{fields.get('name')} ({message})"[:200] if message else str(fields.get("name"))[:200]


def _result(fields: dict[str, Any], line: int, labels: Mapping[str, object] | None = None) -> Result:
    name, aggregate = fields.get("name"), ""
    if not isinstance(name, str):
        raise FormatError(f"the name {quoted(name)}", "a text", line)
    certain = "run_type" in fields
    if fields.get("run_type") == "aggregate":
        aggregate = str(fields.get("aggregate_name") or "aggregate")
        name = fields.get("run_name") or name.removesuffix(f"_{aggregate}")
    elif not certain and (looks := AGGREGATE.fullmatch(name)):
        name, aggregate = looks[1], looks[2]
    values = {} if aggregate in SPREADS else _values(fields, line)
    return Result(str(name), aggregate, certain, values, labels or {}, line)


def _values(fields: dict[str, Any], line: int) -> dict[str, float]:
    unit, found = fields.get("time_unit", "ns"), dict[str, float]()
    if unit not in TIME_UNITS:
        raise FormatError(f"the time unit {quoted(unit)}", "s, ms, us or ns", line)
    ratio = fields.get("aggregate_unit") == "percentage"
    for metric, value in fields.items():
        if metric in TIMES and value is not None:
            if not isinstance(value, float):
                raise FormatError(f"{metric} {quoted(value)}", "a number", line)
            found[metric] = value * (1.0 if ratio else SECONDS[unit])
        elif isinstance(value, float) and metric not in NO_COUNTERS:
            found[metric] = value
    return found
