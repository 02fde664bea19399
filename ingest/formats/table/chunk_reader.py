"""Adds the rows of a table to a collector in chunks, ten times as fast as one by one.

Rows have few distinct points and names, which are looked up in dictionaries. Numbers are converted column by
column. Chunks with invalid or unusual cells are passed to `Reader`. A series is the values of one kernel and
metric; the collector gives each series an index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.errors import FormatError
from ingest.formats.table.cells import plain_numbers
from ingest.formats.table.chunks import Chunk, Row
from ingest.formats.table.row_reader import Reader

Numbers = NDArray[np.int32]
UNKNOWN, LEFT_OUT = -1, -2
"""Stored instead of a series' index: not yet in the collector, or left out for negative values."""
KEPT_BYTES = 48 * 1024 * 1024
"""Limit on the bytes of remembered points and names. At the limit all are forgotten."""
KEY_BYTES = 250
"""Bytes that the cells of one key take in addition to their characters."""


class _Known:
    """Results for cells that were read before.

    Attributes:
        points: cells of parameters → index of their point.
        names: cells that name a kernel, and perhaps a metric → row of `series`.
        series: (names, metrics) index of each series.
    """

    def __init__(self, metrics: int) -> None:
        self.points, self.names = dict[object, int](), dict[object, int]()
        self.series, self.bytes = np.full((64, metrics), UNKNOWN, np.int32), 0

    def new_name(self, key: object) -> int:
        """Add a row for a new combination of names."""
        if len(self.names) == len(self.series):
            self.series = np.vstack([self.series, np.full_like(self.series, UNKNOWN)])
        return self.names.setdefault(key, len(self.names))


@dataclass
class ChunkReader(Reader):
    """Adds the rows of one table to a collector, with the same result as `Reader`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        of = self.of
        self.columns = [place for places in of.metrics.values() for place in places]
        self.firsts = np.cumsum([0, *map(len, of.metrics.values())])[:-1]
        named_by = [of.kernel, of.metric]
        self.naming = [*of.labels, *(place for place in named_by if place is not None)]
        self.known = _Known(len(of.metrics))

    def take_chunk(self, chunk: Chunk) -> None:
        """Add the rows of a chunk.

        Raises:
            FormatError: as in `Reader`, with the row's line.
        """
        found = self._records(chunk)
        if found is None:
            super().take_chunk(chunk)
        else:
            self.collector.add_many(*found)

    def _records(self, chunk: Chunk) -> tuple[Numbers, FloatArray] | None:
        """Return records and values for `Collector.add_many`, or None if rows must be read one by one."""
        if self.known.bytes > KEPT_BYTES:
            self.known = _Known(len(self.of.metrics))
        try:
            cells = chunk.columns(len(self.of.headings))
            if not self._has_one_unit(cells):
                return None
            values = self._numbers(cells)
            present = ~np.isnan(values)
            counts = np.add.reduceat(present, self.firsts, axis=1, dtype=np.int32)
            places = self._places(chunk, cells, counts)
        except FormatError:  # reading rows one by one finds the line of the error
            return None
        if places is None:
            return None
        points, names = places
        series = self.known.series[names]
        left_out = series == LEFT_OUT  # only in the long form, where a row has one metric
        present, counts = present & ~left_out.any(axis=1, keepdims=True), np.where(left_out, 0, counts)
        at = np.flatnonzero(counts)
        of_rows = at // counts.shape[1]
        found = (series.ravel()[at], points[of_rows], counts.ravel()[at], np.asarray(chunk.lines)[of_rows])
        return np.column_stack(found).astype(np.int32), values[present]

    def _has_one_unit(self, cells: Sequence[Sequence[str]]) -> bool:
        """Return whether the values of each metric have the unit of its first value, in the long form."""
        if self.of.metric is None or self.of.unit is None:
            return True
        named = dict.fromkeys(zip(cells[self.of.metric], cells[self.of.unit], strict=True))
        metrics = ((self.metric(cell), unit) for cell, unit in named)
        return all(self.scale(name, unit) == 1.0 for name, unit in metrics if name not in self.left_out)

    def _numbers(self, cells: Sequence[Sequence[str]]) -> FloatArray:
        """Return the values (N, columns of metrics) of N rows, NaN for empty cells."""
        found = []
        for place in self.columns:
            numbers = plain_numbers(cells[place], self.table.decimal)
            if numbers is None:
                numbers = np.array([self.number(cell, place) for cell in cells[place]], float)
            elif (size := self.factors[place].get("", 1.0)) != 1.0:
                numbers = numbers * size
            found.append(numbers)
        return np.column_stack(found)

    def _places(
        self, chunk: Chunk, cells: Sequence[Sequence[str]], counts: Numbers
    ) -> tuple[Numbers, Numbers] | None:
        """Return the points and the rows of `series` for N rows; None if a row has no complete point."""
        point_keys, name_keys = self._keys(cells, self.locating), self._keys(cells, self.naming)
        known = self.known
        points = np.fromiter(map(known.points.get, point_keys, repeat(UNKNOWN)), np.int32, len(chunk))
        names = np.fromiter(map(known.names.get, name_keys, repeat(UNKNOWN)), np.int32, len(chunk))
        unknown = (known.series[names] == UNKNOWN) & (counts > 0)
        for place in np.flatnonzero((points < 0) | (names < 0) | unknown.any(axis=1)).tolist():
            row = chunk.row(place)
            kernel, point = self.placed(row)
            if point is None:
                return None
            points[place] = known.points[point_keys[place]] = point
            names[place] = self._name(name_keys[place], row, kernel, counts[place])
            known.bytes += 2 * KEY_BYTES + sum(len(row[column]) for column in self.placing)
        return points, names

    def _keys(self, cells: Sequence[Sequence[str]], columns: Sequence[int]) -> Sequence[object]:
        """Return the cells of these columns for each row."""
        if len(columns) == 1:
            return cells[columns[0]]
        return list(zip(*(cells[column] for column in columns), strict=True)) or [()] * len(cells[0])

    def _name(self, key: object, row: Row, kernel: str, counts: Numbers) -> int:
        """Return the row of `series` for the names in a row; new series are added to the collector."""
        known, of = self.known, self.of
        name = known.names.get(key)
        if name is None:
            name = known.new_name(key)
            known.bytes += 4 * len(counts)
        metrics = list(of.metrics)
        if of.metric is not None:
            metrics = [self.metric(row[of.metric])]
            if metrics[0] in self.left_out:
                known.series[name] = LEFT_OUT
        for metric in np.flatnonzero((known.series[name] == UNKNOWN) & (counts > 0)).tolist():
            known.series[name, metric] = self.collector.series(kernel, metrics[metric])
        return name
