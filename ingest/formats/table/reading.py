"""Reads a table with one run, or one value, per row as a campaign."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.aligning import metrics_as_kernels
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, LimitError
from ingest.formats.table.chunk_reader import ChunkReader
from ingest.formats.table.chunks import first_rows
from ingest.formats.table.clocks import with_durations
from ingest.formats.table.column_choice.checks import check_counts, check_texts
from ingest.formats.table.column_choice.decision import columns_of
from ingest.formats.table.columns import Columns, headings_of
from ingest.formats.table.file_names import shorten_labels
from ingest.formats.table.headings import Heading
from ingest.formats.table.merged_cells import with_merged_cells
from ingest.formats.table.missing import notes_on_missing
from ingest.formats.table.profiles import WIDEST, Profile, check_width, profiled
from ingest.formats.table.row_reader import Table
from ingest.formats.table.summaries import without_summaries

PROBED, PROBED_LEAST, PROBED_CELLS = 50_000, 50, 250_000
"""The first rows of a large table are checked before the others, so that errors come within half a second.

These rows have about `PROBED_CELLS` cells; their number is between `PROBED_LEAST` and `PROBED`. The check is
repeated after as many further rows.
"""


def tables_read(tables: Sequence[Table], format_name: str) -> Campaign:
    """Read tables row by row, after a first pass over each table has summarised its columns.

    A row without a positive value of a parameter is stored at the parameter's smallest value, under a kernel
    whose name says so. Versions can still be compared there. Of several tables, only those with the first
    table's parameters are read.

    Raises:
        FormatError: a row does not have as many cells as the header, a cell is no number, or no column is a
            metric.
    """
    collector, notes = Collector(tables[0].limits), list[str]()
    tables = [_prepared(table, notes) for table in tables]
    units, metadata = dict[str, str](), dict[str, object]()
    for table in tables:
        try:
            if table.large:
                _probe(table, format_name, _probed(table))
            columns = _columns(table, format_name)
            columns.convert(units)
            reader = ChunkReader(columns, table, collector)
            if collector.parameters and collector.parameters != reader.parameters:
                notes.append(f"the table {table.kernel} was left out: it has other parameters than the first")
                continue
            reader.read()
        except FormatError as error:
            raise (error.at(table.line) if table.line else error) from None
        units |= {name: unit for name, unit in (reader.of.units | reader.units).items() if name not in units}
        metadata |= reader.of.metadata
        missing = notes_on_missing(reader.of, table)
        notes += dict.fromkeys([*missing, *reader.of.explained(), *reader.notes])
    campaign = collector.campaign(format_name)
    campaign = replace(campaign, units=units, metadata=metadata, notes=(*notes, *campaign.notes))
    metric = tables[0].chosen.metric
    return metrics_as_kernels(campaign, metric) if metric else campaign


def _prepared(table: Table, notes: list[str]) -> Table:
    """Return the table with durations and merged cells, without rows that summarise others; add notes.

    A table that is too wide is returned as it is, to be refused at once.
    """
    if len(table.header) > WIDEST:
        return table
    plain, left_out = without_summaries(with_durations(table))
    whole, filled = (plain, list[str]()) if plain.large else with_merged_cells(plain)
    notes += [*left_out, *filled]
    return whole


def _columns(table: Table, format_name: str) -> Columns:
    check_width(len(table.header))
    headings = headings_of(table.header)

    def check(place: int, profile: Profile) -> None:
        check_texts(headings[place], profile)

    def look(profiles: Sequence[Profile], count: int) -> None:
        _check_beginning(table, headings, profiles, count)
        if _crowded(table, headings, profiles, count):
            _probe(table, format_name, count)

    every = _probed(table) if table.large else 0
    profiles, count = profiled(table.chunks(), len(headings), table.decimal, check, look=look, every=every)
    if not count:
        raise FormatError("no points", "at least one row below the header")
    found = columns_of(headings, profiles, count, table.chosen)
    if not table.large:
        check_counts(found, table.limits)
        shorten_labels(found, table.chunks(), table.decimal)
    return found


def _probed(table: Table) -> int:
    """Return the number of rows of a large table that are read before the others."""
    return min(PROBED, max(PROBED_LEAST, PROBED_CELLS // len(table.header)))


def _check_beginning(
    table: Table, headings: Sequence[Heading], profiles: Sequence[Profile], count: int
) -> None:
    """Refuse a large table with too many parameters or metrics before it is read to its end.

    Raises:
        LimitError: the table has too many parameters or metrics.
    """
    try:
        check_counts(columns_of(headings, profiles, count, table.chosen), table.limits)
    except LimitError:
        raise
    except FormatError:  # the choice may change with later rows
        return


def _crowded(table: Table, headings: Sequence[Heading], profiles: Sequence[Profile], count: int) -> bool:
    """Return whether the rows have become too many for their points and kernels since the last check."""
    try:
        found = columns_of(headings, profiles, count, table.chosen)
    except FormatError:  # the choice may change with later rows
        return False
    series = prod(max(1, len(profiles[place].numbers)) for place in found.parameters)
    texts = [*found.labels, *([] if found.kernel is None else [found.kernel])]
    series *= prod(max(1, len(profiles[place].texts)) for place in texts)
    most = series * table.limits.repetitions
    return count - _probed(table) <= most < count


def _probe(table: Table, format_name: str, rows: int) -> None:
    """Read the first rows of a large table, so that exceeded limits are found before it is summarised.

    Uncertain roles of columns are not decided by the first rows.

    Raises:
        LimitError: the first rows already exceed a limit of a campaign.
    """
    first = replace(table, chunks=lambda: first_rows(table.chunks(), rows), large=False)
    collector = Collector(table.limits)
    try:
        columns = _columns(first, format_name)
        check_counts(columns, table.limits)
        if all(columns.headings[place].measured is False for place in columns.parameters):
            ChunkReader(columns, first, collector).read()
            collector.campaign(format_name)
    except LimitError:
        raise
    except FormatError:  # the choice may change with later rows
        return
