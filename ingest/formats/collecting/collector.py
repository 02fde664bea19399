"""Collects the values that a parser finds, and arranges them as arrays at the end."""

import sys
from array import array
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingest.formats.campaign.campaign import Campaign, FloatArray
from ingest.formats.campaign.names import SEPARATOR, kernel_path, short_name
from ingest.formats.campaign.origins import Origin
from ingest.formats.collecting.bounds import (
    Records,
    check_count,
    check_repetitions,
    check_size,
    check_values,
    too_many_cells,
)
from ingest.formats.collecting.groups import RunGroups
from ingest.formats.collecting.rounds import in_rounds
from ingest.formats.collecting.selection import SelectedSeries, missing_points, shortened_names
from ingest.formats.collecting.spool import SORTED_AT_ONCE, Spool, Tables
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits

REMEMBERED = 200_000
"""Limit on the remembered spellings of series. At the limit all are forgotten."""
LONGEST_SPELLING = 1000
"""Longest kernel name, in characters, whose spelling is remembered."""


class Collector:
    """Checks names, points and counts as they arrive, and values many at a time.

    Values are kept in a temporary file, the spool, because a campaign may exceed the memory.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.parameters: tuple[str, ...] = ()
        self._points: dict[tuple[float, ...], int] = {}
        self._groups = RunGroups()
        self._series: dict[tuple[str, str], int] = {}
        self._known: dict[tuple[object, object], int] = {}
        self._kernels: dict[str, str] = {}
        self._levels: set[int] = set()  # hashes of the paths of kernels and their callers
        self._names_bytes = 0
        self._metrics: set[str] = set()
        self._records, self._values = array("i"), array("d")
        self._spool, self._spooled = Spool(), 0
        self._looked_at = min(
            SORTED_AT_ONCE, 2 * limits.repetitions
        )  # from this number of values on, they are checked and stored
        self._left_out: set[str] = set()

    def declare(self, names: Sequence[object]) -> None:
        """Set the names of the parameters. This is possible only once.

        Raises:
            FormatError: there are no names, too many, or two equal ones.
        """
        parameters = tuple(short_name(name, "a parameter", self._limits) for name in names)
        if not 0 < len(parameters) <= self._limits.parameters:
            raise FormatError(f"{len(names)} parameters", f"1 to {self._limits.parameters}")
        if len(set(parameters)) < len(parameters):
            raise FormatError(
                f"two parameters with the same name in {quoted(', '.join(parameters))}",
                "a different name for each parameter",
            )
        self.parameters = parameters

    def point(self, coordinates: Sequence[float], origin: Origin | None = None) -> int:
        """Return the index of the group of runs with this point and origin, adding a new group.

        As long as no run has an origin, this is the index of the point.

        Raises:
            FormatError: the point does not have exactly one positive coordinate of limited size per
                parameter.
        """
        key = tuple(coordinates)
        index = self._points.get(key)
        if index is None:
            index = self._new_point(key)
        return self._groups.at(index, origin)

    def has_point(self, coordinates: Sequence[float]) -> bool:
        """Return whether the point was added before."""
        return tuple(coordinates) in self._points

    def _new_point(self, key: tuple[float, ...]) -> int:
        if len(key) != len(self.parameters):
            names = ", ".join(self.parameters)
            raise FormatError(
                f"a point of {len(key)} coordinates",
                f"{len(self.parameters)} coordinates, one for each of {names}",
            )
        least, most = self._limits.coordinate
        for name, value in zip(self.parameters, key, strict=True):
            if not least <= value <= most:
                expected = f"a positive number from {least:g} to {most:g}: laws are powers of it"
                raise FormatError(f"{name} = {quoted(value)}", expected)
        check_count(len(self._points), self._limits.points, "points")
        self._check_cells(len(self._points) + 1, len(self._series))
        return self._points.setdefault(key, len(self._points))

    def series(self, kernel: object, metric: object) -> int:
        """Return the index of a series, adding a new series."""
        try:
            index = self._known.get((kernel, metric))
        except TypeError:  # a list or an object where a name should be
            index = None
        if index is None:
            path, name = kernel_path(kernel, self._limits), short_name(metric, "a metric", self._limits)
            path = self._kernels.get(path, path)
            index = self._series.get((path, name))
            if index is None:
                index = self._new_series((path, name))
            self._remember(path if kernel == path else kernel, metric, index)
        return index

    def _remember(self, kernel: object, metric: object, index: int) -> None:
        """Remember the index of a series by the spelling of its names in the file."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        if len(f"{kernel}{metric}") <= LONGEST_SPELLING or (kernel, metric) in self._series:
            self._known[kernel, metric] = index

    def _new_series(self, key: tuple[str, str]) -> int:
        kernel, metric = key
        if kernel not in self._kernels:
            self._new_kernel(kernel)
        self._metrics.add(metric)
        check_count(len(self._metrics) - 1, self._limits.metrics, "metrics")
        check_count(len(self._series), self._limits.series, "kernels × metrics")
        self._check_cells(len(self._points), len(self._series) + 1)
        return self._series.setdefault(key, len(self._series))

    def _new_kernel(self, kernel: str) -> None:
        """Add a kernel and its callers, which become kernels as well."""
        names_bytes = self._names_bytes + sys.getsizeof(kernel)
        if names_bytes > self._limits.names_bytes:
            most = f"{self._limits.names_bytes} bytes"
            raise LimitError(
                f"names of kernels with more than {most} in all", f"at most {most} in one campaign"
            )
        levels, path = set[int](), kernel
        while path and (level := hash(path)) not in self._levels:
            levels.add(level)
            path = path.rpartition(SEPARATOR)[0]
        if levels:
            check_count(
                len(self._levels) + len(levels) - 1, self._limits.kernels, "kernels with their callers"
            )
        self._kernels[kernel], self._names_bytes = kernel, names_bytes
        self._levels |= levels

    def _check_cells(self, points: int, series: int) -> None:
        """Refuse a campaign whose tables would be too large with a single value in each cell."""
        if points * series > self._limits.values:
            raise too_many_cells(points, series, self._limits)

    def add(self, series: int, point: int, values: list[float], line: int) -> None:
        """Add repetitions of a series at a point, from this line of the file.

        Raises:
            FormatError: the series has too many repetitions at this point.
        """
        self._values.extend(values)
        self._records.extend((series, point, len(values), line))
        if len(self._values) >= self._looked_at:
            self._look()
        if self._spooled + len(self._values) > self._limits.values:
            most = f"{self._limits.values} values"
            raise LimitError(f"more than {most}", f"at most {most} in one campaign", line)

    def add_many(self, records: Records, values: FloatArray) -> None:
        """Add many records, with the same result as adding one after the other.

        Args:
            records: (N, 4) series, point, number of values and line of each.
            values: the values of all records, in their order.

        Raises:
            FormatError: as in `add`; the message names the line.
        """
        ends, begun, done = np.cumsum(records[:, 2]), 0, 0
        while begun < len(records):
            room = self._limits.values - self._spooled - len(self._values)
            next_look = min(self._looked_at - len(self._values), room + 1)
            last = min(int(np.searchsorted(ends, done + next_look)), len(records) - 1)
            end = int(ends[last])
            head, line = records[begun:last], int(records[last, 3])
            self._values.frombytes(values[done : end - int(records[last, 2])].tobytes())
            self._records.frombytes(np.ascontiguousarray(head).tobytes())
            series, point, count, _ = records[last].tolist()
            try:
                self.add(series, point, values[end - count : end].tolist(), line)
            except FormatError as error:
                raise error.at(line) from None
            begun, done = last + 1, end

    def leave_out(self, metric: str) -> None:
        """Leave a metric out of the campaign, including its values that were already added."""
        self._left_out.add(metric)

    def campaign(self, format_name: str, *, rounds: bool = False) -> Campaign:
        """Return the campaign of everything that was added.

        Args:
            format_name: the format's `NAME`.
            rounds: whether the values of a point are rounds of one process, which count as one repetition.

        Raises:
            FormatError: nothing was added, or a value is negative or larger than any measurement.
        """
        for kind, found, example in (
            ("parameters", self.parameters, "the name of at least one, such as p"),
            ("points", self._points, "at least one configuration that was measured"),
            ("values", self._spooled + len(self._values), "at least one measured value"),
        ):
            if not found:
                raise FormatError(f"no {kind}", example)
        if self._values:
            self._flush()
        tables = Tables(self._spool, list(self._series), len(self._points), self._groups.groups)
        check_size(tables.widths, len(self._points), self._limits)
        points = np.array(list(self._points), float)
        series = SelectedSeries(tables, [key for key in self._series if key[1] not in self._left_out])
        if not series:
            names = ", ".join(self._left_out)
            raise FormatError(f"no metric but {names}, which has negative values", "another metric as well")
        present = zip(self._series, tables.present.tolist(), strict=True)
        notes = (
            *shortened_names(self._series, self._limits),
            *missing_points((each for each in present if each[0] in series), len(points)),
        )
        campaign = Campaign(self.parameters, points, series, notes=notes, format=format_name)
        if rounds and tables.widths.max() > 1:
            return in_rounds(campaign)
        return replace(campaign, origins=self._groups.origins(tables))

    def _look(self) -> None:
        """Store the collected values if there are many; otherwise check only the numbers of repetitions."""
        if len(self._values) >= SORTED_AT_ONCE:
            self._flush()
        else:
            check_repetitions(np.array(self._records).reshape(-1, 4), self._limits.repetitions)
            self._looked_at = min(SORTED_AT_ONCE, 2 * len(self._values))

    def _flush(self) -> None:
        """Check the collected values and write them to the spool."""
        values = np.array(self._values)
        records = np.array(self._records).reshape(-1, 4)
        check_values(values, records, self._limits.value)
        check_repetitions(records, self._limits.repetitions)
        self._spool.put(values, records[:, :3])
        self._spooled += len(values)
        self._values, self._records = array("d"), array("i")
