"""Reads a profile (.cubex), which is a tar file of a description and of the numbers of each metric."""

import io
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.errors import FormatError
from ingest.formats.files.packed import tar
from ingest.formats.limits import Limits
from ingest.formats.readers.profilers.cube.anchor import AnchorReader, CubeMetric, Description, counts
from ingest.formats.readers.profilers.cube.values import TYPES, read_values

Aggregation = Callable[[FloatArray, CubeMetric], FloatArray]
ANCHOR = "anchor.xml"
NEVER = 1e300
"""Threshold beyond which a value means "nothing was measured". Cube writes such a value as the minimum or
maximum of no values.
"""


class ProfileReader:
    """Reads the profiles of one campaign; `negative` are the metrics with negative values in some profile."""

    def __init__(
        self, limits: Limits, aggregation: Aggregation, *, inclusive: bool, metrics: Sequence[str]
    ) -> None:
        """Set how the profiles are read.

        Args:
            aggregation: combines a row of values over processes and threads into the stored row.
            inclusive: whether the values of a call include the values of its callees.
            metrics: names of the metrics to read; empty: all that are not part of another one.
        """
        self._anchors, self._metrics = AnchorReader(limits), metrics
        self._aggregation, self._inclusive = aggregation, inclusive
        self.negative: set[str] = set()

    @property
    def nodes(self) -> Sequence[str]:
        """Return the names of the nodes of the profile that was read last."""
        return self._anchors.nodes

    def read(self, data: bytes) -> Iterator[tuple[CubeMetric, dict[str, list[float]]]]:
        """Yield each metric with its values by call path, without values that were not measured.

        Raises:
            FormatError: the data are no profile, or damaged.
        """
        files = _files(data)
        description, locations = self._anchors.read(_anchor(files))
        for metric in filter(self._is_chosen, description.metrics):
            index, numbers = files.get(f"{metric.number}.index"), files.get(f"{metric.number}.data")
            if index is not None and numbers is not None:
                calls = len(description.paths)
                places, values = read_values(index, numbers, metric.type, calls, locations)
                if metric.inclusive:
                    places = description.wide[places]
                if self._inclusive != metric.inclusive:
                    values = _converted(description, metric, places, values)
                rows = _by_path(description, metric, places, values)
                table = self._aggregation(_table(rows, metric), metric)
                if (table < 0).any():
                    self.negative.add(metric.name)
                yield metric, dict(zip(rows, _known(table), strict=True))

    def _is_chosen(self, metric: CubeMetric) -> bool:
        return metric.type in TYPES and (metric.name in self._metrics if self._metrics else metric.top)


def profile_counts(data: bytes, limits: Limits) -> dict[str, float]:
    """Return the number of `processes` of a profile and the largest number of `threads` of a process.

    Raises:
        FormatError: the data are no profile, or damaged.
    """
    return counts(_anchor(_files(data)), limits)


def _anchor(files: dict[str, bytes]) -> bytes:
    if ANCHOR not in files:
        raise FormatError("a profile without anchor.xml", "a file made by Score-P or Scalasca")
    return files[ANCHOR]


def _files(data: bytes) -> dict[str, bytes]:
    file = io.BytesIO(data)
    return {name: file.read(size) for name, size in tar.members(file)}


def _converted(
    description: Description, metric: CubeMetric, places: NDArray[np.intp], values: FloatArray
) -> FloatArray:
    """Convert exclusive values to inclusive ones, or inclusive values to exclusive ones."""
    whole = np.zeros((len(description.paths), values.shape[1]))
    whole[places] = values
    return (_exclusive if metric.inclusive else _inclusive)(description, metric, whole)[places]


def _by_path(
    description: Description, metric: CubeMetric, places: NDArray[np.intp], values: FloatArray
) -> dict[str, FloatArray]:
    """Return values by call path. Several calls with the same path are combined."""
    rows: dict[str, FloatArray] = {}
    for place, row in zip(places.tolist(), values, strict=True):
        path = description.paths[place]
        rows[path] = combine(metric)(rows[path], row) if path in rows else row
    return rows


def _table(rows: dict[str, FloatArray], metric: CubeMetric) -> FloatArray:
    table = np.array(list(rows.values()))
    if combine(metric) is not np.add:
        table = np.where(np.abs(table) > NEVER, np.nan, table)
    return table


def _known(table: FloatArray) -> list[list[float]]:
    """Return the values in each row, without the missing ones."""
    rows: list[list[float]] = table.tolist()
    if not np.isnan(table).any():
        return rows
    return [[value for value in row if not math.isnan(value)] for row in rows]


def combine(metric: CubeMetric) -> np.ufunc:
    """Return the operation that combines two values of a metric, ignoring missing ones."""
    return {"MINDOUBLE": np.fmin, "MAXDOUBLE": np.fmax}.get(metric.type, np.add)


def _exclusive(description: Description, metric: CubeMetric, values: FloatArray) -> FloatArray:
    """Return values without callees, at least 0 in spite of rounding errors."""
    if combine(metric) is not np.add:
        return values
    own, called = values.copy(), description.parents >= 0
    np.subtract.at(own, description.parents[called], values[called])
    return np.maximum(own, 0)


def _inclusive(description: Description, metric: CubeMetric, values: FloatArray) -> FloatArray:
    """Return values with callees, computed from the innermost level outwards."""
    whole = values.copy()
    for level in range(int(description.levels.max()), 0, -1):
        calls = np.flatnonzero(description.levels == level)
        combine(metric).at(whole, description.parents[calls], whole[calls])
    return whole
