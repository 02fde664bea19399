"""Reads JSON Lines, with one measurement or one list of repetitions in each line.

`{"params": {"p": 8, "n": 1000}, "callpath": "main->solve", "metric": "time", "value": [1.3, 1.4]}`

`callpath` and `metric` are optional. The first line gives the names and the order of the parameters. Lines of
the same point, kernel and metric add repetitions. `job`, `node` (or `host`) and `time` may show which runs
share a job, a node or a day.
"""

import re
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, DEFAULT_METRIC
from ingest.formats.campaign.origins import Origin, origin_of
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import Pairs, check_numbers, load, members
from ingest.formats.files.source import Source

OriginFields = tuple[Any, ...]

NAME = "jsonl"
TITLE = "JSON Lines"
REMEMBERED = 10_000
"""Limit on the remembered spellings of points. At the limit all are forgotten."""
ORIGIN = ("job", "node", "host", "time")
"""Keys that describe the origin of the runs of a line."""
BEGINNING = re.compile(r'\{\s*"(params|value|callpath|metric)"\s*:')


def recognises(source: Source) -> bool:
    """Recognise a first line that begins like an object with a key of this format."""
    return BEGINNING.match(source.first_line) is not None


def read(source: Source) -> Campaign:
    """Read the file line by line. Memory grows with the values, not with the text."""
    reader, depth = LineReader(Collector(source.limits), "params"), source.limits.depth
    for line, text in source.lines():
        try:
            reader.take(load(text, depth), line)
        except FormatError as error:
            raise error.at(line) from None
    return reader.collector.campaign(NAME)


class LineReader:
    """Reads lines. Remembered spellings of points are checked only once."""

    def __init__(self, collector: Collector, params: str) -> None:
        """Set the key `params` under which a line holds its point."""
        self.collector, self.params = collector, params
        self.plain = {params, "value", "callpath", "metric"}
        self.keys = {*self.plain, *ORIGIN}
        self.points: dict[Pairs | tuple[Pairs, OriginFields], int] = {}
        self.origins: dict[OriginFields, Origin | None] = {}

    def take(self, row: Any, line: int) -> None:
        """Add the content of one line.

        Raises:
            FormatError: the line is not an object with the known keys, or one of its values is invalid.
        """
        fields = members(row, "an object {…} in every line")
        plain = fields.keys() <= self.plain
        if not plain and not fields.keys() <= self.keys:
            unknown = ", ".join(sorted(fields.keys() - self.keys))
            expected = f"only {self.params}, value, callpath, metric, job, node and time"
            raise FormatError(f"the key {quoted(unknown)}", expected)
        try:
            params, value = fields[self.params], fields["value"]
        except KeyError as error:
            expected = f'an object with "{self.params}" and "value"'
            raise FormatError(f"a line without {error}", expected) from None
        origin_fields = () if plain else tuple(fields.get(name) for name in ORIGIN)
        try:
            point = self.points[(params, origin_fields) if origin_fields else params]
        except (KeyError, TypeError):  # a new point, or something that is no point
            point = self._new_point(params, origin_fields)
        values = value if isinstance(value, list) else [value]
        check_numbers(values, "the values")
        series = self.collector.series(
            fields.get("callpath", DEFAULT_KERNEL), fields.get("metric", DEFAULT_METRIC)
        )
        self.collector.add(series, point, values, line)

    def _new_point(self, params: Any, origin_fields: OriginFields) -> int:
        coordinates = members(params, f'"{self.params}": {{"p": 8, …}}')
        if not self.collector.parameters:
            self.collector.declare(list(coordinates))
        if coordinates.keys() != set(self.collector.parameters):
            names = ", ".join(self.collector.parameters)
            found = f"the parameters {quoted(', '.join(coordinates))}"
            raise FormatError(found, f"the parameters of the first line: {names}")
        ordered = [coordinates[name] for name in self.collector.parameters]
        check_numbers(ordered, f"the coordinates of {', '.join(self.collector.parameters)}:")
        if len(self.points) > REMEMBERED:
            self.points.clear()
        point = self.collector.point(ordered, self._origin(origin_fields) if origin_fields else None)
        self.points[(params, origin_fields) if origin_fields else params] = point
        return point

    def _origin(self, origin_fields: OriginFields) -> Origin | None:
        for name, value in zip(ORIGIN, origin_fields, strict=True):
            if isinstance(value, bool) or not isinstance(value, str | float | None):
                raise FormatError(f'"{name}": {quoted(value)}', "a text or a number")
        if origin_fields not in self.origins:
            if len(self.origins) > REMEMBERED:
                self.origins.clear()
            self.origins[origin_fields] = origin_of(dict(zip(ORIGIN, origin_fields, strict=True)))
        return self.origins[origin_fields]
