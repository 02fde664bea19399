"""Columns whose role the user chose, because it was guessed wrongly: `parameters=threads; metrics=time`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.formats.errors import FormatError, quoted
from ingest.formats.table.columns import Columns

OPTIONS = {
    "parameters": "names of the columns that hold parameters, separated by commas; no other columns do",
    "metrics": "names of the columns that hold measured values, separated by commas; no other columns do",
    "metric": "name of the only metric, such as time: all columns of measured values are kernels then",
}
"""Options of the formats whose columns users may choose."""
OTHER = "other columns were chosen"


@dataclass(frozen=True)
class Chosen:
    """The names of the columns that hold parameters and metrics; None if the user did not choose.

    Attributes:
        metric: the metric of which all columns of metrics are kernels, or "".
    """

    parameters: tuple[str, ...] | None = None
    metrics: tuple[str, ...] | None = None
    metric: str = ""

    def __bool__(self) -> bool:
        """Return whether the user chose columns."""
        return self.parameters is not None or self.metrics is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names that the user chose."""
        return (*(self.parameters or ()), *(self.metrics or ()))


NOTHING = Chosen()


def chosen_of(options: Mapping[str, str]) -> Chosen:
    """Return the user's choice among the options of a format."""
    listed = {
        kind: tuple(filter(None, (name.strip() for name in options[kind].split(","))))
        for kind in ("parameters", "metrics")
        if kind in options
    }
    return Chosen(listed.get("parameters"), listed.get("metrics"), options.get("metric", ""))


def places_of(found: Columns, names: Sequence[str]) -> list[int]:
    """Return the indices of columns by their names, with or without unit, in the order of the table.

    Raises:
        FormatError: no column has a name, or a column has other cells than numbers.
    """
    known = {of.name.lower(): place for place, of in enumerate(found.headings)}
    known |= {f"{of.name} [{of.unit}]".lower(): place for place, of in enumerate(found.headings) if of.unit}
    places = []
    for name in names:
        place = known.get(name.lower())
        if place is None:
            columns = ", ".join(of.name for of in found.headings)
            raise FormatError(f"no column {quoted(name)}", f"names of columns: {quoted(columns, 300)}")
        if not found.profiles[place].numeric:
            raise FormatError(
                f"the column {quoted(name)} with other cells than numbers", "a column of numbers"
            )
        places.append(place)
    return sorted(places)


def choose(found: Columns, chosen: Chosen) -> None:
    """Give columns the roles that the user chose. Columns of numbers that were not chosen are left out."""
    if not chosen:
        return
    guessed = {*found.parameters, *(place for places in found.metrics.values() for place in places)}
    if chosen.parameters is not None:
        found.parameters = places_of(found, chosen.parameters)
        found.metrics = {
            name: places for name, places in found.metrics.items() if not set(places) & set(found.parameters)
        }
    if chosen.metrics is not None:
        metrics = places_of(found, chosen.metrics)
        found.metrics = {found.headings[place].name: [place] for place in metrics}
        found.parameters = [place for place in found.parameters if place not in metrics]
    used = {*found.parameters, *(place for places in found.metrics.values() for place in places)}
    names = {found.headings[place].name for place in used}
    left_out = {
        reason: [name for name in named if name not in names] for reason, named in found.left_out.items()
    }
    found.left_out = {reason: named for reason, named in left_out.items() if named}
    for place in sorted(guessed - used):
        found.leave_out(place, OTHER)
    found.notes.clear()  # they told what was guessed
