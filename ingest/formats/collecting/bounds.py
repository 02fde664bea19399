"""Checks the limits of a campaign while it is collected, so that large files are refused early."""

import numpy as np

from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.collecting.tables import Indices
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits

Records = np.ndarray[tuple[int, int], np.dtype[np.int32]]
"""(N, 4) indices of series and point, number of values on one line of the file, and number of this line."""


def check_count(present: int, most: int, what: str) -> None:
    """Refuse a further item if `most` items are already present.

    Raises:
        LimitError: `present` has reached `most`; `what` names the items in the message.
    """
    if present >= most:
        raise LimitError(f"more than {most} {what}", f"at most {most} {what} in one campaign")


def check_values(
    values: FloatArray,
    records: Records,
    bounds: tuple[float, float],
) -> None:
    """Refuse the first value that is negative, not finite, or neither 0 nor within `bounds`.

    Args:
        values: (V,) in the order of the file.
        records: (N, 4); the numbers of values of all records add up to V.

    Raises:
        FormatError: there is such a value; the error has its line.
    """
    least, most = bounds
    wrong = np.flatnonzero(~((values == 0) | (values >= least) & (values <= most)))
    if wrong.size:
        record = np.searchsorted(np.cumsum(records[:, 2], dtype=np.int64), wrong[0], side="right")
        found = f"the value {quoted(values[wrong[0]])}"
        expected = f"a finite number that is not negative: 0, or from {least:g} to {most:g}"
        raise FormatError(found, expected, int(records[record, 3]))


def check_repetitions(records: Records, most: int) -> None:
    """Refuse a series with too many repetitions at one point, before the whole file is collected.

    Raises:
        LimitError: a point of a series has more than `most` values.
    """
    counts = np.bincount(records[:, 0], records[:, 2])
    for series in np.flatnonzero(counts > most):
        own = records[records[:, 0] == series]
        found = int(np.bincount(own[:, 1], own[:, 2]).max())
        if found > most:
            raise _too_many_repetitions(found, most)


def _too_many_repetitions(found: int, most: int) -> LimitError:
    return LimitError(f"{found} repetitions at one point", f"at most {most} repetitions")


def too_many_cells(points: int, series: int, limits: Limits, cells: int = 0) -> LimitError:
    """Return the error for tables with too many cells, by default one for each series and point."""
    count = cells or points * series
    found = f"{series} kernels × metrics at {points} points, {count} values with the missing ones"
    return LimitError(found, f"at most {limits.values} values; send kernels that share few points separately")


def check_size(widths: Indices, points: int, limits: Limits) -> None:
    """Refuse tables that are too large together. `widths` (K,) has the number of columns of each.

    Raises:
        LimitError: a table is wider than `limits.repetitions`, or all have more cells than `limits.values`.
    """
    if widths.max() > limits.repetitions:
        raise _too_many_repetitions(int(widths.max()), limits.repetitions)
    cells = points * int(widths.sum())
    if cells > limits.values:
        raise too_many_cells(points, len(widths), limits, cells)
