"""Reads profiles of Score-P and Scalasca (Cube 4), with a folder or a .cubex file for each run.

Names such as `lulesh.p64.size45.r1/profile.cubex` give the point, as `runs` describes. Without such names,
the parameters are the numbers of processes and threads in the profiles. Parameters that never vary, and other
files, are left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingest.formats.campaign.campaign import Campaign, FloatArray
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.campaign.origins import Origin, listed_nodes, origin_of
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.limits import Limits
from ingest.formats.readers.profilers.cube.anchor import CubeMetric
from ingest.formats.readers.profilers.cube.profile import (
    ANCHOR,
    Aggregation,
    ProfileReader,
    combine,
    profile_counts,
)
from ingest.formats.runs.run_names import is_hidden
from ingest.formats.runs.run_points import mixed_note, runs_placed

NAME = "cube"
TITLE = "Cube 4 (Score-P, Scalasca)"
PACKED = True
OPTIONS = {
    "scaling": (
        "how a run's processes and threads are combined: weak (their mean, the default), strong (their sum), "
        "threaded (the mean of those that are not 0), ranks (each is a repetition)"
    ),
    "inclusive": "yes to include a kernel's callees in its values, else no",
    "metrics": "names, separated by commas; by default all that are not part of another one",
}

STARTED = re.compile(r"scorep[-_](20\d{6})_\d{4}(?:_|\b)")
"""Matches the day in a name such as scorep-20260131_1200_1234567."""


def recognises(source: Source) -> bool:
    """Recognise an archive or a folder with profiles, or a single profile, which is itself a tar file."""
    return any(map(_is_profile, source.names)) or ANCHOR in source.names


def _is_profile(name: str) -> bool:
    return name.endswith(".cubex") and not is_hidden(name)


def read(source: Source) -> Campaign:
    """Read the campaign run by run. Unreadable parts are left out with a note."""
    reader, names, errors = _reader(source.options, source.limits), _names(source), dict[str, FormatError]()
    runs = runs_placed(names, source.place, lambda: _counts(source, errors))
    collector, units, negative = Collector(source.limits), dict[str, str](), dict[str, str]()
    collector.declare(runs.parameters)
    for name, found in _runs(source, reader, errors):
        if name not in runs.points:
            continue
        point = collector.point(runs.points[name], _origin(name, reader.nodes))
        for described, values in found:
            metric = described.name
            units[metric] = described.unit
            if metric in reader.negative:
                negative.setdefault(metric, name)
            else:
                _add(collector, metric, point, values)
    if len(errors) == len(names):
        raise errors[names[0]]
    for metric in negative:
        collector.leave_out(metric)
    campaign = collector.campaign(NAME)
    mixed = mixed_note((point, name) for name, point in runs.points.items())
    notes = (*runs.notes, *mixed, *_notes(errors, negative), *campaign.notes)
    return replace(campaign, units=units, metadata=runs.metadata, notes=notes)


def _add(collector: Collector, metric: str, point: int, values: Mapping[str, list[float]]) -> None:
    for path, row in values.items():
        if row:
            collector.add(collector.series(path, metric), point, row, 0)


def _origin(name: str, nodes: Sequence[str]) -> Origin | None:
    """Return the nodes of a run, and its day, if the folder's name has it in Score-P's form."""
    day = STARTED.search(name)
    return origin_of({"node": listed_nodes(nodes), "time": day[1] if day else ""})


def _names(source: Source) -> list[str]:
    """Return the paths of the profiles, or that of the file itself if it is a single profile."""
    return list(filter(_is_profile, source.names)) or [source.name]


def _profiles(source: Source) -> Iterable[tuple[str, bytes]]:
    if ANCHOR not in source.names or source.opened is None:
        return source.files(_is_profile)
    source.opened.seek(0)
    return [(source.name, source.opened.read(min(source.size, source.limits.member_bytes)))]


def _counts(source: Source, errors: dict[str, FormatError]) -> dict[str, dict[str, float]]:
    counts = {}
    for name, data in _profiles(source):
        try:
            counts[name] = profile_counts(data, source.limits)
        except FormatError as error:
            errors[name] = error.inside(name)
    return counts


def _runs(
    source: Source, reader: ProfileReader, errors: dict[str, FormatError]
) -> Iterator[tuple[str, list[tuple[CubeMetric, dict[str, list[float]]]]]]:
    """Yield each profile's metrics with their values by call path. Errors are added to `errors`."""
    for name, data in _profiles(source):
        if name not in errors:
            try:
                yield name, list(reader.read(data))
            except FormatError as error:
                errors[name] = error.inside(name)


def _notes(errors: Mapping[str, FormatError], negative: Mapping[str, str]) -> tuple[str, ...]:
    left = [f"left out: {error}" for error in errors.values()]
    for metric, name in negative.items():
        left.append(f"the metric {metric} was left out: it has negative values, as in {name}")
    return bounded_notes(left)


def _reader(options: Mapping[str, str], limits: Limits) -> ProfileReader:
    scaling, inclusive = options.get("scaling", "weak"), options.get("inclusive", "no")
    if scaling not in AGGREGATIONS:
        raise FormatError(f"the scaling {quoted(scaling)}", f"one of {', '.join(AGGREGATIONS)}")
    if inclusive not in ("yes", "no"):
        raise FormatError(f"inclusive = {quoted(inclusive)}", "yes or no")
    metrics = [name.strip() for name in options.get("metrics", "").split(",") if name.strip()]
    return ProfileReader(limits, AGGREGATIONS[scaling], inclusive=inclusive == "yes", metrics=metrics)


def _weak(values: FloatArray, _metric: CubeMetric) -> FloatArray:
    if not np.isnan(values).any():
        plain: FloatArray = values.mean(axis=1, keepdims=True)
        return plain
    known = ~np.isnan(values)
    sums: FloatArray = np.where(known, values, 0).sum(axis=1, keepdims=True)
    counts = known.sum(axis=1, keepdims=True)
    mean: FloatArray = np.where(counts, sums, np.nan) / counts.clip(1)
    return mean


def _strong(values: FloatArray, metric: CubeMetric) -> FloatArray:
    total: FloatArray = combine(metric).reduce(values, axis=1)
    return total[:, None]


def _threaded(values: FloatArray, metric: CubeMetric) -> FloatArray:
    idle = (values != 0).any(axis=1, keepdims=True) & (values == 0)
    return _weak(np.where(idle, np.nan, values), metric)


AGGREGATIONS: dict[str, Aggregation] = {
    "weak": _weak,
    "strong": _strong,
    "threaded": _threaded,
    "ranks": lambda values, _metric: values,
}
