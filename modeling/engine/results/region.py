"""The part of the parameter space in which each kernel was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.measured.relations import ROUNDING, Relations, relations
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Place:
    """Where the kernels with the same points were measured: the range (m,) of each parameter, and the
    parameters that were varied together only.
    """

    lower: FloatArray
    upper: FloatArray
    relations: Relations


@dataclass(frozen=True)
class Region:
    """The places where K kernels were measured; kernel k was measured in `places[of[k]]`."""

    places: tuple[Place, ...]
    of: IntArray  # (K,)

    @classmethod
    def measured(cls, points: FloatArray, there: BoolArray, first: int = 0) -> "Region":
        """Return where kernels were measured among points (P, m), by the marks `there` (K, P).

        Kernels without any point count as measured everywhere. The parameter of index `first` is not bound to
        others.
        """
        lower, upper, whole = points.min(axis=0), points.max(axis=0), relations(points, first)
        if there.all():
            return cls((Place(lower, upper, whole),), np.zeros(len(there), dtype=int))
        distinct, of = np.unique(there | ~there.any(axis=1, keepdims=True), axis=0, return_inverse=True)
        ends = (
            np.where(distinct[..., None], points, np.inf).min(axis=1),
            np.where(distinct[..., None], points, -np.inf).max(axis=1),
        )
        further = ~distinct.all(axis=1) & _may_be_bound(points, distinct)
        places = [
            Place(low, high, _relations(points[some], whole, first) if maybe else whole)
            for low, high, some, maybe in zip(*ends, distinct, further, strict=True)
        ]
        return cls(tuple(places), of.ravel())

    @classmethod
    def everywhere(cls, lower: FloatArray, upper: FloatArray, count: int) -> "Region":
        """Return the region of `count` kernels that were measured between these ends (m,) of each parameter,
        all of which were varied freely.
        """
        place = Place(lower, upper, relations(np.stack([lower, upper])))
        return cls((place,), np.zeros(count, dtype=int))

    def bound_places(self) -> Iterator[tuple[Relations, IntArray]]:
        """Yield the relations of places at which parameters followed from others, with the indices of the
        kernels there.
        """
        for number in np.unique(self.of[self.together.any(axis=1)]).tolist():
            yield self.places[number].relations, np.flatnonzero(self.of == number)

    def part(self, kernels: IntArray) -> "Region":
        """Return only these kernels."""
        return Region(self.places, self.of[kernels])

    @cached_property
    def lower(self) -> FloatArray:
        """Return the smallest value of each parameter at which each kernel was measured, (K, m)."""
        return np.array([place.lower for place in self.places])[self.of]

    @cached_property
    def upper(self) -> FloatArray:
        """Return the largest value of each parameter at which each kernel was measured, (K, m)."""
        return np.array([place.upper for place in self.places])[self.of]

    @cached_property
    def bound(self) -> BoolArray:
        """Return which parameters follow from others, or have a single value in the campaign, (K, m)."""
        return np.array([place.relations.bound for place in self.places])[self.of]

    @cached_property
    def together(self) -> BoolArray:
        """Return which parameters were varied, but always followed from others, (K, m)."""
        return np.array([place.relations.together for place in self.places])[self.of]

    @cached_property
    def power(self) -> FloatArray:
        """Return the powers with which each parameter follows from others, (K, m, m)."""
        return np.array([place.relations.power for place in self.places])[self.of]

    def broken(self, points: FloatArray) -> BoolArray:
        """Return which parameters of points (Q, m) break a relation of each kernel, (K, Q, m)."""
        return np.array([place.relations.broken(points) for place in self.places])[self.of]

    def lifted(self, parameters: IntArray, lower: FloatArray, upper: FloatArray) -> "Region":
        """Return the region of kernels that depend only on these parameters, by index, among all parameters
        of a campaign, which have the ranges `lower` and `upper` (m,).

        How other parameters were varied does not matter, except for those with a single value.
        """
        single = relations(np.stack([lower, upper]))
        places = []
        for place in self.places:
            ends = lower.copy(), upper.copy()
            ends[0][parameters], ends[1][parameters] = place.lower, place.upper
            places.append(Place(*ends, single.among(_spread(place.relations, parameters, len(lower)))))
        return Region(tuple(places), self.of)

    def leads(self, of_parameters: FloatArray) -> FloatArray:
        """Return numbers (K, m) in which each bound parameter has the smallest of those that determine it."""
        found = of_parameters.copy()
        for known, kernels in self.bound_places():
            for at in np.flatnonzero(known.together):
                others = np.flatnonzero(known.power[at])
                found[kernels, at] = of_parameters[np.ix_(kernels, others)].min(axis=1)
        return found


def join_regions(parts: Sequence[Region]) -> Region:
    """Join the regions of several groups of kernels."""
    if all(part.places is parts[0].places for part in parts):
        return Region(parts[0].places, np.concatenate([part.of for part in parts]))
    begins = np.cumsum([0, *(len(part.places) for part in parts)])[:-1]
    places = tuple(place for part in parts for place in part.places)
    return Region(
        places, np.concatenate([part.of + begin for part, begin in zip(parts, begins, strict=True)])
    )


def _may_be_bound(points: FloatArray, distinct: BoolArray) -> BoolArray:
    """Return whether some parameters may be bound at some of the points (P, m), as marked in each row of
    `distinct` (N, P), (N,).

    If they are, the points lie near a plane, so the smallest variance of their logarithms in any direction is
    at most that of a deviation from a relation. This is a necessary condition, and much faster to check.
    """
    logs = np.log(points[:, np.ptp(points, axis=0) > 0])
    if logs.shape[1] < 2:
        return np.zeros(len(distinct), dtype=bool)
    weights = distinct / distinct.sum(axis=1, keepdims=True)
    mean, products = weights @ logs, logs[:, :, None] * logs[:, None]
    of_products = (weights @ products.reshape(len(logs), -1)).reshape(-1, *products.shape[1:])
    variance = of_products - mean[:, :, None] * mean[:, None]
    return np.asarray(np.linalg.eigvalsh(variance)[:, 0] <= ROUNDING**2)


def _relations(points: FloatArray, whole: Relations, first: int) -> Relations:
    """Return the relations that hold at some of a campaign's points (P, m).

    `whole` are the relations that hold at all points of the campaign.

    A parameter with a single value at these points is modelled, as the campaign varied it.
    """
    varied = np.flatnonzero(~whole.bound & (np.ptp(points, axis=0) > 0))
    if len(varied) < 2:
        return whole
    found = relations(points[:, varied], int(np.searchsorted(varied, first)))
    return whole.among(_spread(found, varied, points.shape[1])) if found.bound.any() else whole


def _spread(found: Relations, parameters: IntArray, count: int) -> Relations:
    """Return relations of some parameters, by index, as relations of all `count` parameters."""
    bound, offset, tolerance = np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count)
    power = np.eye(count)
    bound[parameters], offset[parameters] = found.bound, found.offset
    tolerance[parameters] = found.tolerance
    power[np.ix_(parameters, parameters)] = found.power
    return Relations(bound, power, offset, tolerance)
