"""How kernels deviate at points below those that tell how they go on, where overheads reign.

Laws and processes are told by the largest values. At small ones a kernel may lie off its law by factors
that no process of its own foretells: a call that costs 500 ns whatever is asked of it, beside a law of
0.4 ns an element. Predictions follow what was measured there, and go over to the law where it begins to hold.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.deviations.processes import Kind
from modeling.engine.measured.near_points import near_points
from modeling.engine.validation import FloatArray, IntArray

CARRIED_LENGTH = 2.0
"""Over which what is measured there is carried on between points, in units of log x: a factor of 7."""

OWN_DEVIATION = 0.01
"""Standard deviation of what is a point's own there, in units of what kernels deviate: nearly nothing."""


@dataclass(frozen=True)
class Below:
    """Measured points, as logarithms (N, m): those below are `rows`, by number, and whatever has less than
    `least` (m,) of any parameter lies there."""

    points: FloatArray
    rows: IntArray
    least: FloatArray

    @classmethod
    def of(cls, points: FloatArray) -> "Below | None":
        """Those of a kernel that was measured at points with logarithms (N, m), if there are any."""
        near = near_points(np.exp(points), np.ones(len(points), dtype=bool))
        rows = np.setdiff1d(np.arange(len(points)), near)
        if not len(rows):
            return None
        return cls(points, rows, points[near].min(axis=0))

    @cached_property
    def _inverse(self) -> FloatArray:
        """Of the points' covariance, (N, N)."""
        own = OWN_DEVIATION**2 * np.eye(len(self.points))
        return np.asarray(np.linalg.inv(_smooth(self.points, self.points) + own))

    def holds(self, at: FloatArray) -> bool:
        """Whether a point with logarithms (m,) lies there."""
        return bool((at < self.least).any())

    def at(self, one: FloatArray, unusual: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What draws deviate more at a point (m,), and the standard deviation of that, (k, S) each.

        By how much more than their processes foretell they deviate at the points, (k, S, N).
        """
        beside = _smooth(self.points, one[None])[:, 0]
        weights = self._inverse @ beside
        size = np.sqrt(unusual**2 @ beside / beside.sum())
        return unusual @ weights, size * np.sqrt(max(1 - float(weights @ beside), 0.0))


def _smooth(one: FloatArray, other: FloatArray) -> FloatArray:
    """Correlation between points (N, m) and (M, m), (N, M)."""
    return Kind(tuple(range(one.shape[1])), CARRIED_LENGTH, together=True).covariance(one, other)
