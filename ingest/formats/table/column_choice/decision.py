"""Decides what each column of a table is. The package's docstring describes the rules."""

import re
from collections.abc import Sequence

from ingest.formats.collecting.entries import FLAG_VALUES
from ingest.formats.errors import FormatError, quoted
from ingest.formats.table.cells import MINUTES
from ingest.formats.table.column_choice.checks import check_measured, check_revisions
from ingest.formats.table.column_choice.chosen import NOTHING, Chosen, choose, places_of
from ingest.formats.table.column_choice.metrics import separate
from ingest.formats.table.column_choice.notes import spellings
from ingest.formats.table.column_choice.run_columns import set_apart
from ingest.formats.table.column_choice.statistics import SPREAD
from ingest.formats.table.columns import NEGATIVE, Columns, listed
from ingest.formats.table.headings import (
    ALIASES,
    CODES,
    DATES,
    KERNEL,
    KERNEL_TEXT,
    OUTCOMES,
    REVISIONS,
    RIGHT,
    STATISTICS_OF,
    TIMES,
    TREE,
    WRONG,
    Heading,
    words,
)
from ingest.formats.table.profiles import Profile

AMBIGUOUS = re.compile(r"[\d.,' ]+")
"""Matches numbers that may have several meanings, such as 1,234."""
OWN = "it differs in each row, and a parameter already tells the rows apart"
OF_NUMBERS = re.compile(r"\d[\d.,;:/x×* -]*")


def columns_of(
    headings: Sequence[Heading], profiles: Sequence[Profile], rows: int, chosen: Chosen = NOTHING
) -> Columns:
    """Decide what each column of a table is, except those whose role the user chose.

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
    numeric = _numeric(found, rows, own=set(places_of(found, chosen.names)))
    if found.metric is not None:
        value = places["value"]
        found.metrics = {"value": [value]}
        found.parameters = [place for place in numeric if place != value]
    else:
        separate(found, numeric, rows)
    choose(found, chosen)
    _flags(found)
    _repeated_points(found, rows)
    found.notes += spellings(found)
    found.notes += _summarising(found)
    check_measured(found, profiles)
    if not found.metrics and NEGATIVE in found.left_out:
        names = found.left_out[NEGATIVE]
        least = min(
            profile.low for each, profile in zip(headings, profiles, strict=True) if each.name in names
        )
        raise FormatError(
            f"negative values in {listed(names)}, the only metric, such as {least:g}",
            "at least one metric without negative values",
        )
    if not found.metrics:
        expected = "columns of parameters, then perhaps kernel, then metrics, such as p, n, kernel, time"
        raise FormatError(f"the columns {quoted(', '.join(each.name for each in headings))}", expected)
    return found


def _summarising(found: Columns) -> list[str]:
    """Return a note on kernels that are named like statistics, and may summarise other rows."""
    texts = found.profiles[found.kernel].texts if found.kernel is not None else ()
    named = sorted(text for text in texts if text.lower() in STATISTICS_OF)
    if not named or len(named) == len(texts):
        return []
    return [f"{listed(named)}: read as kernels; delete these rows if they summarise others"]


def _numeric(found: Columns, rows: int, own: set[int]) -> list[int]:
    """Return the columns of numbers, among them the user's own choice, and decide on all other columns."""
    headings, profiles = found.headings, found.profiles
    numeric = []
    for place in range(len(headings)):
        if place in own:
            numeric.append(place)
            continue
        if place in (found.kernel, found.metric, found.unit) or set_apart(found, place, rows):
            continue
        check_revisions(headings[place], profiles[place])
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
    return numeric


def _kernel(found: Columns, places: dict[str, int]) -> int | None:
    """Return the index of the column of kernels: the one so named, or a first column of nameless texts."""
    named = next((place for name, place in places.items() if name in KERNEL), None)
    if named is not None:
        return named
    texts = [place for place, profile in enumerate(found.profiles) if profile.texts and not profile.numeric]
    named_kernels = [place for place in texts if found.headings[place].key in KERNEL_TEXT]
    if not named_kernels and texts[:1] == [0] and not found.headings[0].name:
        return 0
    return named_kernels[0] if named_kernels else None


def _is_ratio(of: Heading, profile: Profile) -> bool:
    """Return whether cells such as 16:32 are texts, not minutes and seconds, by the column's name."""
    return profile.units == {MINUTES} and not (of.measured or of.has(TIMES) or of.key in DATES)


def _is_outcome(of: Heading, profile: Profile) -> bool:
    """Return whether a column says whether a run's result was right, by its name and cells."""
    cells = {text.lower() for text in profile.texts} | {f"{value:g}" for value in profile.numbers}
    return bool(OUTCOMES.intersection(words(of.name)[-1:])) and cells <= RIGHT | WRONG


def _must_be_numbers(of: Heading, profile: Profile) -> bool:
    """Return whether a column must contain numbers by its name; grids such as 64x64x32 are texts."""
    digits = any(text[:1].isdigit() and (of.measured or AMBIGUOUS.fullmatch(text)) for text in profile.texts)
    return of.measured is not None and (digits or bool(profile.numbers))


def _outcome(found: Columns, place: int) -> None:
    """Add wrong outcomes to the names of kernels. An outcome of all runs becomes metadata."""
    profile = found.profiles[place]
    _text(found, place)
    if place in found.labels:
        found.short[place] = {text: "" for text in profile.texts if text.lower() in RIGHT} | {"1": ""}


def _text(found: Columns, place: int) -> None:
    """Use a text column: texts that vary become part of the kernel's name, a constant text metadata."""
    if found.headings[place].spread:
        found.leave_out(place, SPREAD)
    elif found.profiles[place].constant:
        profile = found.profiles[place]
        found.metadata[found.headings[place].name] = next(iter([*profile.texts, *profile.numbers]))
    else:
        found.labels.append(place)


def _flags(found: Columns) -> None:
    """Leave out negative metrics, and make flags such as 0 and 1 labels, or metadata if they are constant."""
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


def _repeated_points(found: Columns, rows: int) -> None:
    """Leave out texts of numbers, such as the grid 4x2, that differ in every row, if a parameter does too."""
    if not any(len(found.profiles[place].numbers) == rows for place in found.parameters):
        return
    for place in list(found.labels):
        texts = found.profiles[place].texts
        if rows > 1 and len(texts) == rows and all(map(OF_NUMBERS.fullmatch, texts)):
            found.labels.remove(place)
            found.leave_out(place, OWN)
