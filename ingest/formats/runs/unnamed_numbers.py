"""Reads coordinates from numbers without names in the names of files and folders: `barrier-16-256-13.out`.

Such a number may be a number of processes, a repetition, or a job's id. It is a coordinate if its values are
like those of an experiment: at least `FEWEST` values over a wide range that share a divisor, such as 1, 2, 4
or 24, 48, 96. Repetitions are counted one by one, and ids of jobs are of similar size.
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence

from ingest.formats.errors import quoted
from ingest.formats.runs.run_names import levels, name_parts

FEWEST = 3
RANGE = 4
"""Least ratio of the largest to the smallest value of a coordinate."""
APART = 2
"""From this ratio on, other numbers may be coordinates as well, so that a note asks for a pattern."""
NAMES = ("x", "y", "z")
HOW = "send a pattern along with the archive, such as run_{p}_{n}"


def unnamed_numbers(
    paths: Sequence[str], known: Mapping[str, Hashable], taken: Collection[str]
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return coordinates of runs by their paths, and notes for the user.

    Args:
        paths: of the runs' files or folders.
        known: what else is known about the point of each run. Numbers that it determines are no coordinates.
        taken: names of other parameters.
    """
    numbers = {path: [value for name in levels(path) for value in name_parts(name).unnamed] for path in paths}
    groups: dict[int, list[str]] = {}
    for path in paths:
        groups.setdefault(len(numbers[path]), []).append(path)
    found: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    for group in groups.values():
        points, others = _coordinates({path: numbers[path] for path in group}, known, taken)
        found |= points
        notes += _notes(group, numbers, points[group[0]], others=others)
    return (found if any(found.values()) else {}), notes


def _coordinates(
    numbers: Mapping[str, Sequence[float]], known: Mapping[str, Hashable], taken: Collection[str]
) -> tuple[dict[str, dict[str, float]], bool]:
    """Return the coordinates of runs with equally many numbers, and whether others may be coordinates."""
    found: dict[str, dict[str, float]] = {path: {} for path in numbers}
    others = False
    for column in map(list, zip(*numbers.values(), strict=True)):
        first = next(iter(found.values()))
        if _determined([(known.get(path), *found[path].values()) for path in numbers], column):
            continue
        name = next((name for name in NAMES if name not in (*taken, *first)), "")
        if name and _are_counts(column):
            for path, value in zip(numbers, column, strict=True):
                found[path][name] = value
        else:
            others = others or _may_be_counts(column)
    return found, others


def _determined(points: Sequence[Hashable], values: Sequence[float]) -> bool:
    """Return whether runs at the same point have the same value."""
    seen: dict[Hashable, float] = {}
    return all(seen.setdefault(point, value) == value for point, value in zip(points, values, strict=True))


def _are_counts(column: Sequence[float]) -> bool:
    """Return whether these are values of a coordinate."""
    values = sorted({int(value) for value in column})
    if values[0] < 1 or len(values) < FEWEST or values[-1] < RANGE * values[0]:
        return False
    return math.gcd(*(value for value in values if value > 1)) > 1


def _may_be_counts(column: Sequence[float]) -> bool:
    """Return whether these may be coordinates: they differ widely, and do not count repetitions."""
    values = sorted(set(column))
    return 0 < values[0] * APART <= values[-1] and values != list(range(1, len(values) + 1))


def _notes(
    paths: Sequence[str], numbers: Mapping[str, Sequence[float]], point: Mapping[str, float], *, others: bool
) -> list[str]:
    notes = []
    if point:
        named = ", ".join(f"{name} = {value:g}" for name, value in point.items())
        notes.append(
            f"numbers in the names of files were read as coordinates, such as {named} of {quoted(paths[0])}; "
            f"extents count as their product; to name them, {HOW}"
        )
    if others:
        other = next(path for path in paths if numbers[path] != numbers[paths[0]])
        notes.append(
            f"numbers in names such as {quoted(paths[0])} and {quoted(other)} were not read as coordinates; "
            f"if they are, {HOW}"
        )
    return notes
