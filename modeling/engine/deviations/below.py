"""Deviations from a law at small parameter values, where overheads dominate.

Laws are fitted near the largest parameter values. At small values, a measured value may be many times the
law. There, predictions follow the measured values. They approach the law as the parameters grow.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from modeling.engine.deviations.processes import Kind
from modeling.engine.measured.near_points import near_points
from modeling.engine.validation import FloatArray, IntArray

CARRIED_LENGTH = 2.0
"""Length, in log x, over which deviations at small values are interpolated: a factor of 7 in x."""

OWN_DEVIATION = 0.01
"""Standard deviation of a point's independent deviation, relative to the smooth deviation."""


@dataclass(frozen=True)
class Below:
    """The measured points of a kernel at small parameter values, which are not `near_points`.

    A new point is at small values if one of its parameters is smaller than at all near points.
    """

    points: FloatArray  # (N, m) logarithms of all measured points
    rows: IntArray  # indices of the points at small values
    least: FloatArray  # (m,) logarithms of the smallest parameter values of the near points

    @classmethod
    def of(cls, points: FloatArray) -> "Below | None":
        """Return the points at small values among N points with the logarithms (N, m); None without any."""
        return _below(points.tobytes(), len(points))

    @cached_property
    def _inverse(self) -> FloatArray:
        """Inverse of the covariance of the points' deviations. The smooth part has variance 1."""
        own = OWN_DEVIATION**2 * np.eye(len(self.points))
        return np.asarray(np.linalg.inv(_smooth(self.points, self.points) + own))

    def holds(self, at: FloatArray) -> bool:
        """Return whether a point with the logarithms (m,) is at small values."""
        return bool((at < self.least).any())

    def at(self, one: FloatArray, unusual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation of additional deviations at a point, (k, S) each.

        A parameter beyond its measured range is replaced by the end of the range, so overheads stay constant.

        Args:
            one: (m,) logarithms of the point.
            unusual: (k, S, N) unexplained deviations of S draws of k kernels at N measured points.
        """
        inside = np.clip(one, self.points.min(axis=0), self.points.max(axis=0))
        beside = _smooth(self.points, inside[None])[:, 0]
        weights = self._inverse @ beside
        size = np.sqrt(unusual**2 @ beside / beside.sum())
        return unusual @ weights, size * np.sqrt(max(1 - float(weights @ beside), 0.0))


@lru_cache(maxsize=32)  # a kernel is often asked several times, and many kernels have the same points
def _below(points: bytes, count: int) -> Below | None:
    """Return `Below.of` for `count` points."""
    at = np.frombuffer(points).reshape(count, -1)
    near = near_points(np.exp(at), np.ones(count, dtype=bool))
    rows = np.setdiff1d(np.arange(count), near)
    return Below(at, rows, at[near].min(axis=0)) if len(rows) else None


def _smooth(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the correlations between two sets of points, given as logarithms."""
    return Kind(tuple(range(one.shape[1])), CARRIED_LENGTH, together=True).covariance(one, other)
