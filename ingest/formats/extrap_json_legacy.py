"""Extra-P's older JSON: numbered parameters, call paths, metrics and coordinates, and triples of them.

`measurements` holds `{callpath_id, metric_id, coordinate_id, value}`; triples that repeat are repetitions.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ingest.formats.campaign import Campaign, Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import DEFAULT_KERNEL, DEFAULT_METRIC
from ingest.formats.source import Source
from ingest.formats.text import document

NAME = "extrap-json-legacy"
TITLE = "Extra-P JSON (older form)"
Value = TypeVar("Value")


def recognises(source: Source) -> bool:
    """A JSON document with numbered coordinates."""
    return source.head.startswith("{") and source.contains(b'"coordinates"')


def read(path: Path, limits: Limits) -> Campaign:
    """Read the document at once."""
    found = document(path, limits)
    collector = Collector(limits)
    parameters = _by_id(found, "parameters", lambda row: row["name"])
    collector.declare(list(parameters.values()))
    order = {identity: index for index, identity in enumerate(parameters)}
    points = _by_id(found, "coordinates", lambda row: collector.point(_coordinates(row, order)))
    kernels = _by_id(found, "callpaths", lambda row: row["name"]) if "callpaths" in found else {}
    metrics = _by_id(found, "metrics", lambda row: row["name"]) if "metrics" in found else {}
    for number, row in enumerate(_rows(found, "measurements"), 1):
        try:
            kernel = kernels[row["callpath_id"]] if "callpath_id" in row else DEFAULT_KERNEL
            metric = metrics[row["metric_id"]] if "metric_id" in row else DEFAULT_METRIC
            collector.add(collector.series(kernel, metric), points[row["coordinate_id"]], [row["value"]])
        except KeyError as error:
            raise FormatError(
                f"no {error} for measurement {number}", "ids that are listed, and a value"
            ) from None
        except FormatError as error:
            raise FormatError(f"{error.found} in measurement {number}", error.expected) from None
    return collector.campaign(NAME)


def _rows(found: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = found.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FormatError(f"{key} {quoted(rows)}", "a list of objects")
    return rows


def _by_id(
    found: dict[str, Any], key: str, read_row: Callable[[dict[str, Any]], Value]
) -> dict[float, Value]:
    """A numbered list as a dictionary.

    Raises:
        FormatError: a row has no id or not what belongs to it, or an id comes twice.
    """
    rows: dict[float, Value] = {}
    for number, row in enumerate(_rows(found, key), 1):
        try:
            identity = row["id"]
            known = identity in rows
            rows[identity] = read_row(row)
        except (KeyError, TypeError) as error:
            raise FormatError(
                f"no {error} in entry {number} of {key}", "an id and what it stands for"
            ) from None
        if known:
            raise FormatError(f"the id {quoted(identity)} twice in {key}", "each once")
    return rows


def _coordinates(row: dict[str, Any], order: dict[float, int]) -> list[float]:
    coordinates = [float("nan")] * len(order)
    for pair in row["parameter_value_pairs"]:
        coordinates[order[pair["parameter_id"]]] = pair["parameter_value"]
    return coordinates
