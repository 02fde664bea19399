"""Extra-P's JSON: kernels, their metrics, and the values at each point.

`{"parameters": ["p"], "measurements": {"main->solve": {"time": [{"point": [8], "values": [1.3, 1.4]}]}}}`
"""

from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import kernel_path, short_name
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source

NAME = "extrap-json"
TITLE = "Extra-P JSON"


def recognises(source: Source) -> bool:
    """Recognise a JSON document with measurements and without numbered coordinates."""
    return "measurements" in source.keys and "coordinates" not in source.keys


def read(source: Source) -> Campaign:
    """Read the document entry by entry."""
    document, collector = source.document, Collector(source.limits)
    try:
        document.enter("parameters")
        names = [short_name(name, "a parameter", source.limits) for name in document.elements()]
        collector.declare(names)
        document.enter("measurements")
        for key in document.members():
            kernel = kernel_path(key, source.limits)
            for metric in document.members():
                series, points = collector.series(kernel, metric), set[int]()
                for entry in document.elements():
                    point, values = _measurement(collector, entry)
                    if point in points:
                        found = f"the point {quoted(members(entry, '')['point'])} twice for {quoted(kernel)}"
                        raise FormatError(found, "each point once, with all its values")
                    points.add(point)
                    collector.add(series, point, values, document.line)
    except FormatError as error:
        raise error.at(document.line) from None
    return collector.campaign(NAME)


def _measurement(collector: Collector, entry: Any) -> tuple[int, list[float]]:
    """Return the index of a measurement's point, and its values."""
    expected = 'an object with "point" and "values"'
    fields = members(entry, expected)
    if fields.keys() != {"point", "values"} and fields.keys() != {"point", "value"}:
        raise FormatError(f"an object with {quoted(', '.join(fields))}", expected)
    point, values = fields["point"], fields.get("values", fields.get("value"))
    coordinates = point if isinstance(point, list) else [point]
    values = values if isinstance(values, list) else [values]
    check_numbers(coordinates, "the point")
    check_numbers(values, "the values")
    return collector.point(coordinates), values
