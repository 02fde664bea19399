"""JSON Lines: one measurement, or one list of repetitions, a line.

`{"params": {"p": 8, "n": 1000}, "callpath": "main->solve", "metric": "time", "value": [1.3, 1.4]}`

`callpath` and `metric` may be left out. The first line gives the names and the order of the parameters. Lines
of the same point, kernel and metric add repetitions.
"""

from pathlib import Path
from typing import Any

from ingest.formats.campaign import Campaign, Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import DEFAULT_KERNEL, DEFAULT_METRIC
from ingest.formats.source import Source
from ingest.formats.text import lines, load_object

NAME = "jsonl"
TITLE = "JSON Lines"
KEYS = {"params", "value", "callpath", "metric"}


def recognises(source: Source) -> bool:
    """A line that is an object with `params`."""
    return source.first_line.startswith("{") and '"params"' in source.first_line


def read(path: Path, limits: Limits) -> Campaign:
    """Read line by line; memory grows with the values, not with the text."""
    collector = Collector(limits)
    for number, text in lines(path, limits):
        row = load_object(text, limits, number)
        try:
            _add(collector, row)
        except FormatError as error:
            raise error.at(number) from None
    return collector.campaign(NAME)


def _add(collector: Collector, row: dict[str, Any]) -> None:
    params, value = row.get("params"), row.get("value")
    if not isinstance(params, dict) or not params or value is None:
        raise FormatError(quoted(row), 'an object with "params": {…} and "value"')
    if not row.keys() <= KEYS:
        unknown = ", ".join(sorted(row.keys() - KEYS))
        raise FormatError(f"the key {quoted(unknown)}", "params, value, callpath and metric")
    if not collector.parameters:
        collector.declare(list(params))
    try:
        coordinates = [params[name] for name in collector.parameters]
    except KeyError as error:
        raise FormatError(f"no parameter {error}", _names(collector)) from None
    if len(params) > len(coordinates):
        extra = ", ".join(sorted(params.keys() - set(collector.parameters)))
        raise FormatError(f"the parameter {quoted(extra)}, which the first line has not", _names(collector))
    series = collector.series(row.get("callpath", DEFAULT_KERNEL), row.get("metric", DEFAULT_METRIC))
    collector.add(series, _point(collector, coordinates), value if isinstance(value, list) else [value])


def _point(collector: Collector, coordinates: list[Any]) -> int:
    try:
        return collector.point(coordinates)
    except TypeError:  # not hashable
        raise FormatError(f"the coordinates {quoted(coordinates)}", "numbers") from None


def _names(collector: Collector) -> str:
    return f"the parameters of the first line: {', '.join(collector.parameters)}"
