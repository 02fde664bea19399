"""Describes the content of a file before any of it is stored."""

import math
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

import numpy as np

from ingest.fields.described import metric_described
from ingest.formats import Campaign
from ingest.formats.campaign.campaign import FloatArray
from ingest.guessing.automatic_target import ENOUGH_VALUES
from ingest.guessing.roles import parameter_role

SHOWN_MISSING = 100
SHOWN_KERNELS = 20
SHOWN_SUSPICIONS = 50
LARGEST_GRID = 10_000
"""Limit on the points of a full grid. Nobody measures a larger one on purpose."""

OUTLIER = 5.0
"""A value is suspicious if it differs from its point's median by this factor or more."""


def diagnose(parsed: Campaign, described: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, Any]:
    """Describe the content as JSON. Lists are limited, but the numbers of kernels and points are complete."""
    missing = list(islice(_missing(parsed), LARGEST_GRID))
    kernels = list(dict.fromkeys(kernel for kernel, _ in parsed.series))
    names = dict.fromkeys(metric for _, metric in parsed.series)
    suspicious = list(islice(suspicions(parsed), SHOWN_SUSPICIONS))
    return {
        "format": parsed.format,
        "parameters": [
            {
                "name": name,
                "role": str(parameter_role(name)),
                "values": np.unique(parsed.points[:, axis])[:SHOWN_MISSING].tolist(),
            }
            for axis, name in enumerate(parsed.parameters)
        ],
        "metrics": [metric_described(name, parsed, described or {}) for name in names],
        "points": parsed.points.tolist(),
        "point_count": len(parsed.points),
        "missing_points": missing[:SHOWN_MISSING],
        "missing_count": len(missing),
        "repetitions": max(values.shape[1] for values in parsed.series.values()),
        "kernels": kernels[:SHOWN_KERNELS],
        "kernel_count": len(kernels),
        "value_count": sum(int(np.isfinite(values).sum()) for values in parsed.series.values()),
        "suspicious": suspicious,
        "notes": list(parsed.notes[:SHOWN_SUSPICIONS]),
    }


def _missing(parsed: Campaign) -> Iterator[list[float]]:
    """Yield the unmeasured points of a full grid, unless the grid exceeds `LARGEST_GRID` points."""
    axes = [np.unique(column).tolist() for column in parsed.points.T]
    if math.prod(map(len, axes)) > LARGEST_GRID:
        return
    measured = set(map(tuple, parsed.points.tolist()))
    yield from (list(point) for point in product(*axes) if point not in measured)


def suspicions(parsed: Campaign) -> Iterator[str]:
    """Return notes to read before the file is stored."""
    for axis, name in enumerate(parsed.parameters):
        count = len(np.unique(parsed.points[:, axis]))
        if count == 1:
            yield f"{name} has only one value, so no law can depend on it"
        elif count < ENOUGH_VALUES:
            yield f"{name} has only {count} values; to tell laws apart takes {ENOUGH_VALUES}"
    if all(values.shape[1] == 1 for values in parsed.series.values()):
        yield "every point was measured once, so the noise is unknown and intervals are wide"
    for (kernel, metric), values in parsed.series.items():
        yield from (f"{kernel} ({metric}): {what}" for what in _of_series(parsed, values))


def _of_series(parsed: Campaign, values: FloatArray) -> Iterator[str]:
    runs = np.isfinite(values).sum(axis=1)
    if not (values[np.isfinite(values)] > 0).any():
        return  # a counter may be 0 in all runs
    if (values == 0).any():
        yield f"0 in {int((values == 0).sum())} of {int(runs.sum())} values"
    repeated = runs > 1
    spread = np.nanmax(values[repeated], axis=1) - np.nanmin(values[repeated], axis=1)
    whole = np.array_equal(np.nan_to_num(values), np.floor(np.nan_to_num(values)))
    if repeated.sum() > 1 and not spread.any() and not whole:
        yield "all repetitions are equal to the last digit, as if one had been copied"
    several = np.flatnonzero(runs > 2)
    for row, value, middle in _outliers(values[several]):
        yield f"{value:.4g} at {_place(parsed, several[row])}, where the median is {middle:.4g}"


def _outliers(values: FloatArray) -> Iterator[tuple[int, float, float]]:
    """Yield index of the point, value, and median for each value far from the median of its point's runs,
    (points, repetitions).
    """
    if not len(values):
        return
    middle = np.nanmedian(values, axis=1)
    ratio = np.where(values > 0, values, np.nan) / np.where(middle > 0, middle, np.nan)[:, None]
    for row, repetition in np.argwhere((ratio < 1 / OUTLIER) | (ratio > OUTLIER)).tolist():
        yield row, float(values[row, repetition]), float(middle[row])


def _place(parsed: Campaign, row: np.intp) -> str:
    pairs = zip(parsed.parameters, parsed.points[row].tolist(), strict=True)
    return ", ".join(f"{name} = {value:g}" for name, value in pairs)
