"""Finds the point of each run in sent coordinates, in names, or in the runs' own counts."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from ingest.formats.campaign.campaign import CONFIGURATION
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.campaign.roles import Kind, kind
from ingest.formats.campaign.sent_points import SentPoint
from ingest.formats.errors import FormatError, quoted
from ingest.formats.runs.run_names import NOTHING, NameParts, levels, name_parts
from ingest.formats.runs.unnamed_numbers import unnamed_numbers

Coordinates = dict[str, float]
Counts = Callable[[], Mapping[str, Coordinates]]
"""Returns the numbers of processes and threads of each run. It is called only if needed."""
MEND = "name it like the others, such as app.p64.size45.r1, or send its point along"


@dataclass(frozen=True)
class Runs:
    """Points of the runs.

    Attributes:
        constant: parameters that are the same for all runs.
        notes: which runs were left out, and why.
    """

    parameters: tuple[str, ...]
    points: dict[str, tuple[float, ...]]
    constant: Coordinates = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def coordinates(self, path: str) -> Coordinates:
        """Return the point of a run by names of parameters; empty if no run has a known point."""
        if self.parameters == (CONFIGURATION,):
            return {}
        return dict(zip(self.parameters, self.points[path], strict=True))

    @property
    def metadata(self) -> dict[str, object]:
        """Return metadata of all runs: the parameters that are constant."""
        return {"constant parameters": self.constant} if self.constant else {}


def runs_placed(paths: Sequence[str], place: SentPoint, counts: Counts | None = None) -> Runs:
    """Find the points of runs in sent coordinates, in their names, or in their own counts.

    Counted processes and threads become parameters only if no coordinate is a number of processes or equals
    the count in every run. A further condition is that names give no coordinates, or that runs at one point
    differ in their counts.

    Args:
        place: the sent coordinates, which are added to those in names; or the sent pattern, which replaces
            those in names.
        counts: returns the processes and threads that the runs counted.

    Raises:
        FormatError: no run matches the pattern, or a name contradicts the sent coordinates.
    """
    by_path, named, notes = _coordinates_of_runs(paths, place)
    by_path, left = _like_most(by_path)
    if counts is not None and not _holds_processes(by_path.values()):
        by_path = _counted(by_path, counts(), always=not named)
    if not place:
        by_path, unnamed = _with_unnamed(by_path)
        left += unnamed
    if not any(by_path.values()):
        points: dict[str, tuple[float, ...]] = dict.fromkeys(by_path, (1.0,))
        return Runs((CONFIGURATION,), points, notes=bounded_notes([*notes, *left]))
    parameters, constant = varying(by_path.values())
    points = {path: tuple(run[name] for name in parameters) for path, run in by_path.items()}
    return Runs(tuple(parameters), points, constant, notes=bounded_notes([*notes, *left]))


def mixed_note(points: Iterable[tuple[Hashable, str]]) -> list[str]:
    """Return a note if names at one point differ in more than numbers.

    Args:
        points: for each file or folder, what distinguishes its point, and its name.
    """
    first: dict[Hashable, str] = {}
    for point, name in points:
        masked = re.sub(r"[0-9]+", "0", name)
        if first.setdefault(point, masked) != masked:
            return [
                f"files at one point count as repetitions, such as {name}; to tell them apart, "
                "send a pattern along with the archive"
            ]
    return []


def varying(runs: Iterable[Coordinates]) -> tuple[Sequence[str], Coordinates]:
    """Return names of parameters that vary between runs, or all if none varies, and constant values."""
    values: dict[str, set[float]] = {}
    for run in runs:
        for name, value in run.items():
            values.setdefault(name, set()).add(value)
    names = [name for name, found in values.items() if len(found) > 1] or list(values)
    return names, {name: min(found) for name, found in values.items() if name not in names}


def coordinates_by_name(paths: Sequence[str], *, prefixes: bool = False) -> dict[str, Coordinates]:
    """Return the coordinates in the names of each run's folders and files.

    The innermost name with coordinates is used. Folders around this name add further parameters that vary.
    Folders around all runs are used only if no name inside them has coordinates.

    Args:
        paths: of the runs' files or folders.
        prefixes: whether the beginning of a name, such as `m1` in `m1.p4`, is a prefix even if it varies.
    """
    names = _parts_of_levels(paths)
    first = {path: found[0] if found else NOTHING for path, found in names.items()}
    inner = {path: dict(parts.values) for path, parts in first.items()}
    for key in () if prefixes else _leading(first.values()):
        for path, parts in first.items():
            if parts.leading and parts.leading[0] == key:
                inner[path] = {key: parts.leading[1], **inner[path]}
    outer = {path: _outermost_first(found[1:]) for path, found in names.items()}
    for name in dict.fromkeys(name for found in outer.values() for name in found):
        values = {found.get(name) for found in outer.values()}
        if None not in values and len(values) > 1 and not any(name in run for run in inner.values()):
            for path, run in inner.items():
                run[name] = outer[path][name]
    return inner


def _parts_of_levels(paths: Sequence[str]) -> dict[str, list[NameParts]]:
    """Return the coordinates in the names of each path, the innermost first."""
    levels_of_all = zip(*(path.split("/")[:-1] for path in paths), strict=False)
    shared = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, levels_of_all))
    for start in (shared, 0):
        inside = {path: levels("/".join(path.split("/")[start:])) for path in paths}
        by_path = {
            path: [found for name in names if any((found := name_parts(name))[:2])]
            for path, names in inside.items()
        }
        if any(by_path.values()):
            break
    return by_path


def _outermost_first(found: Sequence[NameParts]) -> Coordinates:
    return {name: value for parts in reversed(found) for name, value in parts.values.items()}


def _leading(names: Iterable[NameParts]) -> set[str]:
    """Return the names of leading pairs whose values vary, which are not part of the program's name."""
    values: dict[str, set[float]] = {}
    for parts in names:
        if parts.leading:
            values.setdefault(parts.leading[0], set()).add(parts.leading[1])
    return {name for name, found in values.items() if len(found) > 1}


def _coordinates_of_runs(
    paths: Sequence[str], place: SentPoint
) -> tuple[dict[str, Coordinates], bool, list[str]]:
    """Return the coordinates of each run, whether names gave these, and notes about runs that do not
    match the pattern.
    """
    if place.pattern is not None:
        by_path, notes = _by_pattern(paths, place)
        return by_path, False, notes
    by_path = coordinates_by_name(paths)
    named = any(by_path.values())
    for path, run in by_path.items():
        for name, value in place.point.items():
            if run.setdefault(name, value) != value:
                found = (
                    f"the point {name} = {value:g} sent with {quoted(path)}, whose name says {run[name]:g}"
                )
                raise FormatError(found, "the same value, or a pattern such as p{p}")
    return by_path, named, []


def _by_pattern(paths: Sequence[str], place: SentPoint) -> tuple[dict[str, Coordinates], list[str]]:
    by_path, errors = dict[str, Coordinates](), list[FormatError]()
    for path in paths:
        try:
            by_path[path] = place.of(path)
        except FormatError as error:
            errors.append(error)
    if not by_path:
        raise errors[0]
    return by_path, [f"left out: {error}" for error in errors]


def _with_unnamed(by_path: Mapping[str, Coordinates]) -> tuple[dict[str, Coordinates], list[str]]:
    """Return the coordinates with those that names of files contain without a name, and notes."""
    known = {path: tuple(run.values()) for path, run in by_path.items()}
    taken = {name for run in by_path.values() for name in run}
    numbers, notes = unnamed_numbers(list(by_path), known, taken)
    kept, left = _like_most({path: {**run, **numbers.get(path, {})} for path, run in by_path.items()})
    return kept, [*notes, *left]


def _like_most(by_path: Mapping[str, Coordinates]) -> tuple[dict[str, Coordinates], list[str]]:
    """Keep the runs with the parameters that most runs have, and return notes about the others."""
    sets = Counter(frozenset(run) for run in by_path.values())
    most = max(sets, key=lambda names: (sets[names], len(names)))
    order = next([name for name in run if name in most] for run in by_path.values() if run.keys() >= most)
    kept, notes = dict[str, Coordinates](), list[str]()
    for path, run in by_path.items():
        if run.keys() >= most:
            kept[path] = {name: run[name] for name in order}
        else:
            lacking = ", ".join(sorted(most - run.keys()))
            notes.append(f"{path} was left out: its {lacking} is not known; {MEND}")
    extra = dict.fromkeys(name for path in kept for name in by_path[path] if name not in most)
    if extra:
        notes.append(f"{', '.join(extra)} was not used, because not all names of runs contain it")
    return kept, notes


def _holds_processes(by_path: Iterable[Coordinates]) -> bool:
    return any(kind(name) is Kind.RANKS for name in {name for run in by_path for name in run})


def _counted(
    by_path: Mapping[str, Coordinates], counts: Mapping[str, Coordinates], *, always: bool
) -> dict[str, Coordinates]:
    """Return the coordinates of the runs that have counts, with counts that distinguish runs at one point."""
    by_path = {path: run for path, run in by_path.items() if path in counts}
    names = ["processes"]
    if any(counts[path].get("threads", 1) > 1 for path in by_path):
        names.append("threads")
    added = {path: dict(run) for path, run in by_path.items()}
    for name in names:
        numbers = {path: counts[path].get(name, 1.0) for path in by_path}
        if (always or not _determined(by_path, numbers)) and not _is_coordinate(by_path, numbers):
            for path, run in added.items():
                run.setdefault(name, numbers[path])
    return added


def _determined(by_path: Mapping[str, Coordinates], numbers: Mapping[str, float]) -> bool:
    """Return whether these numbers are the same for all runs at one point."""
    seen: dict[tuple[float, ...], float] = {}
    return all(
        seen.setdefault(tuple(run.values()), numbers[path]) == numbers[path] for path, run in by_path.items()
    )


def _is_coordinate(by_path: Mapping[str, Coordinates], numbers: Mapping[str, float]) -> bool:
    """Return whether a coordinate equals this number in every run."""
    names = set.intersection(*(set(run) for run in by_path.values())) if by_path else set()
    return any(all(run[name] == numbers[path] for path, run in by_path.items()) for name in names)
