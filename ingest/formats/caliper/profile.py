"""What a Caliper profile of one run holds, whichever way it was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

UNITS = {"sec": "s", "nsec": "ns", "byte": "B", "Bytes": "B"}
REGIONS = "regionprofile"
"""Of the channels in one file, that of the regions; another is a series over time."""
NO_METRICS = ("mpi.rank", "pthread.id", "cali.", "spot.", "iteration#", "aggregate.", "event.", "adiak.")
"""Beginnings of the names of numbers that nobody measured."""


@dataclass
class Profile:
    """A run.

    Attributes:
        globals: what is known of the run as a whole.
        values: (call path, metric) → values, one for each process or thread that the file tells apart.
        units: metric → unit.
        outside: how many values belong to no region.
    """

    globals: Mapping[str, str] = field(default_factory=dict)
    values: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    outside: int = 0

    def add(self, path: str, metric: str, value: float) -> None:
        """Add a value of a region; an empty path is of none."""
        if path:
            self.values.setdefault((path, metric), []).append(value)
        else:
            self.outside += 1


def is_metric(name: str) -> bool:
    """Whether a number of this name was measured."""
    return not name.startswith(NO_METRICS)
