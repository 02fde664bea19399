"""Profiles of Score-P and Scalasca (Cube 4): a folder or an archive of one folder a run, with its .cubex.

`lulesh.p64.size45.r1/profile.cubex`: the folder's name tells the point. Parameters that never vary are left
out. Other files beside the profiles do no harm.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ingest.formats.campaign import Campaign, FloatArray
from ingest.formats.collector import Collector
from ingest.formats.cube.anchor import CubeMetric
from ingest.formats.cube.profile import Aggregation, ProfileReader, combine
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.runs import EXPECTED, coordinates, varying
from ingest.formats.source import Source

NAME = "cube"
TITLE = "Cube 4 (Score-P, Scalasca)"
PACKED = True
OPTIONS = {
    "scaling": (
        "what becomes of a run's processes and threads: weak (their mean, the default), strong (their sum), "
        "threaded (the mean of those that are not 0), ranks (each is a repetition)"
    ),
    "inclusive": "yes to count what a kernel calls as its own, else no",
    "metrics": "names, separated by commas; by default all that no other holds",
}


def recognises(source: Source) -> bool:
    """An archive or a folder with profiles in it."""
    return any(map(_is_profile, source.names)) or "anchor.xml" in source.names


def _is_profile(name: str) -> bool:
    return name.endswith(".cubex") and not name.rpartition("/")[2].startswith(".")


def read(source: Source) -> Campaign:
    """Read run by run."""
    reader = _reader(source.options, source.limits)
    runs = {name: coordinates(name) for name in filter(_is_profile, source.names)}
    if not runs:
        raise FormatError("a profile that is in no folder", EXPECTED)
    parameters, constant = varying(runs.values())
    collector, units = Collector(source.limits), dict[str, str]()
    collector.declare(parameters)
    for name, data in source.files(_is_profile):
        try:
            point = collector.point([runs[name][parameter] for parameter in parameters])
            for metric, values in reader.read(data):
                units[metric.name] = metric.unit
                for path, row in values.items():
                    if row:
                        collector.add(collector.series(path, metric.name), point, row, 0)
        except FormatError as error:
            raise error.inside(name) from None
    metadata: dict[str, object] = {"constant parameters": constant} if constant else {}
    return replace(collector.campaign(NAME), units=units, metadata=metadata)


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
