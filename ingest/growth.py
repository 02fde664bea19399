"""Campaigns that come in several uploads: what two of them hold together."""

import numpy as np
from numpy.typing import NDArray

from ingest.formats import Campaign, FormatError, Limits
from ingest.formats.campaign import FloatArray


def merge(known: Campaign, new: Campaign, limits: Limits | None = None) -> Campaign:
    """Both campaigns as one: new points behind the known ones, repetitions of a known point behind its own.

    A series that one of them lacks is missing at the other's points. Metadata, notes and format are those of
    the known one.

    Raises:
        FormatError: they vary different parameters, or are too large together.
    """
    places, points = _points(known, new)
    series = {}
    for key in known.series.keys() | new.series.keys():
        parts = [
            (np.arange(len(known.points)), known.series.get(key)),
            (places, new.series.get(key)),
        ]
        series[key] = _values(len(points), [(rows, part) for rows, part in parts if part is not None])
    order = dict.fromkeys([*known.series, *new.series])
    merged = Campaign(
        parameters=known.parameters,
        points=points,
        series={key: series[key] for key in order},
        units=new.units | known.units,
        metadata=known.metadata,
        notes=known.notes,
        format=known.format,
    )
    _check(merged, limits or Limits())
    return merged


def _points(known: Campaign, new: Campaign) -> tuple[NDArray[np.int64], FloatArray]:
    """The rows of the new campaign's points among all of them, and all of them (P, m)."""
    if set(known.parameters) != set(new.parameters):
        raise FormatError(
            f"the parameters {', '.join(new.parameters)}",
            f"those of the campaign that it belongs to: {', '.join(known.parameters)}",
        )
    columns = [new.parameters.index(name) for name in known.parameters]
    rows = {point: row for row, point in enumerate(map(tuple, known.points.tolist()))}
    places = [rows.setdefault(point, len(rows)) for point in map(tuple, new.points[:, columns].tolist())]
    return np.array(places, np.int64), np.array(list(rows), float)


def _values(count: int, parts: list[tuple[NDArray[np.int64], FloatArray]]) -> FloatArray:
    """One series over all points, (P, R): the parts side by side, missing repetitions last."""
    table = np.full((count, sum(part.shape[1] for _, part in parts)), np.nan)
    start = 0
    for rows, part in parts:
        table[rows, start : start + part.shape[1]] = part
        start += part.shape[1]
    missing = np.isnan(table)
    table = np.take_along_axis(table, np.argsort(missing, axis=1, kind="stable"), axis=1)
    return table[:, : max(int((~missing).sum(axis=1).max()), 1)]


def _check(merged: Campaign, limits: Limits) -> None:
    """Hold what has grown against what one file may hold."""
    sizes = {
        "points": (len(merged.points), limits.points),
        "kernels": (len({kernel for kernel, _ in merged.series}), limits.kernels),
        "metrics": (len({metric for _, metric in merged.series}), limits.metrics),
        "series": (len(merged.series), limits.series),
        "repetitions": (max(values.shape[1] for values in merged.series.values()), limits.repetitions),
        "values": (sum(values.size for values in merged.series.values()), limits.values),
    }
    for name, (found, most) in sizes.items():
        if found > most:
            raise FormatError(f"{found} {name} in its campaign, with this file", f"{most} at most")
