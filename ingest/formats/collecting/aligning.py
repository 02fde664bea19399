"""Renames and converts the metrics of a campaign that was read.

`time [s]` is converted if `time` is known in ms. `time_s` becomes `time_ms` if only that name is known. Or
metrics become kernels of one metric.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign, FloatArray, Key
from ingest.formats.campaign.names import DEFAULT_KERNEL, SEPARATOR
from ingest.formats.campaign.units import factor, seconds_in
from ingest.formats.collecting.entries import level_of

NAMED_UNIT = re.compile(r"(?P<quantity>.*\w)[ _.-](?P<unit>[a-zµμ]{1,12})", re.IGNORECASE)
"""Matches a name that ends with a unit: time_ms."""


def aligned(campaign: Campaign, known: Mapping[str, str]) -> Campaign:
    """Return a campaign with its metrics in known names and units, and with a note for each change.

    A metric without a unit keeps its values, as does one whose unit is of another kind.

    Args:
        known: name of a metric → its unit, or "".
    """
    own = dict.fromkeys(metric for _, metric in campaign.series)
    changed, notes, units = dict[str, tuple[str, float]](), list[str](), dict(campaign.units)
    for name in own:
        into, size, note = _target(name, campaign.units.get(name, ""), known, own)
        notes += [note] if note else []
        if (into, size) != (name, 1.0):
            changed[name] = into, size
            units[into] = known[into]
            if into != name:
                units.pop(name, None)
    if not notes:
        return campaign
    return replace(
        campaign,
        series=_converted(campaign.series, changed),
        rounds=_converted(campaign.rounds, changed),
        units={name: unit for name, unit in units.items() if unit},
        notes=(*campaign.notes, *notes),
    )


def _converted(
    series: Mapping[Key, FloatArray], changed: Mapping[str, tuple[str, float]]
) -> Mapping[Key, FloatArray]:
    """Return series with the new names of their metrics, and values by these factors larger."""
    targets = ((key, changed.get(key[1], (key[1], 1.0))) for key in series)
    return _Converted(series, {(key[0], into): (key, size) for key, (into, size) in targets})


def _target(
    name: str, unit: str, known: Mapping[str, str], own: Mapping[str, None]
) -> tuple[str, float, str]:
    """Return the name that a metric should have, the factor for its values, and a note, or ""."""
    into = known.get(name)
    if into is None:
        return _other_name(name, known, own)
    if not unit or not into:
        return name, 1.0, ""
    size = factor(unit, into)
    if size is None:
        return name, 1.0, f"{name} is in {unit} here, but in {into} elsewhere; its values were not converted"
    return name, size, "" if size == 1.0 else f"{name}: values in {unit} were converted to {into}"


def _other_name(name: str, known: Mapping[str, str], own: Mapping[str, None]) -> tuple[str, float, str]:
    """Return what `_target` returns for a metric with a new name, perhaps with another unit of time in it."""
    quantity, seconds = _timed(name)
    others = [(other, _timed(other)) for other in known if seconds and other not in own]
    same = [(other, of[1]) for other, of in others if of[0] == quantity and of[1]]
    if not seconds or len(same) != 1:
        return name, 1.0, ""
    ((other, length),) = same
    return other, seconds / length, f"{name} was converted to {other}, the name of this metric elsewhere"


def _timed(name: str) -> tuple[str, float]:
    """Return what a name with a unit of time means, and the unit in seconds, 0 for other names."""
    found = NAMED_UNIT.fullmatch(name[:200])
    seconds = seconds_in(found["unit"]) if found else None
    return (found["quantity"].lower(), seconds) if found and seconds else (name, 0.0)


def metrics_as_kernels(campaign: Campaign, metric: str) -> Campaign:
    """Return a campaign whose metrics have become kernels of a single metric."""

    def renamed(series: Mapping[Key, FloatArray]) -> Mapping[Key, FloatArray]:
        return _Converted(series, {_as_kernel(key, metric): (key, 1.0) for key in series})

    units = set(campaign.units.values())
    kept = {metric: units.pop()} if len(units) == 1 else {}
    return replace(campaign, series=renamed(campaign.series), rounds=renamed(campaign.rounds), units=kept)


def _as_kernel(key: Key, metric: str) -> Key:
    kernel, name = key
    level = level_of(name)
    return (level if kernel == DEFAULT_KERNEL else f"{kernel}{SEPARATOR}{level}"), metric


class _Converted(Mapping[Key, FloatArray]):
    """Series with other names and values, which are computed when they are read."""

    def __init__(self, of: Mapping[Key, FloatArray], keys: Mapping[Key, tuple[Key, float]]) -> None:
        self._of, self._keys = of, keys

    def __getitem__(self, key: Key) -> FloatArray:
        own, size = self._keys[key]
        return self._of[own] if size == 1.0 else self._of[own] * size

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
