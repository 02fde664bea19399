"""The common base of modelers that find one term per parameter and join the terms
(docs/methods.md#joining-parameters, Calotoiu et al. 2016).
"""

from abc import ABC, abstractmethod

import numpy as np

from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate
from modeling.engine.measured.layout import axes
from modeling.engine.measured.observations import Observations, observe
from modeling.engine.measured.repetitions import AGGREGATES
from modeling.engine.modelers.assessment import assess, holdout_error
from modeling.engine.modelers.combination import BestTerms, joined_exponents
from modeling.engine.results.common import Common
from modeling.engine.results.models import Models
from modeling.engine.validation import BoolArray, FloatArray

CACHE_FLOATS = 250_000
"""The largest number of elements of one temporary array, which fits into the processor's cache."""


class TermModeler(ABC):
    """Models kernels by the best term of each parameter, which a subclass finds.

    Args:
        points: the values of m parameters at P points, (P, m).
        aggregate: "mean", "median" or "minimum" of a point's repetitions.
        any_sign: whether lead terms may be subtracted.
        terms_at_once: the largest number of terms of one parameter that a subclass has in one array.
    """

    def __init__(self, points: FloatArray, *, aggregate: str, any_sign: bool, terms_at_once: int) -> None:
        if aggregate not in AGGREGATES:
            raise ValueError(f"aggregate: found {aggregate!r}, expected one of {', '.join(AGGREGATES)}")
        self.points = points
        self.aggregate = aggregate
        self.any_sign = any_sign
        self.terms_at_once = terms_at_once
        self.axes = axes(points)
        self.varied = [axis for axis in self.axes if len(axis.x) > 1] or self.axes

    @property
    def kernels_at_once(self) -> int:
        """The number of kernels whose temporary arrays fit into the processor's cache."""
        longest = max(len(axis.x) for axis in self.axes)
        return max(16, CACHE_FLOATS // max(longest * self.terms_at_once, self.points.size))

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model K kernels from R repetitions at P points, (K, P, R). `common` is not used."""
        observations = observe(self.points, values, self.aggregate)
        held_out = observations.without_largest()
        return assess(
            observations,
            self.select(observations),
            holdout_error=holdout_error(observations, held_out, self.select(held_out)),
            value_counts=np.stack([axis.value_counts(observations.w) for axis in self.varied]),
        )

    @abstractmethod
    def _best_pairs(self, parameter: int, y: FloatArray, w: FloatArray) -> FloatArray:
        """Return the exponents of each kernel's best term of one parameter; (0, 0) for a constant."""

    def select(self, observations: Observations) -> FloatArray:
        """Return the exponents of K kernels' laws with m terms of m parameters, (K, m, m, 2), 0 for unused
        ones.
        """
        pairs = np.stack(
            [
                self._best_pairs(parameter, *axis.average(observations.y, observations.w))
                for parameter, axis in enumerate(self.axes)
            ]
        )
        if len(pairs) == 1:
            return np.asarray(pairs.swapaxes(0, 1)[:, None])
        return joined_exponents(self._factors(pairs), pairs, observations, self.any_sign)

    def _factors(self, pairs: FloatArray) -> BestTerms:
        """Return the terms with the exponents `pairs`, evaluated at the points and far from the data."""
        each = list(zip(pairs[:, :, None], self.points.T[:, :, None], strict=True))
        return BestTerms(
            active=(pairs != 0).any(axis=2),
            falls=np.asarray((pairs < 0).any(axis=2)),
            here=np.stack([evaluate(own, x).T for own, x in each]),
            far=np.stack([evaluate(own, LEAD_MULTIPLE * x.max(keepdims=True))[:, 0] for own, x in each]),
        )


def falls(x: FloatArray, y: FloatArray, w: FloatArray) -> BoolArray:
    """Return whether series of K kernels, `y` (X, K), fall as the logarithm of X values grows, (K,). `w` is 1
    where there is a value, and 0 elsewhere.
    """
    position = np.log(x)[:, None] * w
    centred = position - w * (position.sum(axis=0) / np.maximum(w.sum(axis=0), 1))
    return np.asarray((centred * y).sum(axis=0) < 0)
