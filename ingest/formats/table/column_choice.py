"""Decides what each column of a table is, by the names in the header and by the cells.

Wide tables, `p, n, kernel, time, visits`: columns before the kernel are parameters, columns after it metrics.
In a table without a kernel, or with the kernel first, a column is a metric if its name says so or carries a
unit, as in `time [s]`. If no name shows a metric, as in `nodes, solve, exchange`, every column that is not a
known parameter is a metric if nearly all of its values differ. If there is no such column, the last column is
the metric, unless its name is that of a parameter. If each row has a text of its own, only columns with known
names are parameters, because no column varies within a kernel.

Long tables, `p, n, kernel, metric, value`: all other numeric columns are parameters.

Text columns become part of the kernel's name (`main [compiler=gcc]`). Columns that only identify runs (their
numbers, hosts, dates, ids) or describe the spread are left out, so that the runs of one point are
repetitions.
"""

import re
from collections.abc import Iterable, Sequence

from ingest.formats.collecting.bounds import check_count
from ingest.formats.entries import FLAG_VALUES
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits
from ingest.formats.origins import JOB, NODE, TIME
from ingest.formats.roles import kind
from ingest.formats.table.cells import MINUTES, SIZE_UNITS, THOUSANDS_OF_BYTES
from ingest.formats.table.columns import Columns, listed
from ingest.formats.table.headings import (
    ALIASES,
    ANALYSER,
    APART,
    BYTES,
    CHOSEN,
    CODES,
    DATES,
    JUBE,
    KERNEL,
    KERNEL_TEXT,
    MEMBERS,
    MEMORY,
    OUTCOMES,
    REPEATED,
    REVISIONS,
    RIGHT,
    RUNNERS,
    STAMPS,
    TIME_UNITS,
    TIMES,
    TREE,
    WRONG,
    Heading,
    words,
)
from ingest.formats.table.profiles import Profile
from ingest.formats.table.statistics import SPREAD, Reading, leave_computed_out, runs_of, statistics_of

ORIGIN = {*JOB, *NODE, *TIME}
EPOCH = (1e9, 1e10), (1e12, 1e13), (1e15, 1e16), (1e18, 1e19)
"""Ranges of seconds, milli-, micro- and nanoseconds since 1970, for the years from 2001 to 2286."""
RUNS = "repetitions are in the order of the rows"
IDENTIFYING = "hosts, dates and ids only identify runs, which are repetitions"
NUMBERED = "it numbers the processes or threads of a run, whose values are read as repetitions"
COUNTED = "it counts the runs behind a value"
EMPTY = "nothing was measured there"
NEGATIVE = "it has negative values"
AMBIGUOUS = re.compile(r"[\d.,' ]+")
"""Matches numbers that may have several meanings, such as 1,234."""
OWN = "each row has its own, beside a parameter that tells the rows apart"
OF_NUMBERS = re.compile(r"\d[\d.,;:/x×* -]*")
SETTING = "a time that is the same in every row was set, and not measured"

MOST_FRACTIONS = 20
"""Limit on the different fractions of a parameter, if no name shows which columns are metrics."""
FEW_ROWS = 2
"""With fewer rows for each of its texts, a column cannot name the kernels, because no parameter would vary
within a kernel.
"""
LEAST_ROWS_OF_SETTING = 4
"""In a table with at least this number of rows, a time that never changes is treated as a setting."""


def check_texts(of: Heading, profile: Profile) -> None:
    """Refuse a column of texts that differ in nearly every row, before the whole of a large file is read.

    Raises:
        FormatError: the column neither contains kernels nor is left out.
    """
    kernels = of.name.lower() in KERNEL or of.key in KERNEL_TEXT or not of.name
    if not (kernels or of.spread or _identifies(of, profile)):
        found = f"more than {len(profile.texts)} different texts in the column {of.name}"
        raise FormatError(found, "numbers, or the name “kernel” for a column of kernels")


def columns_of(headings: Sequence[Heading], profiles: Sequence[Profile], rows: int) -> Columns:
    """Decide what each column of a table is.

    Args:
        headings: the parsed header.
        profiles: summaries of the columns' cells.
        rows: number of rows.

    Raises:
        FormatError: no column is a metric.
    """
    found = Columns(headings, profiles)
    lower = [each.name.lower() for each in headings]
    places = {ALIASES.get(name, name): place for place, name in reversed(list(enumerate(lower)))}
    found.kernel = _kernel(found, places)
    found.metric = (
        places.get("metric") if "value" in places and places.get("metric") != found.kernel else None
    )
    found.unit = places.get("unit") if found.metric is not None else None
    numeric = []
    for place in range(len(headings)):
        if place in (found.kernel, found.metric, found.unit) or _apart(found, place):
            continue
        if headings[place].key in TREE or _is_ratio(headings[place], profiles[place]):
            found.labels.append(place)
        elif headings[place].has(REVISIONS) or headings[place].key in CODES:
            _text(found, place)
        elif _is_outcome(headings[place], profiles[place]):
            _outcome(found, place)
        elif profiles[place].numeric or _must_be_numbers(headings[place], profiles[place]):
            numeric.append(place)
        else:
            _text(found, place)
    if found.metric is not None:
        value = places["value"]
        found.metrics = {"value": [value]}
        found.parameters = [place for place in numeric if place != value]
    else:
        _wide(found, numeric, rows)
    _flags(found)
    _repeated_points(found, rows)
    found.notes += _spellings(found)
    _check_measured(found, profiles)
    if not found.metrics and NEGATIVE in found.left_out:
        names = listed(found.left_out[NEGATIVE])
        raise FormatError(
            f"negative values in {names}, the only metric", "at least one metric without negative values"
        )
    if not found.metrics:
        expected = "columns of parameters, then perhaps kernel, then metrics, such as p, n, kernel, time"
        raise FormatError(f"the columns {quoted(', '.join(each.name for each in headings))}", expected)
    return found


def _check_measured(found: Columns, profiles: Sequence[Profile]) -> None:
    """Refuse a table in which the only column that could be a metric has the name of a parameter, because all
    other columns are empty. Also refuse a table of profiles in space or time if no name says what was
    measured.

    Raises:
        FormatError: there is only such a metric, or parameters have many fractions and the metric is guessed.
    """
    places = [place for places in found.metrics.values() for place in places]
    empty = [
        of.name for of, profile in zip(found.headings, profiles, strict=True) if of.measured and profile.empty
    ]
    if found.metric is not None:
        return
    if empty and all(found.headings[place].measured is False for place in places):
        raise FormatError(f"no value in the columns {listed(empty)}", "at least one measured value")
    unsure = [of for of in map(found.headings.__getitem__, places) if not of.measured or len(of.name) == 1]
    fractions = [
        found.headings[place].name
        for place in found.parameters
        if not profiles[place].whole and len(profiles[place].numbers) > MOST_FRACTIONS
    ]
    if len(unsure) == len(places) and not any(of.unit for of in unsure) and fractions:
        description = f"many fractions in {listed(fractions)}, and no name of a measured quantity"
        raise FormatError(description, "a unit after the names of what was measured, as in “name [s]”")


def _is_outcome(of: Heading, profile: Profile) -> bool:
    """Return whether a column says, according to its name and its cells, whether a run's result was right."""
    cells = {text.lower() for text in profile.texts} | {f"{value:g}" for value in profile.numbers}
    return bool(OUTCOMES.intersection(words(of.name)[-1:])) and cells <= RIGHT | WRONG


def _outcome(found: Columns, place: int) -> None:
    """Add the outcome to the names of kernels only for runs whose result was wrong. An outcome that all runs
    have in common becomes metadata.
    """
    profile = found.profiles[place]
    _text(found, place)
    if place in found.labels:
        found.short[place] = {text: "" for text in profile.texts if text.lower() in RIGHT} | {"1": ""}


def _kernel(found: Columns, places: dict[str, int]) -> int | None:
    """Return the index of the column with the kernels.

    It is a column with the name of kernels, a text column with one of the further names, or the first column
    if it has texts and no name.
    """
    named = next((place for name, place in places.items() if name in KERNEL), None)
    if named is not None:
        return named
    texts = [place for place, profile in enumerate(found.profiles) if profile.texts and not profile.numeric]
    named_kernels = [place for place in texts if found.headings[place].key in KERNEL_TEXT]
    if not named_kernels and texts[:1] == [0] and not found.headings[0].name:
        return 0
    return named_kernels[0] if named_kernels else None


def check_counts(found: Columns, limits: Limits) -> None:
    """Refuse a table that has more parameters or metrics than a campaign may have.

    Raises:
        LimitError: the table has more. Renaming columns may help.
    """
    if len(found.parameters) > limits.parameters:
        names = listed([found.headings[place].name for place in found.parameters])
        raise LimitError(
            f"{len(found.parameters)} columns that look like parameters: {quoted(names)}",
            f"at most {limits.parameters} parameters; a unit, as in “name [s]”, or a place after a column "
            "“kernel” makes a column a metric",
        )
    if len(found.metrics) > limits.metrics:
        check_count(len(found.metrics), limits.metrics, "metrics")


def _must_be_numbers(of: Heading, profile: Profile) -> bool:
    """Return whether a column must contain numbers according to its name, so that text in it is an error.

    A grid such as 64x64x32, and a name such as 3D_box of a problem, are texts.
    """
    digits = any(text[:1].isdigit() and (of.measured or AMBIGUOUS.fullmatch(text)) for text in profile.texts)
    return of.measured is not None and (digits or bool(profile.numbers))


def _is_ratio(of: Heading, profile: Profile) -> bool:
    """Return whether cells such as 16:32 are texts instead of minutes and seconds, judged by the column's
    name.
    """
    return profile.units == {MINUTES} and not (of.measured or of.has(TIMES) or of.key in DATES)


def _apart(found: Columns, place: int) -> bool:
    """Return whether a column is left out or describes origins.

    Such a column identifies runs or rows, is empty, or contains hosts, dates or ids.
    """
    of, profile = found.headings[place], found.profiles[place]
    if of.name == "" or of.name.lower().startswith("unnamed:"):
        numbered = profile.counting or (
            profile.rising and any(each.measured is False for each in found.headings)
        )
        if not (numbered or profile.empty):
            raise FormatError("a first column without a name", "a name in the header for each column")
        return True
    reason = ""
    if profile.empty:
        reason = EMPTY
    elif of.numbers_runs or (of.name.lower().startswith(JUBE) and of.key != ANALYSER):
        reason = RUNS
    elif of.key in MEMBERS and profile.numbers == set(range(len(profile.numbers))) and not profile.many:
        reason = NUMBERED
    elif (of.key in REPEATED and not profile.constant) or of.part in REPEATED:
        reason = COUNTED
    elif of.key in ORIGIN and (of.key == "job" or _identifies(of, profile)):
        found.origin.append(place)
        return True
    elif _identifies(of, profile):
        reason = IDENTIFYING
    if reason:
        found.leave_out(place, reason)
    return bool(reason)


def _identifies(of: Heading, profile: Profile) -> bool:
    """Return whether a column contains hosts, dates or ids, by its name or by its cells."""
    text = not profile.numeric
    if of.has(APART) or of.key in STAMPS | RUNNERS or (of.key in {"node", "nodes"} and text):
        return True
    if of.key in DATES:
        return text or profile.clocked or any(low <= profile.low < high for low, high in EPOCH)
    return text and (profile.dated or (profile.identifying and of.key not in REVISIONS))


def _text(found: Columns, place: int) -> None:
    """Use a text column. Texts that vary become part of the kernel's name, and a constant text becomes
    metadata.
    """
    if found.headings[place].spread:
        found.leave_out(place, SPREAD)
    elif found.profiles[place].constant:
        profile = found.profiles[place]
        found.metadata[found.headings[place].name] = next(iter([*profile.texts, *profile.numbers]))
    else:
        found.labels.append(place)


def _wide(found: Columns, numeric: Sequence[int], rows: int) -> None:
    """Separate the columns of numbers into parameters and metrics."""
    reading = Reading(found.headings, found.profiles, rows)
    runs = runs_of(reading, numeric)
    in_runs = {place for places in runs.values() for place in places}
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
    found.notes += _guesses(found, metrics, reading)


def _measured(found: Columns, places: Sequence[int], reading: Reading, rows: int) -> list[int]:
    """Return the columns that are metrics, judged by their position relative to the kernel, by their names,
    or by their values.
    """
    kernel = found.kernel
    surely = dict.fromkeys(place for place in places if reading.surely(place))
    for place in _sizes(found, list(surely)):
        del surely[place]
    if kernel is not None and places and places[0] < kernel < places[-1]:
        behind = [place for place in places if place > kernel]
        # a column among the metrics with the name of a known parameter
        if any(place in surely for place in behind):
            behind = [place for place in behind if found.headings[place].measured is not False]
        return [place for place in surely if place < kernel] + behind
    known = [place for place in places if _is_parameter(found, place)]
    others = [place for place in places if place not in surely and place not in known]
    if surely:
        apart = [place for place in others if reading.seems(place)]
        if not _apart_by_text(found, rows) and len(apart) + len(surely) == len(places):
            apart = apart[1:]  # a parameter with fractions
        behind = _behind(min(surely), places, others, reading)
        return sorted({*surely, *apart, *behind, *_iterations(found, known, reading)})
    if others and _apart_by_text(found, rows):
        return others
    seems = [place for place in others if reading.responds(place)] if known else []
    seems = seems or [place for place in others if place != places[0] and reading.seems(place)]
    return seems or [place for place in places[-1:] if place in others]


def _is_parameter(found: Columns, place: int) -> bool:
    """Return whether a column is a parameter by its name. A column with the name of a number of processes,
    such as `with tasks`, is none if it has fractions, which processes cannot have.
    """
    of = found.headings[place]
    return of.measured is False and (found.profiles[place].whole or not _counts_processes(of))


def _counts_processes(of: Heading) -> bool:
    """Return whether a column's name is one of numbers of processes, which are never measured."""
    return not of.unit and kind(of.name).counts_processes


def _sizes(found: Columns, surely: Sequence[int]) -> list[int]:
    """Return the columns that are parameters although they have a unit: sizes in bytes before all other
    metrics.
    """
    sizes = [place for place in surely if found.headings[place].sized]
    first = min((place for place in surely if place not in sizes), default=-1)
    return [place for place in sizes if place < first]


def _behind(first: int, places: Sequence[int], others: Sequence[int], reading: Reading) -> list[int]:
    """Return the columns after the first metric that are metrics by their values. Columns of whole numbers,
    nearly all different, are metrics as well, unless no other column could be a parameter.
    """
    parameters = any(place < first or reading.headings[place].measured is False for place in places)
    return [
        place
        for place in others
        if place > first and (reading.seems(place) or (parameters and reading.responds(place)))
    ]


def _iterations(found: Columns, known: Sequence[int], reading: Reading) -> list[int]:
    """Return the columns with numbers of iterations that a program chose itself, as solvers and benchmarking
    tools do. The numbers of such a column differ in nearly every row, or the table has other columns of a
    benchmarking tool and a parameter.
    """
    counted = [place for place in known if found.headings[place].counted]
    by_tool = any(heading.key in CHOSEN for heading in found.headings)
    chosen = [place for place in counted if by_tool or reading.responds(place)]
    return chosen if len(counted) < len(known) else []


def _apart_by_text(found: Columns, rows: int) -> bool:
    """Return whether most rows have a text of their own, so that no parameter varies within a kernel."""
    texts = [*found.labels, *([] if found.kernel is None else [found.kernel])]
    return rows > 1 and any(FEW_ROWS * len(found.profiles[place].texts) > rows for place in texts)


def _settings(found: Columns, metrics: Sequence[int], rows: int) -> list[int]:
    """Return the columns of times that never change, such as the time that a program simulates.

    If all metrics are such times, no column is returned.
    """
    times = [place for place in metrics if found.headings[place].has(TIMES | TIME_UNITS)]
    same = [place for place in times if len(found.profiles[place].numbers) == 1]
    return same if rows >= LEAST_ROWS_OF_SETTING and len(same) < len(metrics) else []


def _guesses(found: Columns, metrics: Sequence[int], reading: Reading) -> Iterable[str]:
    """Add notes about columns whose role is uncertain."""
    if not found.parameters and len(metrics) > 1 and found.kernel is None:
        first = metrics[0]
        of = found.headings[first]
        if of.has(BYTES) and not of.unit and found.profiles[first].whole:
            found.parameters = [first]
            del found.metrics[of.name]
            yield f"{of.name} was read as a parameter, the first column of whole numbers"
    guessed = [place for place in metrics if not reading.surely(place)]
    by_cells = [place for place in guessed if reading.seems(place) or reading.responds(place)]
    if by_cells and not (found.kernel is not None and min(by_cells) > found.kernel):
        names = listed([found.headings[place].name for place in by_cells])
        yield f"{names}: read as metrics, by their values; put parameters before the first metric"
    first = min(metrics, default=0)
    late = [place for place in found.parameters if place > first]
    if late and metrics:
        names = listed([found.headings[place].name for place in late])
        yield f"{names}: read as parameters; add a unit, as in “name [s]”, to have metrics"


def _repeated_points(found: Columns, rows: int) -> None:
    """Leave out columns of texts that consist of numbers, such as the grid 4x2 or the jobs 17, 18, if each
    row has another text and another value of a parameter. As parts of the kernels' names, these texts would
    leave each kernel with a single point.
    """
    if not any(len(found.profiles[place].numbers) == rows for place in found.parameters):
        return
    for place in list(found.labels):
        texts = found.profiles[place].texts
        if rows > 1 and len(texts) == rows and all(map(OF_NUMBERS.fullmatch, texts)):
            found.labels.remove(place)
            found.leave_out(place, OWN)


def _spellings(found: Columns) -> Iterable[str]:
    """Add notes about numbers that were converted, such as 1:02:03 and 12.5 ± 0.3."""
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
    """Return whether cells of several units were converted although a prefix may mean 1000 or 1024."""
    return len(units) > 1 and units <= SIZE_UNITS and not units.isdisjoint(THOUSANDS_OF_BYTES)


def _flags(found: Columns) -> None:
    """Leave out metrics with negative values, and make flags, such as 0 and 1, part of the kernel's name."""
    for name, places in list(found.metrics.items()):
        if found.metric is None and any(found.profiles[place].low < 0 for place in places):
            del found.metrics[name]
            found.leave_out(places[0], NEGATIVE)
    for place in list(found.parameters):
        profile = found.profiles[place]
        proper = sum(value > 0 for value in profile.numbers)
        if profile.low <= 0 and proper <= FLAG_VALUES and not profile.texts:
            found.parameters.remove(place)
            if profile.constant:
                found.metadata[found.headings[place].name] = min(profile.numbers)
            else:
                found.labels.append(place)
