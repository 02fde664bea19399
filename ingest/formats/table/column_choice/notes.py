"""Notes for the user about columns whose role was guessed, and about cells that were converted."""

from collections.abc import Iterable, Sequence

from ingest.formats.table.cells import SIZE_UNITS, THOUSANDS_OF_BYTES
from ingest.formats.table.column_choice.statistics import Reading
from ingest.formats.table.columns import Columns, listed
from ingest.formats.table.headings import MEMORY


def guesses(found: Columns, metrics: Sequence[int], reading: Reading) -> Iterable[str]:
    """Return notes about columns whose role is uncertain."""
    guessed = [place for place in metrics if not reading.surely(place)]
    by_cells = [place for place in guessed if reading.seems(place) or reading.responds(place)]
    if by_cells and not (found.kernel is not None and min(by_cells) > found.kernel):
        names = listed([found.headings[place].name for place in by_cells])
        yield f"{names}: read as metrics, by their values; put parameters before the first metric"
    elif guessed and _nameless(found, metrics):
        names = listed([found.headings[place].name for place in found.parameters])
        measured = listed([found.headings[place].name for place in metrics])
        yield f"no name says what was measured: {measured} was read as a metric; parameters: {names}"
    first = min(metrics, default=0)
    late = [place for place in found.parameters if place > first]
    if late and metrics:
        names = listed([found.headings[place].name for place in late])
        yield f"{names}: read as parameters; add a unit, as in “name [s]”, to make them metrics"


def _nameless(found: Columns, metrics: Sequence[int]) -> bool:
    """Return whether no column's name says whether it was set or measured."""
    used = [*found.parameters, *metrics]
    guessed = all(found.headings[place].measured is None for place in used)
    return guessed and bool(found.parameters) and found.kernel is None


def spellings(found: Columns) -> Iterable[str]:
    """Return notes about numbers that were converted, such as 1:02:03 and 12.5 ± 0.3."""
    used = [*found.parameters, *(place for places in found.metrics.values() for place in places)]
    if clocks := [found.headings[place].name for place in used if found.profiles[place].clocked]:
        yield f"{listed(clocks)}: times such as 1:02:03 were read as seconds"
    for place in filter(found.suffixed, used):
        thousand = 1024 if found.headings[place].has(MEMORY) else 1000
        yield f"{found.headings[place].name}: K, M and G behind the numbers are powers of {thousand}"
    if bytes_of := [
        found.headings[place].name for place in used if _mixes_bytes(found.profiles[place].units)
    ]:
        yield f"{listed(bytes_of)}: read in bytes; a KB counts as 1024 bytes, a MB as 1024 KB, and so on"
    if spreads := [found.headings[place].name for place in used if found.profiles[place].spread]:
        yield f"{listed(spreads)}: spreads behind the numbers were left out; send each run for repetitions"


def _mixes_bytes(units: set[str]) -> bool:
    """Return whether cells have several units of bytes, with prefixes that may mean 1000 or 1024."""
    return len(units) > 1 and units <= SIZE_UNITS and not units.isdisjoint(THOUSANDS_OF_BYTES)
