"""Deviations from a law at small parameter values, where overheads dominate.

Laws and processes are determined by the largest values. At small values, a kernel may differ by factors from
their predictions: a call may take at least 500 ns although the law is 0.4 ns per element. So predictions at
small values follow the measured values, and gradually approach the law towards larger ones.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.deviations.processes import Kind
from modeling.engine.measured.near_points import near_points
from modeling.engine.validation import FloatArray, IntArray

CARRIED_LENGTH = 2.0
"""Length, in log x, of the process that interpolates deviations at small values between points: a factor of 7
in x.
"""

OWN_DEVIATION = 0.01
"""Standard deviation of the independent part of each point's deviation, relative to the whole deviation.
It is nearly 0, so that predictions pass through the points.
"""


@dataclass(frozen=True)
class Below:
    """The measured points at small values, out of points with logarithms (N, m).

    `rows` are the indices of these points. A point belongs to the small values if any parameter is less than
    `least` (m,).
    """

    points: FloatArray
    rows: IntArray
    least: FloatArray

    @classmethod
    def of(cls, points: FloatArray) -> "Below | None":
        """Return the points at small values of a kernel measured at points with logarithms (N, m), or None if
        there are none.
        """
        near = near_points(np.exp(points), np.ones(len(points), dtype=bool))
        rows = np.setdiff1d(np.arange(len(points)), near)
        if not len(rows):
            return None
        return cls(points, rows, points[near].min(axis=0))

    @cached_property
    def _inverse(self) -> FloatArray:
        """Return the inverse of the covariance of all measured points, (N, N)."""
        own = OWN_DEVIATION**2 * np.eye(len(self.points))
        return np.asarray(np.linalg.inv(_smooth(self.points, self.points) + own))

    def holds(self, at: FloatArray) -> bool:
        """Return whether a point with logarithms (m,) belongs to the small values."""
        return bool((at < self.least).any())

    def at(self, one: FloatArray, unusual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and standard deviation, (k, S) each, of the additional deviation of draws at a
        point (m,).

        `unusual` (k, S, N) is the part of the deviations at the measured points that the draws' processes do
        not predict. Beyond the measured range of a parameter, the deviation at the end of the range is used,
        because an overhead at small messages also exists with more processes than were measured.
        """
        inside = np.clip(one, self.points.min(axis=0), self.points.max(axis=0))
        beside = _smooth(self.points, inside[None])[:, 0]
        weights = self._inverse @ beside
        size = np.sqrt(unusual**2 @ beside / beside.sum())
        return unusual @ weights, size * np.sqrt(max(1 - float(weights @ beside), 0.0))


def _smooth(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the correlation between points (N, m) and (M, m), (N, M)."""
    return Kind(tuple(range(one.shape[1])), CARRIED_LENGTH, together=True).covariance(one, other)
