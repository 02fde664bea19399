"""Finds columns that belong together: the runs of one metric, or the statistics of one quantity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.formats.campaign.units import seconds_in
from ingest.formats.table.cells import SIZE_UNITS
from ingest.formats.table.headings import COUNTS, EXPECTATIONS, MIDDLE, RESULTS, Heading, run_of, words
from ingest.formats.table.profiles import Profile

SPREAD = "the spread of a metric is computed from its repetitions, and is not a metric itself"
EXPECTED = "it was computed for comparison, and not measured"
SUMMARY = "the repetitions were read from which it is computed"
RESULT = "it is what the program computed, and not a measurement"

TIME, VALUE = "time", "value"
"""Names of a metric whose columns only number its runs."""
LEAST_ROWS = 3
"""Smallest number of rows in which different numbers may count as measured."""


@dataclass
class Reading:
    """A table's columns, by index, while roles are decided; `left_out` tells why columns were left out."""

    headings: Sequence[Heading]
    profiles: Sequence[Profile]
    rows: int
    left_out: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def surely(self, place: int) -> bool:
        """Return whether a column is a metric by its name or unit, and not a limit such as max_depth."""
        of, profile = self.headings[place], self.profiles[place]
        if of.unit or profile.units - {""} - SIZE_UNITS:
            return True
        return bool(of.measured) and not (of.bounds and profile.whole and not self._different(place))

    def seems(self, place: int) -> bool:
        """Return whether a column's values look measured: negative, or fractions that nearly all differ."""
        profile = self.profiles[place]
        return profile.low < 0 or (self._different(place) and not profile.whole)

    def responds(self, place: int) -> bool:
        """Return whether a column looks like a result: most values differ, or whole numbers have decimals."""
        return self.rows >= LEAST_ROWS and (self._different(place) or self._computed_whole(place))

    def _computed_whole(self, place: int) -> bool:
        """Return whether whole numbers have decimals, such as 1.000000, unlike those of another column."""
        others = (each for each in self.profiles if each.numbers and each.whole)
        return self.profiles[place].printed and any(not each.printed for each in others)

    def _different(self, place: int) -> bool:
        profile = self.profiles[place]
        return profile.many or len(profile.numbers) > self.rows / 2


def runs_of(reading: Reading, places: Sequence[int]) -> dict[str, list[int]]:
    """Return metric → its columns, in tables with one column per run: `time_1, time_2`, or `time, time.1`."""
    groups, untimed = dict[str, dict[int, int]](), _have_other_units(reading)
    for place in places:
        if (found := run_of(reading.headings[place].name)) and not reading.headings[place].spread:
            metric = VALUE if found[0] == TIME and untimed else found[0]
            groups.setdefault(metric, {})[found[1]] = place
    runs = {}
    by_name = {reading.headings[place].name.lower(): place for place in places}
    for metric, numbered in groups.items():
        plain = by_name.get(metric)
        if plain is not None and min(numbered) == 1:
            numbered[0] = plain
        if len(numbered) < 2 or sorted(numbered) != list(range(min(numbered), min(numbered) + len(numbered))):
            continue
        if min(numbered) <= 1:
            runs[metric] = [numbered[number] for number in sorted(numbered)]
            names = [reading.headings[place].name for place in runs[metric]]
            reading.notes.append(
                f"the columns {names[0]} to {names[-1]} were read as {len(names)} repetitions of {metric}"
            )
    return runs


def _have_other_units(reading: Reading) -> bool:
    """Return whether a column says that values are in other units than those of time."""
    return any(
        of.key in {"unit", "units"} and any(seconds_in(text) is None for text in profile.texts)
        for of, profile in zip(reading.headings, reading.profiles, strict=True)
    )


def summaries_of(reading: Reading, places: Sequence[int], runs: Mapping[str, Sequence[int]]) -> None:
    """Leave out statistics of the quantity whose repetitions have columns of their own."""
    own = {place for group in runs.values() for place in group}
    for place in places:
        of = reading.headings[place]
        quantity = "_".join(of.quantity)
        if runs and place not in own and of.statistic and (not quantity or quantity in runs):
            reading.left_out[place] = SUMMARY


def leave_computed_out(reading: Reading, places: Sequence[int]) -> list[int]:
    """Leave out a program's results, such as a checksum, and ideal values; return the other columns.

    If none of the other columns is a metric, nothing is left out.
    """
    computed = {place: reason for place in places if (reason := _computed(reading, place))}
    others = [place for place in places if place not in computed]
    if not any(map(reading.surely, others)):
        return list(places)
    reading.left_out |= computed
    return others


def _computed(reading: Reading, place: int) -> str:
    """Return why a column is no measurement, as its name says, or ""."""
    of = reading.headings[place]
    if of.has(EXPECTATIONS):
        return EXPECTED
    computed = of.measured is None and not of.unit and RESULTS.intersection(words(of.name)[-1:])
    return RESULT if computed else ""


def statistics_of(reading: Reading, places: Sequence[int], has_runs: bool) -> list[int]:
    """Leave out columns that only describe another column, and return the other columns.

    The median is kept, or else the mean, but not extremes, numbers of samples, or spreads.
    """
    headings = reading.headings
    spreads = dict.fromkeys(
        place for place in places if headings[place].spread and headings[place].measured is not False
    )
    others = [place for place in places if place not in spreads]
    if not has_runs and not any(map(reading.surely, others)) and len(others) < 2:
        return list(places)  # a spread without its quantity is itself the metric
    for place in spreads:
        reading.left_out[place] = SPREAD
    groups = dict[tuple[str, ...], list[int]]()
    for place in others:
        if headings[place].measured is not False:
            groups.setdefault(headings[place].quantity, []).append(place)
    for group in groups.values():
        _keep_middle(reading, group)
    if spreads or reading.left_out:
        _leave_counts_out(reading, others)
    return [place for place in others if place not in reading.left_out]


def _keep_middle(reading: Reading, group: Sequence[int]) -> None:
    """Leave out all statistics of a quantity except its median or mean."""
    headings = reading.headings
    statistics = {headings[place].statistic: place for place in group if headings[place].statistic}
    middle = next((statistics[word] for word in MIDDLE if word in statistics), None)
    if middle is None or len(group) < 2:
        return
    name = headings[middle].name
    reason = (
        f"of several statistics of one quantity, {name} was read; rename another one to read it as a metric"
    )
    for place in group:
        if place != middle:
            reading.left_out[place] = reason


def _leave_counts_out(reading: Reading, places: Sequence[int]) -> None:
    """Leave out numbers of samples, known by name, or called n with far more values than any parameter."""
    headings = reading.headings
    for place in places:
        if headings[place].key in COUNTS or (
            headings[place].key == "n" and _varies_most(reading, place, places)
        ):
            reading.left_out[place] = "it counts the samples of a statistic"
        elif headings[place].name == "N":
            reading.notes.append("N: read as a parameter; leave the column out if it counts the samples")


def _varies_most(reading: Reading, place: int, places: Sequence[int]) -> bool:
    """Return whether a column has more than twice as many distinct values as any parameter.

    If no parameter varies, and rows are not told apart by a text either, the column is the parameter itself.
    """
    others = [
        len(reading.profiles[other].numbers)
        for other in places
        if other != place and reading.headings[other].measured is False and other not in reading.left_out
    ]
    if not others or (
        max(others) == 1 and reading.rows > 2 * max(len(each.texts) for each in reading.profiles)
    ):
        return False
    return len(reading.profiles[place].numbers) > 2 * max(others)
