"""Reads the measurements of a public set from a clone of its repository."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingest.formats.files.source import Source
from ingest.formats.limits import Limits
from ingest.formats.readers.network_benchmarks import mpi_tables

Row = tuple[tuple[float, ...], str, float]
"""A point, the path of a kernel and one measured value."""


@dataclass(frozen=True, order=True)
class Repository:
    """A commit of a repository on GitHub, by `owner/name`."""

    address: str
    commit: str


@dataclass(frozen=True)
class PublicSet:
    """Measurements that belong together, from the files of one commit of a repository.

    Attributes:
        repository: where the files are.
        name: name of the set's file.
        files: expression that matches the whole path of each file.
        parameters: names of the parameters. Forecasts are made beyond the largest values of the first one.
        lines: expressions that are searched for in each line of a file. The first one that is found counts.
            If there are none, the files are tables of MPI benchmarks, and `metric` names their column.
        metric: what is measured.

    Groups of the expressions are named after parameters, or `value` for a measurement. All other groups are
    part of the kernel's path. What a path or line says holds for all later lines of the file until another
    line says something else. Values of the same kernel and point are repetitions, so everything that was set
    differently between runs must be in a group. Only what identifies a repetition is left out.
    """

    repository: Repository
    name: str
    files: str
    parameters: tuple[str, ...]
    lines: tuple[str, ...] = ()
    metric: str = "time"


def rows(wanted: PublicSet, clones: Path) -> Iterator[Row]:
    """Read a set from the clone of its repository in `clones`, with or without a work tree.

    Raises:
        FileNotFoundError: there is no clone, or it does not have the commit.
    """
    clone = _clone(wanted.repository, clones)
    read = _printed if wanted.lines else _mpi_tables
    for path, place in _paths(wanted, clone):
        content = _git(clone, "cat-file", "blob", f"{wanted.repository.commit}:{path}")
        if content is not None:  # Large files may be missing in partial clones.
            yield from read(wanted, place, content)


def _clone(repository: Repository, clones: Path) -> Path:
    clone = clones / repository.address.partition("/")[2]
    if not clone.is_dir() or _git(clone, "cat-file", "-e", f"{repository.commit}^{{tree}}") is None:
        raise FileNotFoundError(
            f"{clone} is no clone of {repository.address} with commit {repository.commit}"
        )
    return clone


def _paths(wanted: PublicSet, clone: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Return the paths of a set's files, and what each path says."""
    listed = _git(clone, "ls-tree", "-r", "--name-only", wanted.repository.commit) or b""
    for path in listed.decode(errors="replace").splitlines():
        if found := re.fullmatch(wanted.files, path):
            yield path, found.groupdict()


def _printed(wanted: PublicSet, place: dict[str, str], content: bytes) -> Iterator[Row]:
    """Read the values that are printed in lines."""
    said = dict(place)
    for line in content.decode(errors="replace").splitlines():
        found = next(filter(None, (re.search(wanted_line, line) for wanted_line in wanted.lines)), None)
        if found is None:
            continue
        said |= found.groupdict()
        value = said.pop("value", None)
        if value is not None:
            yield _row(wanted, said, float(value.replace(",", "")))


def _mpi_tables(wanted: PublicSet, place: dict[str, str], content: bytes) -> Iterator[Row]:
    """Read the tables of MPI benchmarks. Messages without content are left out."""
    campaign = mpi_tables.read(Source(Path(wanted.name), Limits(), data=content))
    for (kernel, metric), values in campaign.series.items():
        if metric == wanted.metric and "[bytes=0]" not in kernel:
            for point, measured in zip(campaign.points, values, strict=True):
                said = {name: str(x) for name, x in zip(campaign.parameters, point, strict=True)}
                if said.keys() >= set(wanted.parameters):  # Barriers have no sizes.
                    for value in measured:
                        yield _row(wanted, place | said | {"kernel": kernel}, float(value))


def _row(wanted: PublicSet, said: dict[str, str], value: float) -> Row:
    point = tuple(float(said[name].replace(",", "")) for name in wanted.parameters)
    return point, "/".join(said[name] for name in said if said[name] and name not in wanted.parameters), value


def _git(clone: Path, *command: str) -> bytes | None:
    """Return what git prints, or None if it fails."""
    done = subprocess.run(["git", "-C", str(clone), *command], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None
