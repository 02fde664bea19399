"""Refuses tables in which a column, or what was measured, cannot be recognised."""

from collections.abc import Sequence

from ingest.formats.collecting.bounds import check_count
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits
from ingest.formats.table.column_choice.run_columns import identifies
from ingest.formats.table.columns import Columns, listed
from ingest.formats.table.headings import KERNEL, KERNEL_TEXT, Heading
from ingest.formats.table.profiles import Profile

MOST_FRACTIONS = 20
"""Limit on the different fractions of a parameter, if no name shows which columns are metrics."""


def check_texts(of: Heading, profile: Profile) -> None:
    """Refuse a column of texts that differ in nearly every row, before the whole of a large file is read.

    Raises:
        FormatError: the column neither contains kernels nor is left out.
    """
    kernels = of.name.lower() in KERNEL or of.key in KERNEL_TEXT or not of.name
    if not (kernels or of.spread or identifies(of, profile)):
        found = f"more than {len(profile.texts)} different texts in the column {of.name}"
        raise FormatError(found, "numbers, or the name “kernel” for a column of kernels")


def check_measured(found: Columns, profiles: Sequence[Profile]) -> None:
    """Refuse a table whose only metric has the name of a parameter, because its other columns are empty. Also
    refuse a table of profiles in space or time if no name says what was measured.

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
