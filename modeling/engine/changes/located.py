"""Reduce repetitions to locations, and choose the kind of location that suits two campaigns."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from modeling.engine.changes.locations import Located, Location, Place
from modeling.engine.changes.outermost import ENDS
from modeling.engine.changes.repetitions import Ordered, ordered
from modeling.engine.changes.widths import learned_widths, midrange_variance
from modeling.engine.validation import FloatArray

LEAST_GAIN = 0.8
"""Another location replaces the middle half if its variance is less than this multiple of the middle half's.
With 0.7, four repetitions with exponential noise would keep the middle half, although the floor is better.
"""

SHARP_ENDS = 1.05
"""Largest `Location.scale` for midranges. It is 1 for uniform noise, at least 1.07 for log-normal noise."""

LEAST_REPETITIONS = 4
"""Fewest repetitions that can show which noise a point has."""


def located(values: FloatArray, location: Location) -> Located:
    """Return the locations of R repetitions of K kernels at C points (K, C, R)."""
    return placed(ordered(values), location)


def placed(repetitions: Ordered, location: Location) -> Located:
    """Return the locations of repetitions, given the result of `ordered`."""
    if location.place == Place.MIDDLE:
        return repetitions.middle.scaled(location.scale)
    found = ENDS[location.place](repetitions, location.scale).located(location.scale)
    if location.place == Place.MIDRANGE:
        known = np.ones_like(found.location)
        variance = midrange_variance(_ranges(repetitions), repetitions.count, location.widths)
        return Located(found.location, location.scale**2 * variance, known, known)
    return found


def best_location(sides: Sequence[tuple[Ordered, Ordered]], kernels: int) -> Location:
    """Return the location with the smallest variance of log ratios over the first kernels.

    Variances are compared kernel by kernel, so a few kernels with much noise do not determine the choice.

    Args:
        sides: repetitions before and after, of some kernels each.
        kernels: the number of the first kernels; all others are ignored.
    """
    sides = _first(sides, kernels)
    best, least = Location(scale=_scale_of_middle(sides)), LEAST_GAIN
    for kind in ENDS if _many_repetitions(sides) else ():
        each = [side for pair in sides for side in pair]
        location = Location(kind, _scale(kind, each))
        if kind == Place.MIDRANGE:
            if location.scale > SHARP_ENDS:
                continue
            learned = learned_widths([(_ranges(side), side.count) for side in each])
            location = replace(location, widths=learned)
        gains = np.concatenate([_gains(pair, location) for pair in sides])
        if len(gains) and gains.mean() < least:
            best, least = location, float(gains.mean())
    return best


def _scale_of_middle(sides: Sequence[tuple[Ordered, Ordered]]) -> float:
    """Return the scale of the middle half: the mean over all points of `Ordered.relative`, at most 1."""
    errors = np.concatenate([side.relative.ravel() for pair in sides for side in pair] or [np.zeros(0)])
    known = errors[~np.isnan(errors)]
    return min(1.0, float(known.mean())) if len(known) else 1.0


def _many_repetitions(sides: Sequence[tuple[Ordered, Ordered]]) -> bool:
    """Return whether most points have at least `LEAST_REPETITIONS` repetitions."""
    enough = [(side.count >= LEAST_REPETITIONS).ravel() for pair in sides for side in pair]
    joined = np.concatenate(enough) if enough else np.zeros(0)
    return bool(2 * joined.sum() > len(joined))


def _first(sides: Sequence[tuple[Ordered, Ordered]], kernels: int) -> list[tuple[Ordered, Ordered]]:
    found = []
    for old, new in sides:
        found.append((old.first(max(kernels, 0)), new.first(max(kernels, 0))))
        kernels -= len(old.count)
    return found


def _scale(kind: Place, sides: Sequence[Ordered]) -> float:
    """Return the scale of a kind of location: the kernels' mean ratio of gap to spread."""
    steepness = zip(*(ENDS[kind](side, 1.0).steepness() for side in sides), strict=True)
    means = [joined.mean() if len(joined) else 1.0 for joined in map(np.concatenate, steepness)]
    return float(np.sqrt(np.mean(np.square(means))))


def _gains(pair: tuple[Ordered, Ordered], location: Location) -> FloatArray:
    """Return the variances of log ratios with a location, relative to those with the middle half."""
    middle, other = (
        np.sum([np.where(side.usable, placed(side, each).noise, 0.0).sum(axis=1) for side in pair], axis=0)
        for each in (Location(), location)
    )
    known = middle > 0
    return np.asarray(other[known] / middle[known])


def _ranges(of: Ordered) -> FloatArray:
    """Return the ranges of the repetitions, relative to their midranges; 0 if unknown."""
    return np.asarray(np.where(of.usable, 2 * (of.largest - of.smallest) / (of.largest + of.smallest), 0.0))
