"""Extra-P's older JSON, in which measurements refer to numbered parameters, paths, metrics and points.

`measurements` holds `{callpath_id, metric_id, coordinate_id, value}`; equal ids are repetitions.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, DEFAULT_METRIC
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source

NAME = "extrap-json-legacy"
TITLE = "Extra-P JSON (older form)"


def recognises(source: Source) -> bool:
    """Recognise a JSON document with numbered coordinates."""
    return source.keys >= {"coordinates", "measurements"}


def read(source: Source) -> Campaign:
    """Read the document entry by entry."""
    document, collector = source.document, Collector(source.limits)
    try:
        parameters = _names(document, "parameters", None)
        collector.declare([parameters[identity] for identity in sorted(parameters)])
        points = _points(document, collector, sorted(parameters))
        kernels = _names(document, "callpaths", DEFAULT_KERNEL)
        metrics = _names(document, "metrics", DEFAULT_METRIC)
        document.enter("measurements")
        for row in _rows(document.elements(), "coordinate_id", "value"):
            series = collector.series(
                _look_up(kernels, row, "callpath_id"), _look_up(metrics, row, "metric_id")
            )
            check_numbers([row["value"]], "the value")
            point = _look_up(points, row, "coordinate_id")
            collector.add(series, point, [row["value"]], document.line)
    except FormatError as error:
        raise error.at(document.line) from None
    return collector.campaign(NAME)


def _rows(elements: Iterable[Any], *keys: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list, each of which must have these keys."""
    expected = f"an object with {' and '.join(keys)}"
    for element in elements:
        row = members(element, expected)
        if not row.keys() >= set(keys):
            raise FormatError(f"an object with {quoted(', '.join(row))}", expected)
        yield row


def _identity(row: dict[str, Any], known: dict[float, Any]) -> float:
    check_numbers([row["id"]], "the id")
    if row["id"] in known:
        raise FormatError(f"the id {row['id']:g} twice", "each id once")
    return float(row["id"])


def _names(document: Document, section: str, default: str | None) -> dict[float, object]:
    """Return id → name. If an optional section is missing, every id has the default name."""
    if default is not None and section not in document.sections:
        return {0.0: default}
    document.enter(section)
    names: dict[float, object] = {}
    for row in _rows(document.elements(), "id", "name"):
        names[_identity(row, names)] = row["name"]
    return names


def _points(document: Document, collector: Collector, parameters: list[float]) -> dict[float, int]:
    """Return id → index of the point."""
    document.enter("coordinates")
    points: dict[float, int] = {}
    for row in _rows(document.elements(), "id", "parameter_value_pairs"):
        identity, coordinates = _identity(row, points), _coordinates(row["parameter_value_pairs"], parameters)
        if collector.has_point(coordinates):
            raise FormatError(f"the point {quoted(coordinates)} twice", "each point once")
        points[identity] = collector.point(coordinates)
    return points


def _coordinates(pairs: Any, parameters: list[float]) -> list[float]:
    rows = list(_rows(pairs, "parameter_id", "parameter_value")) if isinstance(pairs, list) else []
    check_numbers([value for row in rows for value in row.values()], "parameter_value_pairs with")
    found = {row["parameter_id"]: row["parameter_value"] for row in rows}
    if found.keys() != set(parameters) or len(rows) != len(parameters):
        raise FormatError(f"the parameter ids {quoted(list(found))}", f"each of {parameters} once")
    return [found[identity] for identity in parameters]


def _look_up(listed: dict[float, Any], row: dict[str, Any], key: str) -> Any:
    """Return the element to which an id of a measurement refers; without the id, the only element."""
    if key not in row and len(listed) == 1:
        return next(iter(listed.values()))
    try:
        return listed[row[key]]
    except (KeyError, TypeError):
        raise FormatError(f"{key} {quoted(row.get(key))}", "an id that the file defines") from None
