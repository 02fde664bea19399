"""Separates the columns of numbers into parameters and metrics."""

from collections.abc import Sequence

from ingest.formats.campaign.roles import kind
from ingest.formats.table.column_choice.notes import guesses
from ingest.formats.table.column_choice.statistics import (
    Reading,
    leave_computed_out,
    runs_of,
    statistics_of,
    summaries_of,
)
from ingest.formats.table.columns import Columns
from ingest.formats.table.headings import BYTES, CHOSEN, TIME_UNITS, TIMES, Heading

SETTING = "a time that is the same in every row was set, and not measured"

FEW_ROWS = 2
"""With fewer rows than this per text, most rows have a text of their own, and no parameter varies within a
kernel.
"""
LEAST_ROWS_OF_SETTING = 4
"""In a table with at least this many rows, a time that never changes is a setting."""


def separate(found: Columns, numeric: Sequence[int], rows: int) -> None:
    """Separate the columns of numbers into parameters and metrics."""
    reading = Reading(found.headings, found.profiles, rows)
    runs = runs_of(reading, numeric)
    summaries_of(reading, numeric, runs)
    in_runs = {place for places in runs.values() for place in places} | reading.left_out.keys()
    others = leave_computed_out(reading, [place for place in numeric if place not in in_runs])
    plain = statistics_of(reading, others, bool(runs))
    metrics = [] if runs and not any(map(reading.surely, plain)) else _measured(found, plain, reading, rows)
    settings = _settings(found, metrics, rows)
    for place in settings:
        found.leave_out(place, SETTING)
    metrics = [place for place in metrics if place not in settings]
    plain = [place for place in plain if place not in settings]
    found.metrics = {found.headings[place].name: [place] for place in metrics} | runs
    found.parameters = sorted(set(plain) - set(metrics))
    for place, reason in reading.left_out.items():
        found.leave_out(place, reason)
    found.notes += reading.notes
    found.notes += _leading_sizes(found, metrics)
    found.notes += guesses(found, metrics, reading)


def _measured(found: Columns, places: Sequence[int], reading: Reading, rows: int) -> list[int]:
    """Return the columns that are metrics by their position after the kernel, their names or values."""
    kernel = found.kernel
    surely = dict.fromkeys(place for place in places if reading.surely(place))
    for place in _sizes(found, list(surely)):
        del surely[place]
    behind = [] if kernel is None else [place for place in places if place > kernel]
    # if columns are sorted by name, metrics may stand before the kernel, and parameters after it
    reversed_order = bool(surely) and max(surely) < (kernel or 0) and len(places) > len(surely)
    if kernel is not None and places and places[0] < kernel < places[-1] and not reversed_order:
        # beside a sure metric, a column after the kernel may be a parameter by its name
        if any(place in surely for place in behind):
            behind = [place for place in behind if found.headings[place].measured is not False]
        return [place for place in surely if place < kernel] + behind
    known = [place for place in places if _is_parameter(found, place)]
    others = [place for place in places if place not in surely and place not in known]
    if surely:
        apart = [place for place in others if reading.seems(place)]
        if not _apart_by_text(found, rows) and len(apart) + len(surely) == len(places):
            apart = apart[1:]  # the first one must be a parameter with fractions: there is no other column
        behind = _behind(min(surely), places, others, reading)
        return sorted({*surely, *apart, *behind, *_iterations(found, known, reading)})
    if others and _apart_by_text(found, rows):
        return others
    seems = [place for place in others if reading.responds(place)] if known else []
    seems = seems or [place for place in others if place != places[0] and reading.seems(place)]
    return seems or [place for place in places[-1:] if place in others]


def _is_parameter(found: Columns, place: int) -> bool:
    """Return whether a column is a parameter by its name. A number of processes has no fractions."""
    of = found.headings[place]
    return of.measured is False and (found.profiles[place].whole or not _counts_processes(of))


def _counts_processes(of: Heading) -> bool:
    """Return whether a column's name means a number of processes, which is never measured."""
    return not of.unit and kind(of.name).counts_processes


def _sizes(found: Columns, surely: Sequence[int]) -> list[int]:
    """Return the parameters with a unit: columns of sizes in bytes before all metrics."""
    sizes = [place for place in surely if found.headings[place].sized]
    first = min((place for place in surely if place not in sizes), default=-1)
    return [place for place in sizes if place < first]


def _behind(first: int, places: Sequence[int], others: Sequence[int], reading: Reading) -> list[int]:
    """Return the columns after the first metric that are metrics by their values."""
    parameters = any(place < first or reading.headings[place].measured is False for place in places)
    return [
        place
        for place in others
        if place > first and (reading.seems(place) or (parameters and reading.responds(place)))
    ]


def _iterations(found: Columns, known: Sequence[int], reading: Reading) -> list[int]:
    """Return the columns of iterations that a program chose itself, if there is another parameter."""
    counted = [place for place in known if found.headings[place].counted]
    by_tool = any(heading.key in CHOSEN for heading in found.headings)
    chosen = [place for place in counted if by_tool or reading.responds(place)]
    return chosen if len(counted) < len(known) else []


def _apart_by_text(found: Columns, rows: int) -> bool:
    """Return whether most rows have a text of their own, so that no parameter varies within a kernel."""
    texts = [*found.labels, *([] if found.kernel is None else [found.kernel])]
    return rows > 1 and any(FEW_ROWS * len(found.profiles[place].texts) > rows for place in texts)


def _settings(found: Columns, metrics: Sequence[int], rows: int) -> list[int]:
    """Return the columns of times that never change, such as simulated time; none if all metrics are such."""
    times = [place for place in metrics if found.headings[place].has(TIMES | TIME_UNITS)]
    same = [place for place in times if len(found.profiles[place].numbers) == 1]
    return same if rows >= LEAST_ROWS_OF_SETTING and len(same) < len(metrics) else []


def _leading_sizes(found: Columns, metrics: Sequence[int]) -> list[str]:
    """Make a first column of whole numbers of bytes the parameter, if the table has none. Return a note."""
    if found.parameters or len(metrics) < 2 or found.kernel is not None:
        return []
    first = metrics[0]
    of = found.headings[first]
    if not of.has(BYTES) or of.unit or not found.profiles[first].whole:
        return []
    found.parameters = [first]
    del found.metrics[of.name]
    return [f"{of.name} was read as a parameter, because it is the first column and has whole numbers"]
