"""Reads archives and folders in which each file is a campaign, such as a file of hyperfine per point.

All files that some format recognises form one campaign. The point of a file is sent with the upload, or is in
the file itself, or in the names of files and folders (see `runs.run_points`). Files at the same point are
repetitions. Files with another format or other parameters than most are left out with a note, as are
unreadable ones.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ingest.formats.campaign.campaign import CONFIGURATION, Campaign
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.campaign.origins import from_one, origin_of
from ingest.formats.campaign.roles import kind
from ingest.formats.campaign.sent_points import placed
from ingest.formats.collecting.merging import merge_all
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source
from ingest.formats.registry import READERS
from ingest.formats.runs.run_names import is_hidden
from ingest.formats.runs.run_points import Coordinates, Runs, coordinates_by_name, mixed_note, runs_placed
from ingest.formats.runs.unnamed_numbers import unnamed_numbers
from ingest.formats.unrecognised import FORMATS_READ, unrecognised, workbook_of

NAME = "bundle"
TITLE = "archive of files of one of these formats"
PACKED = True
NEVER = re.compile(
    r"(?:.*/)?(?:readme|licen[cs]e|copying|manifest|makefile|cmakelists|requirements)[^/]*"
    r"|.*\.(?:md|rst|html?|css|js|py|sh|slurm|sbatch|c|h|cc|cpp|hpp|cu|f|f90|rs|go|jl|java|ipynb|toml|ya?ml|cfg"
    r"|ini|conf|lock|png|jpe?g|gif|svg|pdf|o|so|a|exe|bin|pyc|otf2|evt|def|cubex)",
    re.IGNORECASE,
)
"""Names of files that never contain results."""
RESULTS = (".json", ".jsonl", ".csv", ".tsv", ".xml")
"""Endings of files that probably contain results. Unreadable ones are named in a note."""
MOST_FILES = 5_000
COMMITS = ("commit", "commit_hash", "git_commit", "id")
"""Metadata keys under which tools store the measured version."""
HASH = re.compile("[0-9a-f]{7,64}")


class Member(NamedTuple):
    """A file of the archive that was read."""

    name: str
    module: ModuleType
    campaign: Campaign

    @property
    def kind(self) -> tuple[str, frozenset[str]]:
        """Return the file's format and parameters, which all files of a campaign share."""
        return self.module.NAME, frozenset(self.campaign.parameters)

    @property
    def described(self) -> str:
        """Describe the file for a note."""
        return f"{self.module.TITLE} over {', '.join(self.campaign.parameters)}"


def recognises(source: Source) -> bool:
    """Recognise an archive or a folder, but no workbook, with a file that by its name may have results."""
    return any(map(_is_candidate, source.names)) and not workbook_of(source.names)


def _is_candidate(name: str) -> bool:
    return not is_hidden(name) and not NEVER.fullmatch(name)


def read(source: Source) -> Campaign:
    """Read every file, and merge all of them into one campaign."""
    if (count := sum(map(_is_candidate, source.names))) > MOST_FILES:
        raise FormatError(
            f"{count} files",
            f"at most {MOST_FILES} files in one archive; larger campaigns fit in a single JSON Lines file",
        )
    errors: dict[str, FormatError] = {}
    members, runs = _at_their_points(list(_members(source, errors)), source, errors)
    if not members:
        raise _nothing(source, errors)
    members = [member for member in members if not getattr(member.module, "GENERAL", False)] or members
    kinds = Counter(member.kind for member in members)
    most = kinds.most_common(1)[0][0]
    chosen = [member for member in members if member.kind == most]
    _check_commits(chosen)
    merged = merge_all([member.campaign for member in chosen], source.limits)
    others = [member for member in members if member.kind != most]
    notes = [*_left_out(others, chosen[0]), *_broken(errors), *runs.notes, *_mixed(chosen), *merged.notes]
    metadata = {**_agreed(chosen), **runs.metadata, "files": f"{len(chosen)} of {chosen[0].module.TITLE}"}
    return replace(merged, metadata=metadata, notes=bounded_notes(list(dict.fromkeys(notes))))


def _members(source: Source, errors: dict[str, FormatError]) -> Iterator[Member]:
    for name, data in source.files(_is_candidate):
        if not data.strip():
            continue
        try:
            found = _member(Source(Path(name), source.limits, name=name, data=data).narrowed())
        except FormatError as error:
            errors[name] = error.inside(name)
            continue
        if found:
            yield found
        elif name.lower().endswith(RESULTS):
            errors[name] = FormatError("a file whose format was not recognised", FORMATS_READ).inside(name)


def _member(file: Source) -> Member | None:
    """Read a file into a campaign in memory, because a spool for each file would be too many open files."""
    if file.packed:
        return None
    module = next((module for module in _modules() if module.recognises(file)), None)
    if module is None:
        return None
    campaign: Campaign = module.read(file)
    series, rounds, origins = dict(campaign.series), dict(campaign.rounds), campaign.origins
    if origins is None and (origin := origin_of(campaign.metadata)):
        origins = from_one(origin, list(series.values()))
    return Member(file.name, module, replace(campaign, series=series, rounds=rounds, origins=origins))


def _modules() -> Iterator[ModuleType]:
    """Return the formats of single files."""
    for module in READERS.values():
        if not getattr(module, "PACKED", False) or getattr(module, "CONTAINED", False):
            yield module


def _at_their_points(
    members: Sequence[Member], source: Source, errors: dict[str, FormatError]
) -> tuple[list[Member], Runs]:
    """Return the files with a known point, moved to it, and the runs of files without own parameters."""
    silent = [member.name for member in members if member.campaign.parameters == (CONFIGURATION,)]
    runs = runs_placed(silent, source.place) if silent else Runs((), {})
    points = {name: runs.coordinates(name) for name in runs.points}
    found = []
    alike: dict[object, list[Member]] = {}
    for member in members:
        if member.name not in silent:
            alike.setdefault(member.kind, []).append(member)
    for others in alike.values():
        unnamed, notes = _unnamed(others, source)
        runs = replace(runs, notes=(*runs.notes, *notes))
        for name, point in _besides_their_own(others, source, unnamed):
            if isinstance(point, FormatError):
                errors[name] = point.inside(name)
            else:
                points[name] = point
    for member in members:
        if member.name in points:
            try:
                found.append(member._replace(campaign=placed(member.campaign, points[member.name])))
            except FormatError as error:
                errors[member.name] = error.inside(member.name)
    return found, runs


def _unnamed(members: Sequence[Member], source: Source) -> tuple[dict[str, Coordinates], list[str]]:
    """Return coordinates without names in the files' names, which files' own points do not determine."""
    if source.place:
        return {}, []
    named = coordinates_by_name([member.name for member in members], prefixes=True)
    known = {
        member.name: (*named[member.name].values(), member.campaign.points.tobytes()) for member in members
    }
    taken = {name for member in members for name in (*member.campaign.parameters, *named[member.name])}
    return unnamed_numbers(list(known), known, taken)


def _besides_their_own(
    members: Sequence[Member], source: Source, unnamed: Mapping[str, Coordinates]
) -> Iterator[tuple[str, Coordinates | FormatError]]:
    """Yield each file's coordinates that were sent with the upload, or that vary in the files' names.

    Args:
        unnamed: coordinates by files' names, which have no names there.
    """
    place = source.place
    named = coordinates_by_name([member.name for member in members], prefixes=True)
    own = {name for member in members for name in member.campaign.parameters}
    names = [] if place.pattern else [name for name in _varying(named.values()) if name not in own]
    names = [name for name in names if not _is_multiple(name, named, members)]
    for path, point in named.items():
        try:
            own_names = {name: point[name] for name in names}
            yield path, {**own_names, **unnamed.get(path, {}), **place.of(path)}
        except FormatError as error:
            yield path, error


def _varying(points: Collection[Coordinates]) -> list[str]:
    """Return the names that occur at every point and do not always have the same value."""
    names = next(iter(points), {})
    values = {name: {point.get(name) for point in points} for name in names}
    return [name for name, found in values.items() if None not in found and len(found) > 1]


def _is_multiple(name: str, named: Mapping[str, Coordinates], members: Sequence[Member]) -> bool:
    """Return whether a coordinate counts processes, in a fixed ratio to the processes in the files."""
    if not kind(name).counts_processes:
        return False
    for other in filter(lambda each: kind(each).counts_processes, members[0].campaign.parameters):
        shares = {_share(member, other, named[member.name][name]) for member in members}
        if len(shares) == 1 and None not in shares:
            return True
    return False


def _share(member: Member, parameter: str, value: float) -> float | None:
    """Return the ratio of the only value of a parameter in a file to `value`; None for several values."""
    if parameter not in member.campaign.parameters:
        return None
    column = member.campaign.points[:, member.campaign.parameters.index(parameter)]
    return float(column[0]) / value if (column == column[0]).all() else None


def _nothing(source: Source, errors: Mapping[str, FormatError]) -> FormatError:
    """Return the error that explains why no file could be read."""
    if errors:
        return next(iter(errors.values()))
    return unrecognised(source)


def _left_out(others: Sequence[Member], like: Member) -> list[str]:
    return [
        f"{member.name} was left out: it is {member.described}, most files {like.described}; send it alone"
        for member in others
    ]


def _check_commits(members: Sequence[Member]) -> None:
    """Refuse files of several versions of a program, whose runs are not repetitions."""
    for name in COMMITS:
        values = {str(member.campaign.metadata.get(name)) for member in members}
        if (count := sum(HASH.fullmatch(value) is not None for value in values)) > 1:
            found = f"results of {count} commits"
            raise FormatError(
                found, "the results of one commit; perfweb.py history sends a folder commit by commit"
            )


def _broken(errors: Mapping[str, FormatError]) -> list[str]:
    return [f"left out: {error}" for error in errors.values()]


def _mixed(members: Sequence[Member]) -> list[str]:
    """Return a note if files with different names contain the same series at the same point."""
    return mixed_note(
        ((point, next(iter(member.campaign.series))), member.name)
        for member in members
        for point in map(tuple, member.campaign.points.tolist())
    )


def _agreed(members: Sequence[Member]) -> dict[str, object]:
    """Return the metadata with the same value in all files that contain them."""
    found = dict(members[0].campaign.metadata)
    for member in members[1:]:
        other = member.campaign.metadata
        found = {name: value for name, value in found.items() if other.get(name, value) == value}
    return found
