"""Finds columns that identify runs or rows: numbers, hosts, dates and ids."""

from ingest.formats.campaign.origins import JOB, NODE, TIME
from ingest.formats.errors import FormatError
from ingest.formats.table.columns import Columns
from ingest.formats.table.headings import (
    ANALYSER,
    APART,
    DATES,
    JUBE,
    MEMBERS,
    REPEATED,
    REVISIONS,
    RUNNERS,
    STAMPS,
    Heading,
)
from ingest.formats.table.profiles import Profile

ORIGIN = {*JOB, *NODE, *TIME}
EPOCH = (1e9, 1e10), (1e12, 1e13), (1e15, 1e16), (1e18, 1e19)
"""Ranges of seconds, milli-, micro- and nanoseconds since 1970, for the years from 2001 to 2286."""
LEAST_ROWS_OF_INDEX = 5
"""With at least this many rows, different whole numbers without a name are an index, even unsorted."""
RUNS = "repetitions are in the order of the rows"
IDENTIFYING = "hosts, dates and ids only identify runs, which are repetitions"
NUMBERED = "it numbers the processes or threads of a run, whose values are read as repetitions"
COUNTED = "it counts the runs of a value"
NAMELESS = "a first column without a name"
EMPTY = "nothing was measured there"


def set_apart(found: Columns, place: int, rows: int) -> bool:
    """Return whether a column is left out: it is empty, or identifies runs, rows or origins.

    Raises:
        FormatError: a column without a name has cells that do not number the rows.
    """
    of, profile = found.headings[place], found.profiles[place]
    if of.name == "" or of.name.lower().startswith("unnamed:"):
        if not (_is_index(found, profile, rows) or profile.empty):
            raise FormatError(NAMELESS, "a name in the header for each column")
        return True
    reason = ""
    if profile.empty:
        reason = EMPTY
    elif _numbers_runs(of, profile) or (of.name.lower().startswith(JUBE) and of.key != ANALYSER):
        reason = RUNS
    elif of.key in MEMBERS and _consecutive(profile, first=0):
        reason = NUMBERED
    elif (of.key in REPEATED and not profile.constant) or of.part in REPEATED:
        reason = COUNTED
    elif of.key in ORIGIN and (of.key == "job" or identifies(of, profile)):
        found.origin.append(place)
        return True
    elif identifies(of, profile):
        reason = IDENTIFYING
    if reason:
        found.leave_out(place, reason)
    return bool(reason)


def _numbers_runs(of: Heading, profile: Profile) -> bool:
    """Return whether a column numbers the runs of a point, by its name, or by its name and numbers."""
    numbered = _consecutive(profile, first=0) or _consecutive(profile, first=1)
    return of.numbers_runs or (of.may_number_runs and numbered and not profile.constant)


def _consecutive(profile: Profile, first: int) -> bool:
    """Return whether the column contains all whole numbers from the first to the largest one."""
    known = profile.numbers == set(range(first, first + len(profile.numbers)))
    return known and not profile.many and not profile.texts


def _is_index(found: Columns, profile: Profile, rows: int) -> bool:
    """Return whether a column without a name numbers the rows, as pandas writes it."""
    if profile.counting:
        return True
    every = profile.many or len(profile.numbers) == rows >= LEAST_ROWS_OF_INDEX
    own = profile.rising or (every and profile.whole and not profile.texts)
    return own and any(each.measured is False for each in found.headings)


def identifies(of: Heading, profile: Profile) -> bool:
    """Return whether a column contains hosts, dates or ids, by its name or by its cells."""
    text = not profile.numeric
    if of.has(APART) or of.key in STAMPS | RUNNERS or (of.key in {"node", "nodes"} and text):
        return True
    if of.key in DATES:
        return text or profile.clocked or any(low <= profile.low < high for low, high in EPOCH)
    return text and (profile.dated or (profile.identifying and of.key not in REVISIONS))
