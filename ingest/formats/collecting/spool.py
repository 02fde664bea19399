"""Keeps collected values in a temporary file until they become tables, so that memory stays small."""

import os
import tempfile
import weakref
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.campaign import FloatArray, Key
from ingest.formats.collecting.tables import Groups, Indices, Layout, lay_out, tables

SORTED_AT_ONCE = 1 << 19
"""Number of values that are sorted, or cells that are filled, in one step."""


class Spool:
    """Chunks of values, each sorted by series."""

    def __init__(self) -> None:
        self._file, path = tempfile.mkstemp(prefix="perfweb-")
        os.unlink(path)
        weakref.finalize(self, os.close, self._file)
        self._chunks, self._size = list[tuple[int, Indices]](), 0

    def put(self, values: FloatArray, records: NDArray[np.int32]) -> None:
        """Add a chunk: its values, and (N, 3) series, point and number of values of each record."""
        series = np.repeat(records[:, 0], records[:, 2])
        rows = np.repeat(records[:, 1], records[:, 2])
        order = np.argsort(series, kind="stable")
        edges = np.searchsorted(series[order], np.arange(int(records[:, 0].max()) + 2))
        self._chunks.append((self._size, edges))
        self._write(values[order].tobytes() + rows[order].tobytes())

    def counts(self, series: int) -> Indices:
        """Return the number of values of each of the first `series` series."""
        total = np.zeros(series, np.int64)
        for _, edges in self._chunks:
            total[: len(edges) - 1] += np.diff(edges)
        return total

    def layout(self, first: int, last: int, points: int, groups: Groups | None = None) -> Layout:
        """Lay out the values of the series from `first` to before `last`, in the order in which they came.

        With `groups`, records have groups of runs in place of points, and a point's values are ordered by
        group.
        """
        values, series, rows = list[FloatArray](), list[Indices](), list[Indices]()
        for place, all_edges in self._chunks:
            edges = all_edges[np.minimum(np.arange(first, last + 1), len(all_edges) - 1)]
            begin, size, whole = int(edges[0]), int(edges[-1] - edges[0]), int(all_edges[-1])
            values.append(np.frombuffer(self._read(place + 8 * begin, 8 * size)))
            read = np.frombuffer(self._read(place + 8 * whole + 4 * begin, 4 * size), np.int32)
            rows.append(read.astype(np.int64))
            series.append(np.repeat(np.arange(last - first), np.diff(edges)))
        if len(values) == 1 and groups is None:
            return lay_out(values[0], series[0], rows[0], points)
        found, of_series, of_rows = np.concatenate(values), np.concatenate(series), np.concatenate(rows)
        if groups is None:
            order = np.argsort(of_series, kind="stable")
            return lay_out(found[order], of_series[order], of_rows[order], points)
        order = np.lexsort((groups.order[of_rows], of_series))
        most = groups.counts(of_series, of_rows)
        return replace(
            lay_out(found[order], of_series[order], groups.points[of_rows[order]], points), most=most
        )

    def shape(self, series: int, points: int, groups: Groups | None = None) -> tuple[int, int]:
        """Return a series' largest number of repetitions, and its number of points with values."""
        counts = np.zeros(points, np.int64)
        for _, rows in self._pieces(series, groups):
            counts += np.bincount(rows, minlength=points)
        return int(counts.max()), int(np.count_nonzero(counts))

    def table(self, series: int, points: int, width: int, groups: Groups | None = None) -> FloatArray:
        """Build the table (points, width) of one series chunk by chunk, with little further memory."""
        table, filled = np.full((points, width), np.nan), np.zeros(points, np.int64)
        for values, rows in self._pieces(series, groups):
            order = np.argsort(rows, kind="stable")
            ordered = rows[order]
            firsts = np.searchsorted(ordered, np.arange(points))
            columns = filled[ordered] + np.arange(len(ordered)) - firsts[ordered]
            table[ordered, columns] = values[order]
            filled += np.bincount(rows, minlength=points)
        return table

    def _pieces(self, series: int, groups: Groups | None) -> Iterator[tuple[FloatArray, Indices]]:
        """Yield the values of one series and their points, chunk by chunk."""
        for place, edges in self._chunks:
            if series < len(edges) - 1:
                begin, size, whole = int(edges[series]), int(np.diff(edges)[series]), int(edges[-1])
                values = np.frombuffer(self._read(place + 8 * begin, 8 * size))
                read = np.frombuffer(self._read(place + 8 * whole + 4 * begin, 4 * size), np.int32)
                rows = read.astype(np.int64)
                yield values, rows if groups is None else groups.points[rows]

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.pwrite(self._file, data, self._size) :]
            self._size = os.fstat(self._file).st_size

    def _read(self, place: int, size: int) -> bytes:
        return os.pread(self._file, size, place)


class Tables(Mapping[Key, FloatArray]):
    """The tables of all series. They are read fastest in their order.

    Attributes:
        widths: largest number of repetitions of each series.
        present: number of points at which each series has values.
        most: largest number of values of any series in each group of runs.
        ordered: whether all values are in the order of the groups; not if a series is too long to be sorted.
    """

    def __init__(self, spool: Spool, keys: Sequence[Key], points: int, groups: Groups | None = None) -> None:
        """Compute the sizes of all tables. With `groups`, the spool has groups of runs in place of points."""
        self._spool, self._points, self._groups = spool, points, groups
        self.most = np.zeros(len(groups.points) if groups is not None else 0, np.int64)
        self._places = {key: place for place, key in enumerate(keys)}
        counts = spool.counts(len(keys))
        self._alone = counts > SORTED_AT_ONCE
        self.ordered = not self._alone.any()
        self.widths, self.present = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        for first, last in _batches(counts.tolist()):
            if self._alone[first]:
                self.widths[first], self.present[first] = spool.shape(first, points, groups)
            else:
                layout = spool.layout(first, last, points, groups)
                self.most = np.maximum(self.most, layout.most)
                self.widths[first:last], self.present[first:last] = layout.widths, layout.present
        self._batches = _batches(np.maximum(self.widths * points, counts).tolist())
        self._firsts = [first for first, _ in self._batches]
        self._batch, self._made = -1, list[FloatArray]()

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places)

    def __getitem__(self, key: Key) -> FloatArray:
        place = self._places[key]
        batch = bisect_right(self._firsts, place) - 1
        if batch != self._batch:
            # drop the previous batch first, so that two are never in memory
            self._made, self._batch = [], batch
            if self._alone[place]:
                self._made = [self._spool.table(place, self._points, int(self.widths[place]), self._groups)]
            else:
                layout = self._spool.layout(*self._batches[batch], self._points, self._groups)
                self._made = tables(layout, self._points)
        return self._made[place - self._firsts[batch]]


def _batches(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Divide series of these sizes into batches that fit into memory, each with its first and end index.

    A series that is too large is a batch alone.
    """
    firsts, size = [0], 0
    for place, each in enumerate(sizes):
        if size and size + each > SORTED_AT_ONCE:
            firsts.append(place)
            size = 0
        size += each
    return list(zip(firsts, [*firsts[1:], len(sizes)], strict=True))
