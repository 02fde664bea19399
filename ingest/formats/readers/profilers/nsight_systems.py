"""Reads Nsight Systems' export to SQLite (`nsys export --type sqlite`): GPU kernels, copies, calls, ranges.

Each name becomes a kernel below the kind of its activity: `GPU kernels->saxpy`, `memory copies->host to
device`, `CUDA API->cudaMemcpy`, `NVTX->timestep`. The metrics are the sum of durations, the number of
executions, and copied bytes. The database is opened as a copy in memory, and nothing in it is executed.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.entries import Entry, campaign_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source

NAME = "nsight-systems"
TITLE = "Nsight Systems SQLite"
CONTAINED = True
MAGIC = b"SQLite format 3\0"
STRINGS = "StringIds"
NAMED = {
    "CUPTI_ACTIVITY_KIND_KERNEL": ("GPU kernels", ("demangledName", "shortName")),
    "CUPTI_ACTIVITY_KIND_RUNTIME": ("CUDA API", ("nameId",)),
    "OSRT_API": ("operating system", ("nameId",)),
    "MPI_COLLECTIVES_EVENTS": ("MPI", ("textId",)),
    "MPI_P2P_EVENTS": ("MPI", ("textId",)),
    "MPI_OTHER_EVENTS": ("MPI", ("textId",)),
    "NVTX_EVENTS": ("NVTX", ("textId", "text")),
}
"""Table → kind of its activities, and columns with their names (texts, or ids of strings)."""
COPIES = {1: "host to device", 2: "device to host", 8: "device to device", 10: "peer to peer"}


def recognises(source: Source) -> bool:
    """Recognise an SQLite database with one of the tables."""
    with source.open() as file:
        return file.read(len(MAGIC)) == MAGIC


def read(source: Source) -> Campaign:
    """Read the database table by table. Durations are in nanoseconds."""
    with closing(_opened(source)) as database:
        try:
            campaign = campaign_of(_entries(database), source.limits, NAME)
        except sqlite3.Error as error:
            raise FormatError(
                f"a database that cannot be read: {quoted(error)}", "an export of Nsight Systems"
            ) from None
    return replace(campaign, units={"time": "ns", "bytes": "B"})


def _opened(source: Source) -> sqlite3.Connection:
    """Open the database in memory, so that no journal file is read and nothing is written."""
    database = sqlite3.connect(":memory:")
    with source.open() as file:
        database.deserialize(file.read())
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"):
        database.execute(f"PRAGMA {pragma}")
    return database


def _entries(database: sqlite3.Connection) -> Iterator[Entry]:
    tables = {
        name: {column for _, column, *_ in database.execute(f'PRAGMA table_info("{name}")')}
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if name in {*NAMED, "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", STRINGS}
    }
    if not tables.keys() - {STRINGS}:
        raise FormatError("a SQLite database without activities", "an export of Nsight Systems")
    for table, (kind, columns) in NAMED.items():
        names = [column for column in columns if column in tables.get(table, ())]
        if names and {"start", "end"} <= tables[table]:
            yield from _named(database, table, kind, names)
    if {"start", "end", "bytes", "copyKind"} <= tables.get("CUPTI_ACTIVITY_KIND_MEMCPY", set()):
        yield from _copies(database)


def _named(database: sqlite3.Connection, table: str, kind: str, columns: list[str]) -> Iterator[Entry]:
    """Return durations and counts by name. A number in a column of names is the id of a string."""
    string = f"(SELECT value FROM {STRINGS} WHERE id = {{}})"  # noqa: S608 -- all names are ours
    texts = ", ".join(column if column == "text" else string.format(column) for column in columns)
    rows = database.execute(
        f'SELECT coalesce({texts}, NULL), sum("end" - start), count(*) FROM {table}'  # noqa: S608
        ' WHERE "end" >= start GROUP BY 1'
    )
    for name, time, count in rows:
        if name:
            yield Entry(_path(kind, str(name)), {}, {"time": [float(time)], "calls": [float(count)]})


def _copies(database: sqlite3.Connection) -> Iterator[Entry]:
    rows = database.execute(
        'SELECT copyKind, sum("end" - start), count(*), sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1'
    )
    for copied, time, count, size in rows:
        values = {"time": [float(time)], "calls": [float(count)], "bytes": [float(size)]}
        yield Entry(_path("memory copies", COPIES.get(copied, f"kind {copied}")), {}, values)


def _path(kind: str, name: str) -> str:
    return kind + SEPARATOR + " ".join(name.split()).replace(SEPARATOR, "→")
