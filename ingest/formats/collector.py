"""Takes what a parser finds, value by value, and arranges it as arrays at the end."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingest.formats.campaign import Campaign, FloatArray, Key
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import SEPARATOR, kernel_path, short_name, shortened
from ingest.formats.spool import CHUNK, Spool, Tables
from ingest.formats.tables import Indices

MOST_NOTES = 20


class Collector:
    """Checks names, points and counts as they come, and values many at a time.

    Campaigns are too large for Python's own numbers, and may be for memory: values are kept in a spool.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.parameters: tuple[str, ...] = ()
        self._points: dict[tuple[float, ...], int] = {}
        self._series: dict[tuple[str, str], int] = {}
        self._known: dict[tuple[object, object], int] = {}
        self._kernels: set[str] = set()
        self._metrics: set[str] = set()
        self._records, self._values = array("i"), array("d")
        self._spool, self._spooled = Spool(), 0
        self._left_out: set[str] = set()

    def declare(self, names: Sequence[object]) -> None:
        """Name the parameters, once.

        Raises:
            FormatError: there are none, too many, or two of one name.
        """
        parameters = tuple(short_name(name, "a parameter", self._limits) for name in names)
        if not 0 < len(parameters) <= self._limits.parameters:
            raise FormatError(f"{len(names)} parameters", f"1 to {self._limits.parameters}")
        if len(set(parameters)) < len(parameters):
            raise FormatError(
                f"two parameters of one name in {quoted(', '.join(parameters))}", "different ones"
            )
        self.parameters = parameters

    def point(self, coordinates: Sequence[float]) -> int:
        """Index of a point, new or known.

        Raises:
            FormatError: it has not one positive coordinate of bounded size per parameter.
        """
        key = tuple(coordinates)
        index = self._points.get(key)
        return self._new_point(key) if index is None else index

    def has_point(self, coordinates: Sequence[float]) -> bool:
        """Whether the point is known already."""
        return tuple(coordinates) in self._points

    def _new_point(self, key: tuple[float, ...]) -> int:
        if len(key) != len(self.parameters):
            names = ", ".join(self.parameters)
            raise FormatError(
                f"a point of {len(key)} coordinates", f"{len(self.parameters)}: one for each of {names}"
            )
        least, most = self._limits.coordinate
        for name, value in zip(self.parameters, key, strict=True):
            if not least <= value <= most:
                expected = f"a positive number from {least:g} to {most:g}: laws are powers of it"
                raise FormatError(f"{name} = {quoted(value)}", expected)
        _check_count(len(self._points), self._limits.points, "points")
        return self._points.setdefault(key, len(self._points))

    def series(self, kernel: object, metric: object) -> int:
        """Index of a series, new or known.

        Raises:
            FormatError: a name is none, or there are too many.
        """
        try:
            index = self._known.get((kernel, metric))
        except TypeError:  # a list or an object in place of a name
            index = None
        if index is None:
            key = kernel_path(kernel, self._limits), short_name(metric, "a metric", self._limits)
            index = self._series.get(key)
            if index is None:
                index = self._new_series(key)
            self._known[kernel, metric] = index
        return index

    def _new_series(self, key: tuple[str, str]) -> int:
        kernel, metric = key
        while kernel and kernel not in self._kernels:  # callers become kernels, too
            _check_count(len(self._kernels), self._limits.kernels, "kernels with their callers")
            self._kernels.add(kernel)
            kernel = kernel.rpartition(SEPARATOR)[0]
        self._metrics.add(metric)
        _check_count(len(self._metrics) - 1, self._limits.metrics, "metrics")
        _check_count(len(self._series), self._limits.series, "kernels × metrics")
        return self._series.setdefault(key, len(self._series))

    def add(self, series: int, point: int, values: list[float], line: int) -> None:
        """Add repetitions of a series at a point, as they stand in this line of the file.

        Raises:
            FormatError: there are too many.
        """
        self._values.extend(values)
        self._records.extend((series, point, len(values), line))
        if len(self._values) >= CHUNK:
            self._flush()
        if self._spooled + len(self._values) > self._limits.values:
            raise FormatError(f"more than {self._limits.values} values", "fewer in one campaign", line)

    def leave_out(self, metric: str) -> None:
        """Leave a metric out of the campaign, also what was added of it already."""
        self._left_out.add(metric)

    def campaign(self, format_name: str, *, rounds: bool = False) -> Campaign:
        """Everything that was added.

        Args:
            format_name: the format's `NAME`.
            rounds: whether the values of a point are rounds of one process, which count as one repetition.

        Raises:
            FormatError: there is nothing, or a value is negative or of a size that nothing has.
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
        tables = Tables(self._spool, list(self._series), len(self._points))
        _check_size(tables.widths, len(self._points), self._limits)
        points = np.array(list(self._points), float)
        series = _Some(tables, [key for key in self._series if key[1] not in self._left_out])
        if not series:
            raise FormatError(f"nothing but {', '.join(self._left_out)}, left out", "another metric as well")
        present = zip(self._series, tables.present.tolist(), strict=True)
        notes = (
            *_shortened_names(self._series, self._limits),
            *_missing_points((each for each in present if each[0] in series), len(points)),
        )
        campaign = Campaign(self.parameters, points, series, notes=notes, format=format_name)
        return in_rounds(campaign) if rounds and tables.widths.max() > 1 else campaign

    def _flush(self) -> None:
        """Check the values at hand and put them into the spool."""
        values = np.array(self._values)
        records = np.array(self._records).reshape(-1, 4)
        _check_values(values, records, self._limits.value)
        self._spool.put(values, records[:, :3])
        self._spooled += len(values)
        self._values, self._records = array("d"), array("i")


def in_rounds(campaign: Campaign) -> Campaign:
    """The campaign whose values are rounds of one process: their medians count as one repetition."""
    medians, rounds = {}, {}
    for key, values in campaign.series.items():
        medians[key] = np.full((len(values), 1), np.nan)
        known = ~np.isnan(values).all(axis=1)
        medians[key][known, 0] = np.nanmedian(values[known], axis=1)
        if values.shape[1] > 1:
            rounds[key] = values
    most = max(values.shape[1] for values in rounds.values())
    note = (
        f"up to {most} rounds of one process at a point count as one repetition, their median: they share "
        "whatever differs between processes; run the benchmark several times for repetitions"
    )
    return replace(campaign, series=medians, rounds=rounds, notes=(note, *campaign.notes))


class _Some(Mapping[Key, FloatArray]):
    """Some of the series of a campaign."""

    def __init__(self, series: Mapping[Key, FloatArray], keys: Sequence[Key]) -> None:
        self._series, self._keys = series, dict.fromkeys(keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __getitem__(self, key: Key) -> FloatArray:
        if key not in self._keys:
            raise KeyError(key)
        return self._series[key]


def _check_count(present: int, most: int, what: str) -> None:
    """Refuse one more than there may be."""
    if present >= most:
        raise FormatError(f"more than {most} {what}", "fewer in one campaign")


def _check_values(
    values: FloatArray,
    records: "np.ndarray[tuple[int, int], np.dtype[np.int32]]",
    bounds: tuple[float, float],
) -> None:
    least, most = bounds
    wrong = np.flatnonzero(~((values == 0) | (values >= least) & (values <= most)))
    if wrong.size:
        record = np.searchsorted(np.cumsum(records[:, 2], dtype=np.int64), wrong[0], side="right")
        found = f"the value {quoted(values[wrong[0]])}"
        expected = f"a finite number that is not negative: 0, or from {least:g} to {most:g}"
        raise FormatError(found, expected, int(records[record, 3]))


def _check_size(widths: Indices, points: int, limits: Limits) -> None:
    if widths.max() > limits.repetitions:
        raise FormatError(f"{widths.max()} repetitions at one point", f"{limits.repetitions} at most")
    cells = points * int(widths.sum())
    if cells > limits.values:
        found = f"{len(widths)} kernels × metrics at {points} points, {cells} values with the missing ones"
        raise FormatError(found, f"{limits.values} at most; send kernels that share few points separately")


def _shortened_names(series: Iterable[tuple[str, str]], limits: Limits) -> tuple[str, ...]:
    """A sentence for each kind of names that were shortened."""
    keys = list(series)
    paths, metrics = ({key[place] for key in keys} for place in (0, 1))
    kinds = (
        (paths, f"call paths of over {limits.path_characters} characters or {limits.levels} levels"),
        (metrics, f"names of metrics of over {limits.name_characters} characters"),
    )
    return tuple(
        f"{count} {kind} were shortened, alike in every file: a hash stands for what was taken out"
        for names, kind in kinds
        if (count := shortened(names))
    )


def _missing_points(present: Iterable[tuple[Key, int]], points: int) -> tuple[str, ...]:
    """A sentence for each series that lacks points, up to a number that somebody reads."""
    lacking = [
        f"{kernel} ({metric}) lacks {points - found} of {points} points"
        for (kernel, metric), found in present
        if found < points
    ]
    if len(lacking) > MOST_NOTES:
        lacking[MOST_NOTES:] = [f"{len(lacking) - MOST_NOTES} more kernels and metrics lack points"]
    return tuple(lacking)
