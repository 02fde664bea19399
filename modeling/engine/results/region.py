"""The region of the parameter space in which each kernel was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.joining import put_together
from modeling.engine.measured.relations import ROUNDING, Relations, relations
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Place:
    """The region of kernels with the same measured points.

    Each of m parameters ranges from `lower` (m,) to `upper` (m,), with `relations` between parameters.
    """

    lower: FloatArray
    upper: FloatArray
    relations: Relations


@dataclass(frozen=True)
class Region:
    """The regions of K kernels. Kernel k has the region `places[of[k]]`."""

    places: tuple[Place, ...]
    of: IntArray  # (K,)

    @classmethod
    def measured(cls, points: FloatArray, there: BoolArray, first: int = 0) -> "Region":
        """Return the regions of K kernels measured at the points (P, m) marked in `there` (K, P).

        Kernels without points count as measured at all points. Parameter `first` is never bound to others.
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
        """Return the regions of `count` kernels measured everywhere between `lower` and `upper` (m,)."""
        place = Place(lower, upper, relations(np.stack([lower, upper])))
        return cls((place,), np.zeros(count, dtype=int))

    def bound_places(self) -> Iterator[tuple[Relations, IntArray]]:
        """Yield each set of relations between parameters, and the indices of its kernels."""
        for number in np.unique(self.of[self.together.any(axis=1)]).tolist():
            yield self.places[number].relations, np.flatnonzero(self.of == number)

    def part(self, kernels: IntArray) -> "Region":
        """Return the regions of these kernels."""
        return Region(self.places, self.of[kernels])

    @cached_property
    def lower(self) -> FloatArray:
        """Smallest measured value of each parameter for each kernel, (K, m)."""
        return np.array([place.lower for place in self.places])[self.of]

    @cached_property
    def upper(self) -> FloatArray:
        """Largest measured value of each parameter for each kernel, (K, m)."""
        return np.array([place.upper for place in self.places])[self.of]

    @cached_property
    def bound(self) -> BoolArray:
        """Whether each parameter is bound to others or has a single value in the campaign, (K, m)."""
        return np.array([place.relations.bound for place in self.places])[self.of]

    @cached_property
    def together(self) -> BoolArray:
        """Whether each parameter is bound to others, (K, m)."""
        return np.array([place.relations.together for place in self.places])[self.of]

    @cached_property
    def power(self) -> FloatArray:
        """Powers of the relations of each kernel, (K, m, m), see `Relations.power`."""
        return np.array([place.relations.power for place in self.places])[self.of]

    def broken(self, points: FloatArray) -> BoolArray:
        """Return which bound parameters of K kernels break their relations at Q points (Q, m), (K, Q, m)."""
        return np.array([place.relations.broken(points) for place in self.places])[self.of]

    def lifted(self, parameters: IntArray, lower: FloatArray, upper: FloatArray) -> "Region":
        """Extend these regions of some parameters to all m parameters of a campaign.

        Added parameters are bound only if they have a single value.

        Args:
            parameters: indices of these parameters among all m.
            lower: (m,) smallest values of all parameters in the campaign.
            upper: (m,) largest values of all parameters in the campaign.
        """
        single = relations(np.stack([lower, upper]))
        places = []
        for place in self.places:
            ends = lower.copy(), upper.copy()
            ends[0][parameters], ends[1][parameters] = place.lower, place.upper
            places.append(Place(*ends, single.among(_spread(place.relations, parameters, len(lower)))))
        return Region(tuple(places), self.of)

    def with_bound(self, of_parameters: FloatArray) -> FloatArray:
        """Replace each bound parameter's number by the smallest number of the parameters that determine it.

        `of_parameters` (K, m) has one number for each of K kernels and m parameters.
        """
        found = of_parameters.copy()
        for known, kernels in self.bound_places():
            for at in np.flatnonzero(known.together):
                others = np.flatnonzero(known.power[at])
                found[kernels, at] = of_parameters[np.ix_(kernels, others)].min(axis=1)
        return found


def join_regions(parts: Sequence[Region], kernels: Sequence[IntArray]) -> Region:
    """Join the regions of several groups of kernels, whose indices among all are `kernels`."""
    if all(part.places is parts[0].places for part in parts):
        return Region(parts[0].places, put_together([part.of for part in parts], kernels))
    begins = np.cumsum([0, *(len(part.places) for part in parts)])[:-1]
    places = tuple(place for part in parts for place in part.places)
    of = [part.of + begin for part, begin in zip(parts, begins, strict=True)]
    return Region(places, put_together(of, kernels))


def _may_be_bound(points: FloatArray, distinct: BoolArray) -> BoolArray:
    """Return whether any parameter may be bound at the points marked in each row of `distinct`."""
    logs = np.log(points[:, np.ptp(points, axis=0) > 0])
    if logs.shape[1] < 2:
        return np.zeros(len(distinct), dtype=bool)
    weights = distinct / distinct.sum(axis=1, keepdims=True)
    mean, products = weights @ logs, logs[:, :, None] * logs[:, None]
    of_products = (weights @ products.reshape(len(logs), -1)).reshape(-1, *products.shape[1:])
    variance = of_products - mean[:, :, None] * mean[:, None]
    return np.asarray(np.linalg.eigvalsh(variance)[:, 0] <= ROUNDING**2)


def _relations(points: FloatArray, whole: Relations, first: int) -> Relations:
    """Return the relations at some points of a campaign. Those of `whole` hold at all its points."""
    varied = np.flatnonzero(~whole.bound & (np.ptp(points, axis=0) > 0))
    if len(varied) < 2:
        return whole
    found = relations(points[:, varied], int(np.searchsorted(varied, first)))
    return whole.among(_spread(found, varied, points.shape[1])) if found.bound.any() else whole


def _spread(found: Relations, parameters: IntArray, count: int) -> Relations:
    bound, offset, tolerance = np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count)
    power = np.eye(count)
    bound[parameters], offset[parameters] = found.bound, found.offset
    tolerance[parameters] = found.tolerance
    power[np.ix_(parameters, parameters)] = found.power
    return Relations(bound, power, offset, tolerance)
