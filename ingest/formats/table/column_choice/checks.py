"""Refuses tables in which a column, or what was measured, cannot be recognised."""

from collections.abc import Sequence

from ingest.formats.collecting.bounds import check_count
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits
from ingest.formats.table.column_choice.run_columns import identifies
from ingest.formats.table.columns import Columns, listed
from ingest.formats.table.headings import KERNEL, KERNEL_TEXT, REVISIONS, Heading
from ingest.formats.table.profiles import Profile

MOST_FRACTIONS = 20
"""Limit on the different fractional values of a parameter, if no name shows which columns are metrics."""


MOST_WHOLE = 1000
"""Limit on the different whole numbers of a parameter, if no name shows what was measured or set."""
MOST_REVISIONS = 2
"""Limit on the commits of a table. Two can be compared as kernels; a history needs a campaign for each."""


def check_revisions(of: Heading, profile: Profile) -> None:
    """Refuse a table with rows of many commits, which would become kernels of one version.

    Raises:
        FormatError: there are more than two commits.
    """
    if of.has(REVISIONS) and profile.identifying and len(profile.texts) > MOST_REVISIONS:
        many = f"more than {len(profile.texts)}" if profile.many else f"{len(profile.texts)}"
        raise FormatError(
            f"the rows of {many} commits in the column {of.name}",
            "the rows of one commit in each file, which is sent with that version",
        )


def check_texts(of: Heading, profile: Profile) -> None:
    """Refuse a column of texts that differ in nearly every row, before a large file is read completely.

    Raises:
        FormatError: the column neither contains kernels nor is left out.
    """
    kernels = of.name.lower() in KERNEL or of.key in KERNEL_TEXT or not of.name
    if not (kernels or of.spread or identifies(of, profile)):
        found = f"more than {len(profile.texts)} different texts in the column {of.name}"
        raise FormatError(found, "numbers, or the name “kernel” for a column of kernels")


def check_measured(found: Columns, profiles: Sequence[Profile]) -> None:
    """Refuse a table without a certain metric, if a metric's column is empty or a parameter has many values.

    Raises:
        FormatError: no name says what was measured.
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
    varied = [
        found.headings[place].name
        for place in found.parameters
        if _many(found.headings[place], profiles[place])
    ]
    if len(unsure) == len(places) and not any(of.unit for of in unsure) and varied:
        description = f"many numbers in {listed(varied)}, and no name of a measured quantity"
        raise FormatError(description, "a unit after the names of what was measured, as in “name [s]”")


def _many(of: Heading, profile: Profile) -> bool:
    """Return whether a parameter has more values than people choose, so that it may be measured."""
    if profile.whole:
        return of.measured is None and len(profile.numbers) > MOST_WHOLE
    return len(profile.numbers) > MOST_FRACTIONS


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
