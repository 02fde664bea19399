"""The part of the parameter space in which each kernel was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.measured.layout import patterns
from modeling.engine.measured.relations import Relations, relations
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Place:
    """Where the kernels with the same points were measured: the range (m,) of each parameter, and the
    parameters that were varied together only.
    """

    lower: FloatArray
    upper: FloatArray
    relations: Relations

    @classmethod
    def of(cls, points: FloatArray, whole: Relations, first: int) -> "Place":
        """Return the place of points (P, m) of a campaign, whose relations at all points are `whole`.

        `first` is the index of the parameter that is not bound to others.
        """
        lower, upper = points.min(axis=0), points.max(axis=0)
        own = whole
        # A parameter with a single value at these points is modelled, as the campaign varied it.
        varied = np.flatnonzero(~whole.bound & (lower < upper))
        if len(varied) > 1:
            found = relations(points[:, varied], int(np.searchsorted(varied, first)))
            if found.bound.any():
                own = whole.among(_spread(found, varied, len(lower)))
        return cls(lower, upper, own)


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
        whole = relations(points, first)
        places = [Place(points.min(axis=0), points.max(axis=0), whole)]
        of = np.zeros(len(there), dtype=int)
        for pattern, kernels in patterns(there.T):
            if not pattern.all():
                of[kernels] = len(places)
                places.append(Place.of(points[pattern], whole, first))
        return cls(tuple(places), of)

    def by_place(self) -> Iterator[tuple[Place, IntArray]]:
        """Yield the places with the indices of their kernels."""
        for number in np.unique(self.of).tolist():
            yield self.places[number], np.flatnonzero(self.of == number)

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

    def leads(self, of_parameters: FloatArray) -> FloatArray:
        """Return numbers (K, m) in which each bound parameter has the smallest of those that determine it."""
        found = of_parameters.copy()
        for place, kernels in self.by_place():
            for at in np.flatnonzero(place.relations.together):
                others = np.flatnonzero(place.relations.power[at])
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


def _spread(found: Relations, parameters: IntArray, count: int) -> Relations:
    """Return relations of some parameters, by index, as relations of all `count` parameters."""
    bound, offset, tolerance = np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count)
    power = np.eye(count)
    bound[parameters], offset[parameters] = found.bound, found.offset
    tolerance[parameters] = found.tolerance
    power[np.ix_(parameters, parameters)] = found.power
    return Relations(bound, power, offset, tolerance)
