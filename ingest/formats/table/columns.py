"""Stores the role of each column of a table, and notes about how the columns were read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.formats.campaign.units import factor
from ingest.formats.errors import FormatError, quoted
from ingest.formats.table.cells import SUFFIXES, factors
from ingest.formats.table.headings import MEMORY, Heading, heading
from ingest.formats.table.profiles import Profile

NEGATIVE = "it has negative values"
ORIGINS = "runs of one job, node or day may be more alike, but count as repetitions"
KIBI = 1024.0
"""The value of K in amounts of memory, as schedulers and operating systems write them."""
SHOWN = 10
"""Limit on the columns that a note names."""


@dataclass
class Columns:
    """The role of each column, given by its index. In the long form, each row has one metric and one value.

    Attributes:
        kernel: column of the row's kernel.
        metric: in the long form, column of the row's metric.
        unit: in the long form, column of the unit of the row's value.
        metrics: metric → columns of its repetitions.
        labels: columns of texts and flags that become part of the kernel's name.
        short: column of labels → text → shorter text in the kernel's name.
        origin: columns of the runs' jobs, nodes and days.
        metadata: texts that all rows have in common.
        left_out: reason → names of columns.
        into: column → unit into which its values are converted, and the factor.
    """

    headings: Sequence[Heading]
    profiles: Sequence[Profile]
    kernel: int | None = None
    metric: int | None = None
    unit: int | None = None
    parameters: list[int] = field(default_factory=list)
    metrics: dict[str, list[int]] = field(default_factory=dict)
    labels: list[int] = field(default_factory=list)
    short: dict[int, dict[str, str]] = field(default_factory=dict)
    origin: list[int] = field(default_factory=list)
    metadata: dict[str, object] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    into: dict[int, tuple[str, float]] = field(default_factory=dict)

    def convert(self, known: Mapping[str, str]) -> None:
        """Convert metrics into the units that they have in an earlier table of the file."""
        for name, unit in self.units.items():
            size = factor(unit, known[name]) if known.get(name) else None
            if size is not None:
                self.into |= dict.fromkeys(self.metrics[name], (known[name], size))
            elif known.get(name):
                told = f"{name} is in {unit} here, but in {known[name]} above; its values were not converted"
                self.notes.append(told)

    def leave_out(self, place: int, reason: str) -> None:
        """Leave a column out, and note the reason."""
        self.left_out.setdefault(reason, []).append(self.headings[place].name or "without a name")

    def factors(self, place: int) -> tuple[str, dict[str, float]]:
        """Return the unit of a column, and the factors that convert its cells' units to this unit."""
        units, memory = self.profiles[place].units, self.headings[place].has(MEMORY)
        unit, multiples = factors(units, KIBI if memory else 1000.0) or ("", {})
        into, size = self.into.get(place, (unit or ("B" if memory and self.suffixed(place) else ""), 1.0))
        return into, {of: multiple * size for of, multiple in multiples.items()}

    def suffixed(self, place: int) -> bool:
        """Return whether numbers of a column are followed by letters such as K and M."""
        units = self.profiles[place].units
        return units <= SUFFIXES.keys() and units != {""}

    @property
    def units(self) -> dict[str, str]:
        """Return metric → unit, from the header or else from the cells."""
        found = {
            name: self.into.get(places[0], (self.headings[places[0]].unit,))[0] or self.factors(places[0])[0]
            for name, places in self.metrics.items()
        }
        return {name: unit for name, unit in found.items() if unit}

    def explained(self) -> tuple[str, ...]:
        """Return notes about columns that were left out or are ambiguous."""
        left_out = [f"the {_columns(names)} left out: {reason}" for reason, names in self.left_out.items()]
        names = [self.headings[place].name for place in self.origin]
        origin = [f"the {_columns(names)} read as the origin of runs: {ORIGINS}"] if names else []
        return (*origin, *left_out, *self.notes)


def listed(names: Sequence[str]) -> str:
    """Join the names of columns for a note."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _columns(names: Sequence[str]) -> str:
    return f"columns {listed(names)} were" if len(names) > 1 else f"column {names[0]} was"


def headings_of(header: Sequence[str]) -> list[Heading]:
    """Parse the names in a header.

    A name that occurs behind several metrics, such as `Noise`, describes the metric before it.

    Raises:
        FormatError: two other columns have the same name.
    """
    found = [heading(cell) for cell in header]
    times = Counter(each.name for each in found)
    for place, each in enumerate(found):
        if times[each.name] > 1:  # for example, time [s] and time [ms]
            found[place] = replace(each, name=header[place].strip())
            before = found[place - 1] if place else each
            if each.measured is None and before.measured and not before.spread:
                found[place] = replace(each, name=f"{each.name} of {before.name}", spread=True)
    seen = set[str]()
    for place, each in enumerate(found):
        if each.name in seen:
            raise FormatError(
                f"two columns with the name {quoted(each.name)}", "a name of its own for each column"
            )
        if each.name or place:
            seen.add(each.name)
        if not each.name and place:
            raise FormatError(f"column {place + 1} without a name", "a name in the header for each column")
    return found
