"""From a list of measurements in any order to one table a series."""

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign import FloatArray
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits


def arrange(values: FloatArray, records: NDArray[np.int32], points: int, limits: Limits) -> list[FloatArray]:
    """Tables (points, R) of every series, NaN = missing; repetitions keep the order in which they came.

    Args:
        values: of all records, one after the other.
        records: (N, 3): series, point, number of values; every series has at least one record.
        points: how many there are.
        limits: how large the tables may become.

    Raises:
        FormatError: there are too many repetitions, or too many cells, most of them empty.
    """
    offsets = np.cumsum(records[:, 2], dtype=np.int64) - records[:, 2]
    order = np.lexsort((records[:, 1], records[:, 0]))  # stable
    series, point, counts = records[order].T
    begins = np.cumsum(counts, dtype=np.int64) - counts
    new = np.r_[True, (np.diff(series) != 0) | (np.diff(point) != 0)]
    group = np.flatnonzero(new)[np.cumsum(new) - 1]  # first record of the same series and point
    ranks = np.arange(len(values))
    repetitions = ranks - np.repeat(begins[group], counts)
    rows = np.repeat(point, counts)
    values = values[ranks + np.repeat(offsets[order] - begins, counts)]

    starts = begins[np.flatnonzero(np.r_[True, np.diff(series) != 0])]
    widths = np.maximum.reduceat(repetitions, starts) + 1
    _check_size(widths, points, limits)
    tables = []
    for start, end, width in zip(starts, np.r_[starts[1:], len(values)], widths, strict=True):
        table = np.full((points, width), np.nan)
        table[rows[start:end], repetitions[start:end]] = values[start:end]
        tables.append(table)
    return tables


def _check_size(widths: NDArray[np.int64], points: int, limits: Limits) -> None:
    if widths.max() > limits.repetitions:
        raise FormatError(f"{widths.max()} repetitions at one point", f"{limits.repetitions} at most")
    cells = points * int(widths.sum())
    if cells > limits.values:
        found = f"{len(widths)} kernels × metrics at {points} points, {cells} values with the missing ones"
        raise FormatError(found, f"{limits.values} at most; send kernels that share few points separately")
