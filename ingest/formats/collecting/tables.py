"""From values in the order of their series to one table a series."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign import FloatArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """Where N values of K series belong; `values`, `rows` and `columns` are (N,), ordered by series.

    Attributes:
        columns: which repetition at its point each value is, in the order in which they came.
        edges: (K + 1,) where the values of each series begin.
        widths: (K,) most repetitions of each.
        present: (K,) points at which each has a value.
    """

    values: FloatArray
    rows: Indices
    columns: Indices
    edges: Indices
    widths: Indices
    present: Indices


def lay_out(values: FloatArray, series: Indices, rows: Indices, points: int) -> Layout:
    """Find every value's place in its table.

    Args:
        values: (N,).
        series: (N,) numbers from 0 in ascending order, none of them missing.
        rows: (N,) numbers of the points.
        points: how many there are.
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
    """Tables (points, R) of every series, NaN = missing."""
    found = []
    edges, widths = layout.edges.tolist(), layout.widths.tolist()
    for start, end, width in zip(edges, edges[1:], widths, strict=False):
        table = np.full((points, width), np.nan)
        table[layout.rows[start:end], layout.columns[start:end]] = layout.values[start:end]
        found.append(table)
    return found
