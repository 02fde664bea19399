"""Adds the rows of a table, each with one run or one value, to a collector."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from ingest.formats.campaign.campaign import CONFIGURATION
from ingest.formats.campaign.names import DEFAULT_KERNEL, DEFAULT_METRIC
from ingest.formats.campaign.origins import Origin, origin_of
from ingest.formats.campaign.units import factor
from ingest.formats.collecting.collector import Collector
from ingest.formats.collecting.entries import note_of_others, with_labels
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits
from ingest.formats.table.cells import has_no_result, number
from ingest.formats.table.chunks import Chunk, Chunks, Row, trimmed
from ingest.formats.table.column_choice.chosen import NOTHING, Chosen
from ingest.formats.table.columns import NEGATIVE, Columns
from ingest.formats.table.headings import STATISTICS_OF

FORMULA_APOSTROPHE = re.compile(r"^'(?=[=+@-])")
"""Matches the apostrophe before names that keeps spreadsheets from reading them as formulas."""
MISSING = "missing"
TOTALS = frozenset({"total", "sum", "geomean", "gmean", "count"})
"""First cells of rows that sum up others, as `STATISTICS_OF` are."""
REMEMBERED = 10_000
"""Limit on the rows whose kernel and point are remembered. Most later rows repeat them."""
LONGEST_PLACE_CELLS = 2000
"""Limit on the characters of remembered cells for kernel and point."""
Values = dict[str, list[float]]


@dataclass(frozen=True)
class Table:
    """A header, and the rows below it with the numbers of their lines, in chunks that can be read repeatedly.

    Attributes:
        decimal: decimal separator of its cells.
        kernel: kernel of rows that do not name one.
        line: line of the header.
        large: whether a pass over its rows takes more than a moment.
        chosen: the columns whose role the user chose.
    """

    header: Row
    chunks: Callable[[], Chunks]
    limits: Limits
    decimal: str = "."
    kernel: str = DEFAULT_KERNEL
    line: int | None = None
    large: bool = False
    chosen: Chosen = NOTHING

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows one by one."""
        for chunk in self.chunks():
            yield from zip(chunk.lines, chunk.rows, strict=True)


@dataclass
class Reader:
    """Adds the rows of one table to a collector, one by one; `chunk_reader` adds many at a time.

    Attributes:
        of: the roles of the table's columns.
        left_out: in the long form, metrics that are left out because of negative values or texts.
        notes: for the user, about what was left out.
    """

    of: Columns
    table: Table
    collector: Collector
    left_out: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = [self.of.headings[place].name for place in self.of.parameters]
        self.parameters = tuple(self.names) or (CONFIGURATION,)
        self.factors = [self.of.factors(place)[1] for place in range(len(self.of.headings))]
        self.smallest = [float("inf")] * len(self.names)
        placing = [
            *self.of.parameters,
            *self.of.labels,
            *self.of.origin,
            *([] if self.of.kernel is None else [self.of.kernel]),
        ]
        self.place_of = _cells_of(placing)
        self.places = dict[object, tuple[str, int | None]]()
        self.locating = [*self.of.parameters, *self.of.origin]
        self.point_of = _cells_of(self.locating)
        self.points = dict[object, tuple[Mapping[str, object], int | None]]()
        self.units = dict[str, str]()
        self.placing = placing
        self.unplaced = dict[str, None]()

    def read(self) -> None:
        """Add all rows."""
        if not self.collector.parameters:
            self.collector.declare(self.parameters)
        if self.of.metric is not None:
            self.left_out = self.unusable()
        for chunk in self.table.chunks():
            self.take_chunk(chunk)
        if self.unplaced:
            self._place_others()

    def take_chunk(self, chunk: Chunk) -> None:
        """Add the rows of a chunk one by one.

        Raises:
            FormatError: as in `take`, with the row's line.
        """
        width = len(self.of.headings)
        for line, row in zip(chunk.lines, chunk.rows, strict=True):
            try:
                self.take(row if len(row) == width else trimmed(row, width, line), line)
            except FormatError as error:
                raise error.at(line) from None

    def take(self, row: Row, line: int) -> None:
        """Add one row. An empty cell is a missing value.

        Raises:
            FormatError: a cell is no number.
        """
        key = self.place_of(row)
        place = self.places.get(key)
        if place is None:
            place = self.placed(row)
            if len(self.places) > REMEMBERED:
                self.places.clear()
            if sum(len(row[column]) for column in self.placing) <= LONGEST_PLACE_CELLS:
                self.places[key] = place
        kernel, point = place
        values = self.values(row)
        if point is not None:
            for metric, runs in values.items():
                if runs:
                    self.collector.add(self.collector.series(kernel, metric), point, runs, line)
        elif any(values.values()):
            self.unplaced[kernel] = None
            if len(self.unplaced) > self.table.limits.kernels:
                most = f"{self.table.limits.kernels} kernels"
                raise LimitError(f"more than {most}", f"at most {most} in one campaign")

    def placed(self, row: Row) -> tuple[str, int | None]:
        """Return a row's kernel with labels, and the index of its point; None without a complete point."""
        kernel = (
            self.table.kernel
            if self.of.kernel is None
            else FORMULA_APOSTROPHE.sub("", self.label(row, self.of.kernel))
        )
        if self.of.labels:
            labels: dict[str, object] = {
                self.of.headings[place].name: self.label(row, place) for place in self.of.labels
            }
            kernel = with_labels(kernel, {label: text for label, text in labels.items() if text})
        odd, point = self.located(row)
        return with_labels(kernel, odd), point

    def label(self, row: Row, place: int) -> str:
        """Return a text of a row as the kernel's name shows it."""
        text = row[place].strip()
        return self.of.short[place].get(text, text) if place in self.of.short else text

    def located(self, row: Row) -> tuple[Mapping[str, object], int | None]:
        """Return a row's parameters without a positive value; without any, the point's index."""
        cells = self.point_of(row)
        found = self.points.get(cells)
        if found is None:
            found = self._located(row)
            if (
                len(self.points) < REMEMBERED
                and sum(len(row[place]) for place in self.locating) <= LONGEST_PLACE_CELLS
            ):
                self.points[cells] = found
        return found

    def _located(self, row: Row) -> tuple[Mapping[str, object], int | None]:
        coordinates = self.coordinates(row)
        pairs = zip(self.names, coordinates, strict=True)
        odd = {name: value for name, value in pairs if not value or value <= 0}
        if odd:
            return {name: MISSING if value is None else value for name, value in odd.items()}, None
        self.smallest = list(map(min, self.smallest, map(float, filter(None, coordinates))))
        return {}, self.collector.point(list(filter(None, coordinates)) or [1.0], self.origin(row))

    def origin(self, row: Row) -> Origin | None:
        """Return the origin of a row's run, or None if the columns do not show it."""
        if not self.of.origin:
            return None
        return origin_of({self.of.headings[place].key: row[place].strip() for place in self.of.origin})

    def coordinates(self, row: Row) -> list[float | None]:
        """Return the coordinates of a row, which may be missing, 0 or negative."""
        return [self.number(row[place], place) for place in self.of.parameters]

    def values(self, row: Row) -> Values:
        """Return metric → repetitions of a row."""
        found: Values = {}
        for name, places in self.of.metrics.items():
            metric = name if self.of.metric is None else self.metric(row[self.of.metric])
            if metric not in self.left_out:
                numbers = [self.number(row[place], place) for place in places]
                scale = 1.0 if self.of.unit is None else self.scale(metric, row[self.of.unit])
                found[metric] = [value * scale for value in numbers if value is not None]
        return found

    def metric(self, cell: str) -> str:
        """Return the name of the metric in a cell of the long form."""
        return FORMULA_APOSTROPHE.sub("", cell) or DEFAULT_METRIC

    def scale(self, metric: str, cell: str) -> float:
        """Return the factor that converts a value to the unit of the metric's first value.

        Args:
            metric: in the long form, the row's metric.
            cell: the row's unit.

        Raises:
            FormatError: the units are of different kinds.
        """
        unit = cell.strip()
        if not unit:
            return 1.0
        first = self.units.setdefault(metric, unit)
        found = factor(unit, first)
        if found is None:
            description = f"the unit {quoted(unit)} of the metric {quoted(metric)}, which had {quoted(first)}"
            raise FormatError(description, "one unit for each metric; only times and bytes are converted")
        return found

    def number(self, cell: str, place: int) -> float | None:
        """Return the number in a cell, in the unit of its column; None for an empty cell.

        Raises:
            FormatError: the cell is neither a number, nor in a known unit, nor a word for a missing result.
        """
        try:
            found = number(cell, self.table.decimal)
            if found is None:
                return None
            value, unit = found
            return value * (self.factors[place][unit] if unit else self.factors[place].get(unit, 1.0))
        except (ValueError, KeyError):
            if has_no_result(cell) and place not in self.of.parameters:
                return None
        expected = (
            "a number, in the same unit as the others; an empty cell, nan or timeout where a run gave none"
        )
        if cell.strip().lower() in STATISTICS_OF | TOTALS:
            expected = (
                "a number; delete rows of averages, sums and spreads, which are computed from other rows"
            )
        units = sorted(filter(None, self.of.profiles[place].units))
        if len(units) > 1:
            expected = f"numbers in one unit: this column has {', '.join(units[:5])}"
        raise FormatError(f"{quoted(cell)} in the column {self.of.headings[place].name}", expected)

    def unusable(self) -> set[str]:
        """Return the metrics of the long form that have negative values, or whose values are all texts.

        Raises:
            FormatError: a cell with a value cannot be read; the error has its line.
        """
        place, metric = self.of.metrics["value"][0], self.of.metric
        profile = self.of.profiles[place]
        if metric is None or (profile.low >= 0 and not profile.texts):
            return set()
        negative, errors = set[str](), dict[str, tuple[str, FormatError]]()
        measured = set[str]()
        for line, row in self.table.rows():
            name = self.metric(row[metric])
            try:
                value = self.number(row[place], place)
            except FormatError as error:
                errors.setdefault(name, (row[place], error.at(line)))
                continue
            if value is not None:
                measured.add(name)
                negative.update([name] if value < 0 else [])
        for name, (_, wrong) in errors.items():
            if name in measured or not measured:
                raise wrong
        if negative:
            names = ", ".join(sorted(negative)[:10])
            self.notes.append(f"the metric {names} was left out: {NEGATIVE}")
        if errors:
            shown = ", ".join(f"{name} ({quoted(cell, 20)})" for name, (cell, _) in list(errors.items())[:5])
            self.notes.append(f"metrics with texts as their values were left out: {shown}")
        return {*negative, *errors}

    def _place_others(self) -> None:
        """Add the rows without a complete point, at the smallest positive value of missing coordinates."""
        smallest = [1.0 if value == float("inf") else value for value in self.smallest]
        width = len(self.of.headings)
        for line, row in self.table.rows():
            whole = row if len(row) == width else trimmed(row, width, line)
            kernel, point = self.places.get(self.place_of(whole)) or self.placed(whole)
            if point is not None:
                continue
            pairs = zip(self.coordinates(whole), smallest, strict=True)
            try:
                point = self.collector.point(
                    [value if value and value > 0 else least for value, least in pairs], self.origin(whole)
                )
                for metric, runs in self.values(whole).items():
                    if runs:
                        self.collector.add(self.collector.series(kernel, metric), point, runs, line)
            except FormatError as error:
                raise error.at(line) from None
        self.notes += note_of_others(list(self.unplaced), self.names)


def _cells_of(places: Sequence[int]) -> Callable[[Row], object]:
    """Return a function that returns the cells at these indices of a row."""
    return itemgetter(*places) if places else lambda row: None
