"""Merges several campaigns into one: files of an archive, or uploads of one campaign."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.campaign import Campaign, FloatArray, Key
from ingest.formats.campaign.origins import NO_RUN, UNKNOWN, Origin, Origins, padded, run_counts
from ingest.formats.collecting.aligning import aligned
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits

Rows = NDArray[np.int64]
Part = tuple[Rows, FloatArray]
"""Places of a campaign's points among all points, and the table of one of its series."""


def merge(known: Campaign, new: Campaign, limits: Limits | None = None) -> Campaign:
    """Merge two campaigns into one.

    New points and repetitions come after the known ones. Missing values are NaN. Metadata and format are
    those of the known campaign.

    Raises:
        FormatError: the campaigns have different parameters, or are too large together.
    """
    return merge_all([known, new], limits)


def merge_all(campaigns: Sequence[Campaign], limits: Limits | None = None) -> Campaign:
    """Merge all campaigns in linear time, with the result of repeated calls of `merge`.

    Metrics have the names and units of the first campaign that has them.

    Raises:
        FormatError: as in `merge`.
    """
    campaigns = _aligned(campaigns)
    first = campaigns[0]
    places, points = _points(campaigns)
    _check(campaigns, len(points), limits or Limits())
    merged = Campaign(
        parameters=first.parameters,
        points=points,
        series=_merged([each.series for each in campaigns], places, len(points)),
        units={name: unit for each in reversed(campaigns) for name, unit in each.units.items()},
        metadata=first.metadata,
        notes=tuple(dict.fromkeys(chain.from_iterable(each.notes for each in campaigns))),
        format=first.format,
        runs=[run for each in campaigns for run in each.runs],
        rounds=_merged([each.rounds for each in campaigns], places, len(points)),
        origins=_origins(campaigns, places, len(points)),
    )
    _check_tables(merged, limits or Limits())
    return merged


def _aligned(campaigns: Sequence[Campaign]) -> list[Campaign]:
    """Return the campaigns with each metric in the name and unit of the first one that has it."""
    known, found = dict[str, str](), list[Campaign]()
    for each in campaigns:
        found.append(aligned(each, known))
        for _, metric in found[-1].series:
            known[metric] = known.get(metric) or found[-1].units.get(metric, "")
    return found


def _points(campaigns: Sequence[Campaign]) -> tuple[list[Rows], FloatArray]:
    """Return the rows of each campaign's points among all points, and all points."""
    names = campaigns[0].parameters
    rows: dict[tuple[float, ...], int] = {}
    places = []
    for each in campaigns:
        if set(each.parameters) != set(names):
            expected = f"the parameters of the campaign that it belongs to: {', '.join(names)}"
            raise FormatError(f"the parameters {', '.join(each.parameters)}", expected)
        columns = [each.parameters.index(name) for name in names]
        coordinates = map(tuple, each.points[:, columns].tolist())
        places.append(np.array([rows.setdefault(point, len(rows)) for point in coordinates], np.int64))
    return places, np.array(list(rows), float)


def _merged(
    tables: Iterable[Mapping[Key, FloatArray]], places: Sequence[Rows], count: int
) -> dict[Key, FloatArray]:
    parts: dict[Key, list[Part]] = {}
    for series, rows in zip(tables, places, strict=True):
        for key, values in series.items():
            parts.setdefault(key, []).append((rows, values))
    return {key: _table(count, found) for key, found in parts.items()}


def _table(count: int, parts: Sequence[Part]) -> FloatArray:
    """Build the table (points, repetitions) of one series over all points; missing values come last."""
    rows = np.concatenate([np.repeat(rows, values.shape[1]) for rows, values in parts])
    values = np.concatenate([values.ravel() for _, values in parts])
    known = ~np.isnan(values)
    order = np.argsort(rows[known], kind="stable")
    rows, values = rows[known][order], values[known][order]
    columns = np.arange(len(rows)) - np.searchsorted(rows, rows)
    table = np.full((count, int(columns.max(initial=0)) + 1), np.nan)
    table[rows, columns] = values
    return table


def _origins(campaigns: Sequence[Campaign], places: Sequence[Rows], count: int) -> Origins | None:
    """Return the origins of all runs, `UNKNOWN` for runs of a campaign without origins."""
    if not any(each.origins for each in campaigns):
        return None
    known: dict[Origin, int] = {}
    parts: list[list[Rows]] = [[] for _ in range(count)]
    for each, rows in zip(campaigns, places, strict=True):
        for row, labels in zip(rows.tolist(), _labels(each, known), strict=True):
            parts[row].append(labels[labels != NO_RUN])
    return Origins(tuple(known), padded([np.concatenate(row) for row in parts]))


def _labels(campaign: Campaign, known: dict[Origin, int]) -> Rows:
    """Return the labels of a campaign's runs in the list of all origins, adding new origins."""
    if campaign.origins is None:
        counts = run_counts(list(campaign.series.values()))
        return padded([np.full(count, UNKNOWN) for count in counts.tolist()])
    numbers = [known.setdefault(origin, len(known)) for origin in campaign.origins.known]
    labels = campaign.origins.labels
    return np.where(labels >= 0, np.array([*numbers, 0])[labels], labels)


def _check(campaigns: Sequence[Campaign], points: int, limits: Limits) -> None:
    """Refuse more names or points than a single file may have, before any table is made."""
    keys = {key for each in campaigns for key in each.series}
    _check_sizes(
        {
            "points": (points, limits.points),
            "kernels": (len({kernel for kernel, _ in keys}), limits.kernels),
            "metrics": (len({metric for _, metric in keys}), limits.metrics),
            "series": (len(keys), limits.series),
            "values": (points * len(keys), limits.values),
        }
    )


def _check_tables(merged: Campaign, limits: Limits) -> None:
    widths = [values.shape[1] for values in merged.series.values()]
    _check_sizes(
        {
            "repetitions": (max(widths), limits.repetitions),
            "values": (len(merged.points) * sum(widths), limits.values),
        }
    )


def _check_sizes(sizes: Mapping[str, tuple[int, int]]) -> None:
    for name, (found, most) in sizes.items():
        if found > most:
            raise FormatError(
                f"{found} {name} in the campaign together with this file", f"at most {most} {name}"
            )
