"""The content of a Caliper profile of one run, whatever its file format."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf, isnan

from ingest.formats.campaign.names import DEEPEST_PATH, SEPARATOR
from ingest.formats.collecting.entries import as_number
from ingest.formats.errors import FormatError
from ingest.formats.readers.profilers.caliper.aggregation import Cell, Kind, kind

REGIONS = "regionprofile"
"""The channel with the regions. The other channels are time series and are not read."""
RANKS = ("mpi.rank", "rank")
THREADS = ("pthread.id", "omp.thread.id", "thread")
NESTED = (
    "path",
    "function",
    "region",
    "annotation",
    "loop",
    "phase",
    "mpi.function",
    "source.function#callpath.address",
)
"""Attributes that contain a record's region. Sampled records have call paths instead."""
COUNTS = ("count", "sum#count", "aggregate.count")
"""Attributes with the number of events that a record summarises."""

PLACES = frozenset((*RANKS, *THREADS))
CONTEXT = PLACES.union(COUNTS)
"""Attributes of a record that are context, not measurements."""

Place = tuple[str, str]
"""A process and a thread, as the file names them; empty if the file does not distinguish them."""


@dataclass
class Profile:
    """The profile of one run.

    Attributes:
        outside: number of values that belong to no region.
        undefined: number of values that are not finite numbers, such as a ratio to 0.
        cells: (call path, metric) → (process, thread) → the combined value of its records.
    """

    globals: Mapping[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    outside: int = 0
    undefined: int = 0
    cells: dict[tuple[str, str], dict[Place, Cell]] = field(default_factory=dict)
    _kinds: dict[str, Kind] = field(default_factory=dict)

    def kind(self, metric: str) -> Kind:
        """Return the rule by which values of a metric are combined."""
        found = self._kinds.get(metric)
        return self._kinds.setdefault(metric, kind(metric)) if found is None else found

    def add(self, path: str, measured: Sequence[tuple[str, float]], place: Place, weight: float) -> None:
        """Add a record's measurements, by metric. The path is empty if the record has no region."""
        if not path:
            self.outside += len(measured)
            return
        for metric, value in measured:
            if isnan(value):
                self.undefined += 1
                continue
            cells = self.cells.get((path, metric))
            if cells is None:
                cells = self.cells[path, metric] = {}
            cell = cells.get(place)
            if cell is None:
                cells[place] = Cell(value, weight)
            else:
                cell.add(value, weight, self.kind(metric))

    def finished(
        self, metrics: Mapping[str, str], units: Mapping[str, str], about: Mapping[str, str]
    ) -> "Profile":
        """Return the profile with only these metrics, under these names."""
        cells = {(path, metrics[key]): found for (path, key), found in self.cells.items() if key in metrics}
        kinds = {new: self.kind(old) for old, new in metrics.items()}
        return Profile(about, dict(units), self.outside, self.undefined, cells, kinds)

    def values(self, key: tuple[str, str]) -> list[float]:
        """Return the values of a call path and metric, one for each process and thread.

        Values of records without a process are divided among the processes, if values of the metric are
        added. Otherwise such records count as a further process.
        """
        cells = self.cells[key]
        if len(cells) == 1:
            return [cell.value for cell in cells.values()]
        named = [cell.value for (rank, _), cell in cells.items() if rank]
        rest = [cell.value for (rank, _), cell in cells.items() if not rank]
        if named and rest and self.kind(key[1]) is Kind.SUM:
            return [value + sum(rest) / len(named) for value in named]
        return named + rest


def region_of(record: Mapping[str, object]) -> object:
    """Return a record's region: a name, or names from the outermost to the innermost; empty without one."""
    return next((record[name] for name in NESTED if name in record), "")


def call_path(levels: Iterable[object]) -> str:
    """Return the call path of nested regions, outermost first. A separator inside a name becomes →.

    Raises:
        FormatError: the path is deeper than in any real program.
    """
    names = [str(level) for level in islice(levels, DEEPEST_PATH + 1)]
    if len(names) > DEEPEST_PATH:
        raise FormatError(f"a call path of more than {DEEPEST_PATH} levels", f"at most {DEEPEST_PATH} levels")
    return SEPARATOR.join(name.replace(SEPARATOR, "→") for name in names if name.strip())


def place_of(record: Mapping[str, object]) -> Place:
    """Return the process and thread that a record belongs to."""
    if PLACES.isdisjoint(record):
        return "", ""
    rank = next((record[name] for name in RANKS if name in record), "")
    thread = next((record[name] for name in THREADS if name in record), "")
    return str(rank), str(thread)


def weight_of(record: Mapping[str, object]) -> float:
    """Return how many events a record summarises, by default 1."""
    weight = next((as_number(record[name]) for name in COUNTS if name in record), None)
    return weight if weight is not None and 0 < weight < inf else 1.0
