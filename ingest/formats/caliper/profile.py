"""What a Caliper profile of one run holds, whichever way it was written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf, isnan

from ingest.formats.caliper.aggregation import Cell, Kind, kind
from ingest.formats.entries import as_number
from ingest.formats.errors import FormatError
from ingest.formats.names import DEEPEST_PATH, SEPARATOR

REGIONS = "regionprofile"
"""The channel of the regions, which is read of all channels in a file; another one is a series over time."""
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
"""Where a record's region stands: nested attributes may be written separately; samples have call paths."""
COUNTS = ("count", "sum#count", "aggregate.count")
"""How many events a record stands for."""

PLACES = frozenset((*RANKS, *THREADS))
CONTEXT = PLACES.union(COUNTS)
"""What of a record tells where its values belong."""

Place = tuple[str, str]
"""A process and a thread, as the file names them; empty where it does not tell them apart."""


@dataclass
class Profile:
    """A run.

    Attributes:
        globals: what is known of the run as a whole.
        units: metric → unit.
        outside: how many values belong to no region.
        undefined: how many values are no numbers, such as a ratio to 0.
        cells: (call path, metric) → process and thread → what its records come to.
    """

    globals: Mapping[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    outside: int = 0
    undefined: int = 0
    cells: dict[tuple[str, str], dict[Place, Cell]] = field(default_factory=dict)
    _kinds: dict[str, Kind] = field(default_factory=dict)

    def kind(self, metric: str) -> Kind:
        """How values of a metric are combined."""
        found = self._kinds.get(metric)
        return self._kinds.setdefault(metric, kind(metric)) if found is None else found

    def add(self, path: str, measured: Sequence[tuple[str, float]], place: Place, weight: float) -> None:
        """Add what a record holds of a region, by metric; an empty path is of none."""
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
        """The profile with these metrics only, under these names, and with what is known of the run."""
        cells = {(path, metrics[key]): found for (path, key), found in self.cells.items() if key in metrics}
        kinds = {new: self.kind(old) for old, new in metrics.items()}
        return Profile(about, dict(units), self.outside, self.undefined, cells, kinds)

    def values(self, key: tuple[str, str]) -> list[float]:
        """Values of a call path and metric, one for each process and thread that has them.

        Where some records name their process and some do not, as those from before MPI was started, sums of
        the latter are spread evenly over the processes: they belong to all of them.
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
    """A record's region: a name, or a list of names, the outermost first; empty where it is of none."""
    return next((record[name] for name in NESTED if name in record), "")


def call_path(levels: Iterable[object]) -> str:
    """A call path of regions, outermost first; what separates levels here may be part of their names.

    Raises:
        FormatError: it is deeper than any program's.
    """
    names = [str(level) for level in islice(levels, DEEPEST_PATH + 1)]
    if len(names) > DEEPEST_PATH:
        raise FormatError(f"a call path of more than {DEEPEST_PATH} levels", "fewer")
    return SEPARATOR.join(name.replace(SEPARATOR, "→") for name in names if name.strip())


def place_of(record: Mapping[str, object]) -> Place:
    """Which process and thread a record is of."""
    if PLACES.isdisjoint(record):
        return "", ""
    rank = next((record[name] for name in RANKS if name in record), "")
    thread = next((record[name] for name in THREADS if name in record), "")
    return str(rank), str(thread)


def weight_of(record: Mapping[str, object]) -> float:
    """How many events a record stands for; 1 where it does not tell."""
    weight = next((as_number(record[name]) for name in COUNTS if name in record), None)
    return weight if weight is not None and 0 < weight < inf else 1.0
