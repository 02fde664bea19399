"""Tables with one run, or one value, a row: what the columns of a header mean, and the rows below it.

Wide: `p, n, kernel, time, visits`: what stands before the kernel are parameters, behind it metrics. Without
a kernel, or with it first, a column is a metric if its name says so or carries a unit, as in `time [s]`; if
none does, the last one is.

Long: `p, n, kernel, metric, value`: all others are parameters.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.formats.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.names import DEFAULT_KERNEL, DEFAULT_METRIC

KERNEL = {"kernel", "callpath", "call path", "call_path", "region", "function"}
RUN = {"repetition", "rep", "run", "run_id"}
"""Columns that number the runs; repetitions are told by their order."""
JUBE = "jube_"
"""Beginning of the names of columns that JUBE keeps for itself."""
MEASURED = re.compile(
    r"(^|[_ .-])(time|runtime|walltime|duration|elapsed|seconds|sec|ms|us|ns|mean|median|min|max|avg|value|"
    r"flops?|gflops|bytes|bandwidth|throughput|energy|power|visits|calls|cycles|instructions|basic_blocks)"
    r"($|[_ .-])"
)
LONGEST_HEADING = 200  # a longer one is no name, and takes the next pattern time that grows with its square
UNIT = re.compile(r"(.*\S)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]")


@dataclass(frozen=True)
class Columns:
    """Which column is what; numbers are places in a row."""

    names: Sequence[str]
    parameters: Sequence[int]
    metrics: Sequence[int]
    kernel: int | None = None
    metric: int | None = None  # of the long form
    units: dict[str, str] = field(default_factory=dict)
    ignored: Sequence[str] = ()


def columns(header: Sequence[str]) -> Columns:
    """What the columns of a header are.

    Raises:
        FormatError: two have one name, one has none, or there is no parameter or nothing measured.
    """
    names, units = _names_and_units(header)
    places = {name.lower(): place for place, name in enumerate(names)}
    if len(places) < len(names) or "" in places:
        raise FormatError(f"the columns {quoted(', '.join(header))}", "column names, each once")
    kernel = next((places[name] for name in places if name in KERNEL), None)
    runs = [places[name] for name in places if name in RUN or name.startswith(JUBE)]
    metric = places.get("metric") if "value" in places else None
    others = [place for place in places.values() if place not in (kernel, metric, *runs)]
    metrics = [places["value"]] if metric is not None else _measured(names, others, kernel, units)
    parameters = [place for place in others if place not in metrics]
    if not parameters or not metrics:
        expected = "columns of parameters, then perhaps kernel, then metrics, such as p, n, kernel, time"
        raise FormatError(f"the columns {quoted(', '.join(header))}", expected)
    ignored = [names[place] for place in runs]
    return Columns(names, parameters, metrics, kernel, metric, units, ignored)


def _names_and_units(header: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    names, units = [], {}
    for cell in header:
        match = UNIT.fullmatch(cell.strip()) if len(cell) < LONGEST_HEADING else None
        names.append(match[1] if match else cell.strip())
        if match:
            units[names[-1]] = match[2]
    return names, units


def _measured(
    names: Sequence[str], places: list[int], kernel: int | None, units: dict[str, str]
) -> list[int]:
    if kernel is not None and places and places[0] < kernel < places[-1]:
        return [place for place in places if place > kernel]
    told = [place for place in places if names[place] in units or MEASURED.search(names[place].lower())]
    return told or places[-1:]


PLAIN = re.compile(r"^'(?=[=+@-])")
"""The apostrophe by which this portal and others keep spreadsheets from taking a name for a formula."""


class Rows:
    """Adds the rows of a table to a collector."""

    def __init__(self, collector: Collector, header: Sequence[str], decimal: str = ".") -> None:
        self.collector, self.columns, self.decimal = collector, columns(header), decimal
        collector.declare([self.columns.names[place] for place in self.columns.parameters])

    def take(self, row: Sequence[str], line: int) -> None:
        """Add one row; an empty cell is a missing value.

        Raises:
            FormatError: it has not as many cells as the header, or one that is no number.
        """
        of = self.columns
        if len(row) != len(of.names):
            raise FormatError(f"a row of {len(row)} cells", f"{len(of.names)}, as the header has")
        point = self.collector.point([self._number(row, place) for place in of.parameters])
        kernel = DEFAULT_KERNEL if of.kernel is None else PLAIN.sub("", row[of.kernel])
        for place in of.metrics:
            if row[place].strip():
                told = of.names[place] if of.metric is None else row[of.metric]
                metric = PLAIN.sub("", told) or DEFAULT_METRIC
                series = self.collector.series(kernel, metric)
                self.collector.add(series, point, [self._number(row, place)], line)

    def _number(self, row: Sequence[str], place: int) -> float:
        text = row[place].strip().replace(self.decimal, ".")
        try:
            if text.isascii() and "_" not in text:
                return float(text)
        except ValueError:
            pass
        expected = "a number; an empty cell where nothing was measured"
        raise FormatError(f"{quoted(row[place])} as {self.columns.names[place]}", expected)

    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        if not self.columns.ignored:
            return ()
        names = ", ".join(self.columns.ignored)
        return (f"the column {names} was left out: repetitions are in the order of the rows",)
