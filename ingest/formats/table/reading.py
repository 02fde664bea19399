"""A table with one run, or one value, a row, as a campaign. `column_choice` tells what its columns are."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.formats.campaign import Campaign
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, LimitError
from ingest.formats.table.column_choice import check_counts, check_texts, columns_of
from ingest.formats.table.columns import Columns, headings_of
from ingest.formats.table.headings import Heading
from ingest.formats.table.profiles import Profile, profiled
from ingest.formats.table.row_chunks import ChunkReader
from ingest.formats.table.rows import first_rows
from ingest.formats.table.table_rows import Table

PROBED, PROBED_LEAST, PROBED_CELLS = 50_000, 50, 250_000
"""Rows of a large table, and their cells, that are read before all others, to refuse at once what holds too
much; it takes half a second. What the columns are is looked at again after each so many rows."""


def tables_read(tables: Sequence[Table], format_name: str) -> Campaign:
    """Read tables row by row, after a first pass over each has told what its columns hold.

    A row that lacks a parameter, or has one that no law can take such as 0, is stored at its smallest value,
    where versions can still be compared, under a kernel that says so. Of several tables those are read
    that have the parameters of the first.

    Raises:
        FormatError: a row has not as many cells as the header, a cell is no number, or nothing is measured.
    """
    collector, notes = Collector(tables[0].limits), list[str]()
    units, metadata = dict[str, str](), dict[str, object]()
    for table in tables:
        try:
            if table.large:
                _probe(table, format_name)
            reader = ChunkReader(_columns(table), table, collector)
            if collector.parameters and collector.parameters != reader.parameters:
                notes.append(f"the table {table.kernel} was left out: it has other parameters than the first")
                continue
            reader.read()
        except FormatError as error:
            raise (error.at(table.line) if table.line else error) from None
        units |= reader.of.units | reader.units
        metadata |= reader.of.metadata
        notes += dict.fromkeys([*reader.of.explained(), *reader.notes])
    campaign = collector.campaign(format_name)
    return replace(campaign, units=units, metadata=metadata, notes=(*notes, *campaign.notes))


def _columns(table: Table) -> Columns:
    headings = headings_of(table.header)

    def check(place: int, profile: Profile) -> None:
        check_texts(headings[place], profile)

    def look(profiles: Sequence[Profile], count: int) -> None:
        _check_beginning(table, headings, profiles, count)

    every = _probed(table) if table.large else 0
    profiles, count = profiled(table.chunks(), len(headings), table.decimal, check, look=look, every=every)
    if not count:
        raise FormatError("no points", "at least one row below the header")
    return columns_of(headings, profiles, count)


def _probed(table: Table) -> int:
    """Rows of a large table that are looked at before all others."""
    return min(PROBED, max(PROBED_LEAST, PROBED_CELLS // len(table.header)))


def _check_beginning(
    table: Table, headings: Sequence[Heading], profiles: Sequence[Profile], count: int
) -> None:
    """Refuse a large table that shows too many parameters or metrics, before it is read to its end.

    Raises:
        LimitError: it does.
    """
    try:
        check_counts(columns_of(headings, profiles, count), table.limits)
    except LimitError:
        raise
    except FormatError:  # may look otherwise with all rows
        return


def _probe(table: Table, format_name: str) -> None:
    """Read the first rows of a large table, to meet limits before all of it was looked at.

    What its columns are can only change with further rows where their names do not tell it.

    Raises:
        LimitError: they hold more already than a campaign may.
    """
    first = replace(table, chunks=lambda: first_rows(table.chunks(), _probed(table)), large=False)
    collector = Collector(table.limits)
    try:
        columns = _columns(first)
        check_counts(columns, table.limits)
        if all(columns.headings[place].measured is False for place in columns.parameters):
            ChunkReader(columns, first, collector).read()
            collector.campaign(format_name)
    except LimitError:
        raise
    except FormatError:  # may look otherwise with all rows
        return
