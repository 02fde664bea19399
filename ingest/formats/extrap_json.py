"""Extra-P's JSON: kernels, their metrics, and the values at each point.

`{"parameters": ["p"], "measurements": {"main->solve": {"time": [{"point": [8], "values": [1.3, 1.4]}]}}}`
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.formats.campaign import Campaign, Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.source import Source
from ingest.formats.text import document

NAME = "extrap-json"
TITLE = "Extra-P JSON"


def recognises(source: Source) -> bool:
    """A JSON document with measurements that are not a list of numbered triples."""
    return (
        source.head.startswith("{")
        and source.contains(b'"measurements"')
        and not source.contains(b'"coordinates"')
    )


def read(path: Path, limits: Limits) -> Campaign:
    """Read the document at once."""
    found = document(path, limits)
    collector = Collector(limits)
    names = found.get("parameters")
    if not isinstance(names, list):
        raise FormatError(f"parameters {quoted(names)}", 'a list of names: "parameters": ["p", "n"]')
    collector.declare(names)
    for kernel, metric, number, entry in _entries(found.get("measurements")):
        try:
            _add(collector, kernel, metric, entry)
        except FormatError as error:
            place = f"in {quoted(kernel)}, {quoted(metric)}, entry {number}: {error.found}"
            raise FormatError(place, error.expected) from None
    return collector.campaign(NAME)


def _entries(measurements: object) -> Iterator[tuple[str, str, int, Any]]:
    """Kernel, metric, 1-based number and content of every entry."""
    for kernel, metrics in _items(measurements, "measurements"):
        for metric, entries in _items(metrics, f"kernel {quoted(kernel)}"):
            if not isinstance(entries, list):
                raise FormatError(
                    f"{quoted(entries)} for {quoted(kernel)}, {quoted(metric)}", "a list of points"
                )
            for number, entry in enumerate(entries, 1):
                yield kernel, metric, number, entry


def _items(value: object, what: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise FormatError(f"{quoted(value)} for {what}", "an object")
    yield from value.items()


def _add(collector: Collector, kernel: str, metric: str, entry: object) -> None:
    if not isinstance(entry, dict):
        raise FormatError(quoted(entry), 'an object with "point" and "values"')
    point, values = entry.get("point"), entry.get("values", entry.get("value"))
    coordinates: list[Any] = point if isinstance(point, list) else [point]
    values = values if isinstance(values, list) else [values]
    if not all(isinstance(word, float) for word in [*coordinates, *values]):
        raise FormatError(quoted(entry), 'numbers in "point" and "values"')
    collector.add(collector.series(kernel, metric), collector.point(coordinates), values)
