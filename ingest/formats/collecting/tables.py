"""Arranges values that are ordered by series into one table for each series."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.campaign import FloatArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """Places of N values of K series in their tables. `values`, `rows` and `columns` are (N,), by series.

    Attributes:
        columns: index of each value's repetition at its point.
        edges: (K + 1,) index at which the values of each series begin.
        widths: (K,) largest number of repetitions of each series.
        present: (K,) number of points at which each series has a value.
        most: (G,) largest number of values of any series in each of G groups of runs; may be empty.
    """

    values: FloatArray
    rows: Indices
    columns: Indices
    edges: Indices
    widths: Indices
    present: Indices
    most: Indices = field(default_factory=lambda: np.empty(0, np.int64))


@dataclass(frozen=True)
class Groups:
    """The point of each of G groups of runs, (G,), and each group's place among all groups, (G,).

    The runs of a group have the same origin, and are next to each other in every table.
    """

    points: Indices
    order: Indices

    def counts(self, series: Indices, groups: Indices) -> Indices:
        """Return the largest number of values of any series in each group, (G,)."""
        most = np.zeros(len(self.points), np.int64)
        cells, counts = np.unique(series * len(most) + groups, return_counts=True)
        np.maximum.at(most, cells % len(most), counts)
        return most


def lay_out(values: FloatArray, series: Indices, rows: Indices, points: int) -> Layout:
    """Find every value's place in its table.

    Args:
        values: (N,).
        series: (N,) indices of the series, ascending from 0 without gaps.
        rows: (N,) indices of the points.
    """
    cells = series * points + rows
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    new = np.r_[True, cells[1:] != cells[:-1]]
    groups = np.flatnonzero(new)
    columns = np.arange(len(cells)) - groups[np.cumsum(new) - 1]
    edges = np.searchsorted(series, np.arange(series[-1] + 2))
    widths = np.maximum.reduceat(columns, edges[:-1]) + 1
    present = np.bincount(cells[groups] // points)
    return Layout(values[order], rows[order], columns, edges, widths, present)


def tables(layout: Layout, points: int) -> list[FloatArray]:
    """Return the tables (points, R) of all series, NaN = missing."""
    found = []
    edges, widths = layout.edges.tolist(), layout.widths.tolist()
    for start, end, width in zip(edges, edges[1:], widths, strict=False):
        table = np.full((points, width), np.nan)
        table[layout.rows[start:end], layout.columns[start:end]] = layout.values[start:end]
        found.append(table)
    return found
