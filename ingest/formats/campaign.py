"""What every parser returns, and the collector that they fill value by value."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isnan

import numpy as np
from numpy.typing import NDArray

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import kernel_path, short_name

FloatArray = NDArray[np.float64]
MOST_NOTES = 20


@dataclass(frozen=True)
class Campaign:
    """A campaign as it was read from a file.

    Attributes:
        parameters: m names, in the order of a point's coordinates.
        points: (P, m), in the order of the file.
        series: (kernel path, metric) → values (P, R), NaN = missing; R is the most repetitions of the series.
        units: metric → unit, where the file names one.
        metadata: what else the file says of the runs.
        notes: what its owner should know, such as points that a kernel lacks.
        format: name of the format it was read as.
    """

    parameters: tuple[str, ...]
    points: FloatArray
    series: dict[tuple[str, str], FloatArray]
    units: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    format: str = ""


class Collector:
    """Takes values in any order, 24 bytes each, and arranges them as arrays at the end."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.parameters: tuple[str, ...] = ()
        self._points: dict[tuple[float, ...], int] = {}
        self._series: dict[tuple[str, str], int] = {}
        self._known: dict[tuple[object, object], int] = {}
        self._series_of, self._point_of, self._values = array("q"), array("q"), array("d")

    def declare(self, names: Sequence[object]) -> None:
        """Name the parameters, once.

        Raises:
            FormatError: there are none, too many, or two of one name.
        """
        self.parameters = tuple(short_name(name, "a parameter", self.limits) for name in names)
        if not 0 < len(self.parameters) <= self.limits.parameters:
            raise FormatError(f"{len(names)} parameters", f"1 to {self.limits.parameters}")
        if len(set(self.parameters)) < len(self.parameters):
            raise FormatError(
                f"two parameters of one name in {quoted(', '.join(self.parameters))}", "different ones"
            )

    def point(self, coordinates: Sequence[float]) -> int:
        """Index of a point, new or known.

        Raises:
            FormatError: it has not one positive, finite coordinate per parameter.
        """
        key = tuple(coordinates)
        index = self._points.get(key)
        return self._new_point(key) if index is None else index

    def has_point(self, coordinates: Sequence[float]) -> bool:
        """Whether the point is known already."""
        return tuple(coordinates) in self._points

    def _new_point(self, key: tuple[float, ...]) -> int:
        if len(key) != len(self.parameters):
            raise FormatError(
                f"a point of {len(key)} coordinates",
                f"{len(self.parameters)}: one for each of {', '.join(self.parameters)}",
            )
        for name, value in zip(self.parameters, key, strict=True):
            if not (isinstance(value, float) and 0 < value < inf):
                raise FormatError(
                    f"{name} = {quoted(value)}", "a positive, finite number: laws are powers of it"
                )
        if len(self._points) >= self.limits.points:
            raise FormatError(f"more than {self.limits.points} points", "fewer, in one campaign")
        return self._points.setdefault(key, len(self._points))

    def series(self, kernel: object, metric: object) -> int:
        """Index of a series, new or known."""
        index = self._known.get((kernel, metric))
        if index is None:
            key = kernel_path(kernel, self.limits), short_name(metric, "a metric", self.limits)
            if key not in self._series and len(self._series) >= self.limits.series:
                raise FormatError(
                    f"more than {self.limits.series} kernels × metrics", "fewer, in one campaign"
                )
            index = self._known[kernel, metric] = self._series.setdefault(key, len(self._series))
        return index

    def add(self, series: int, point: int, values: Sequence[float]) -> None:
        """Add repetitions of a series at a point.

        Raises:
            FormatError: a value is no number, negative or not finite, or there are too many.
        """
        try:
            smallest, largest = min(values), max(values)
        except (TypeError, ValueError):
            raise FormatError(f"the values {quoted(values)}", "at least one number") from None
        if not (smallest >= 0 and largest < inf) or any(map(isnan, values)):
            wrong = next(value for value in values if not 0 <= value < inf)
            raise FormatError(f"the value {quoted(wrong)}", "a finite number that is not negative")
        if len(self._values) + len(values) > self.limits.values:
            raise FormatError(f"more than {self.limits.values} values", "fewer, in one campaign")
        try:
            self._values.extend(values)
        except TypeError:
            raise FormatError(f"the values {quoted(values)}", "numbers") from None
        self._series_of.extend([series] * len(values))
        self._point_of.extend([point] * len(values))

    def campaign(self, format_name: str, units: dict[str, str] | None = None) -> Campaign:
        """Everything that was added.

        Raises:
            FormatError: there is nothing.
        """
        if not self.parameters:
            raise FormatError("no parameters", "the name of at least one, such as p")
        if not self._points:
            raise FormatError("no points", "at least one configuration that was measured")
        if not self._values:
            raise FormatError("no values", "at least one measured value")
        series = self._arranged()
        return Campaign(
            self.parameters,
            np.array(list(self._points), float),
            series,
            units=units or {},
            notes=_missing_points(series),
            format=format_name,
        )

    def _arranged(self) -> dict[tuple[str, str], FloatArray]:
        """The values by series and point; repetitions keep the order of the file."""
        owner = np.frombuffer(self._series_of, np.int64)
        point = np.frombuffer(self._point_of, np.int64)
        order = np.lexsort((point, owner))  # stable
        owner, point, values = owner[order], point[order], np.frombuffer(self._values)[order]
        first = np.flatnonzero(np.r_[True, (np.diff(owner) != 0) | (np.diff(point) != 0)])
        repetition = np.arange(len(values)) - np.repeat(first, np.diff(np.r_[first, len(values)]))
        bounds = np.searchsorted(owner, np.arange(len(self._series) + 1))
        arranged = {}
        for key, index in self._series.items():
            part = slice(bounds[index], bounds[index + 1])
            if part.start == part.stop:
                continue
            table = np.full((len(self._points), int(repetition[part].max()) + 1), np.nan)
            table[point[part], repetition[part]] = values[part]
            arranged[key] = table
        return arranged


def _missing_points(series: dict[tuple[str, str], FloatArray]) -> tuple[str, ...]:
    """A sentence for each series that lacks points, up to a number that somebody reads."""
    notes = []
    for (kernel, metric), values in series.items():
        lacking = int(np.isnan(values).all(axis=1).sum())
        if lacking:
            notes.append(f"{kernel} ({metric}) lacks {lacking} of {len(values)} points")
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES} more kernels and metrics lack points"]
    return tuple(notes)
