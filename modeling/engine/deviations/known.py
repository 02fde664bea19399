"""The known deviations of kernels at measured points, and what follows from them at other points."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.deviations.below import Below
from modeling.engine.deviations.kriging import kriging, nearest_points
from modeling.engine.deviations.processes import COUNTED_NUGGETS, matern, processes
from modeling.engine.joining import equal_rows
from modeling.engine.validation import FloatArray, IntArray

USUAL_DEVIATIONS = 2.5
"""At small parameter values, deviations up to this many standard deviations count as chance."""

STEP_SIZE = 0.06
"""Largest standard deviation of a *step*: a jump beyond the measured range, as at the limit of a cache.
Without steps, half of the intervals narrower than 4 % miss the first value beyond the measured range in 22
public campaigns. With 0.04, intervals of 18 others contain 89 instead of 92 % of these values.
"""

STEP_OF_SIZE, STEP_OF_NUGGET = 3.0, 9.0
"""Standard deviation of a step, up to `STEP_SIZE`, relative to the size of the draw's process, and relative
to the nugget divided by the number of `spare_values`. The more values lie near the law, the smaller are
steps.

Without steps by the nugget, kernels that seem to follow a law at five values have too narrow intervals: those
of 3 campaigns with thread counts contain 71 and 80 % of the last two values, instead of 76 and 94 %.
"""

STEP_LENGTH = 0.5
"""Distance, in log x, over which a step occurs, mostly before twice the largest measured value."""

LAW_COEFFICIENTS = 2
"""Number of coefficients of most laws."""


@dataclass(frozen=True)
class Known:
    """Known deviations of k kernels with the same N points from the laws of S draws."""

    points: FloatArray  # (N, m) logarithms of the points
    residual: FloatArray  # (k, S, N) logarithms of the ratios of measured values to laws
    process: IntArray  # (k, S) as in `Deviation`
    error: FloatArray  # (k, N) relative standard errors of the values, estimated from their repetitions

    @cached_property
    def used(self) -> tuple[IntArray, FloatArray, IntArray]:
        """The U distinct pairs of a draw's process and its kernel's standard errors: the indices of the
        processes, the errors (U, N), and the index of each draw's pair. Draws without a process get process
        0.
        """
        first, which = equal_rows(self.error)
        process = np.maximum(self.process, 0)
        several = int(process.max()) + 1
        pairs, place = np.unique(which[:, None] * several + process, return_inverse=True)
        return pairs % several, self.error[first][pairs // several], place.reshape(process.shape)

    def along(self, at: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the mean and the standard deviation of each draw's deviation at each point of `at`."""
        near, (process, error, place) = nearest_points(self.points, at), self.used
        weights, deviations = kriging(process, error, self.points, near, at)
        for some, weight, deviation in zip(near, weights, deviations, strict=True):
            mean = np.einsum("ksn,ksn->ks", weight[place], self.usual[:, :, some])
            yield mean, deviation[place]

    @cached_property
    def step(self) -> FloatArray:
        """Standard deviation of each draw's step beyond the measured range. Counted values have no steps."""
        among, drawn = processes(self.points.shape[1]), np.maximum(self.process, 0)
        nugget = among.nugget[drawn]
        by_nugget = STEP_OF_NUGGET / spare_values(self.points) * nugget
        step = np.minimum(np.hypot(STEP_OF_SIZE * among.size[drawn], by_nugget), STEP_SIZE)
        return np.where(nugget <= max(COUNTED_NUGGETS), 0.0, step)

    @cached_property
    def below(self) -> Below | None:
        """Measured points at small parameter values; None if there are none."""
        return Below.of(self.points)

    @cached_property
    def usual(self) -> FloatArray:
        """Residuals. At small parameter values, they are limited to `USUAL_DEVIATIONS` standard deviations of
        the draw's process and error.
        """
        if self.below is None:
            return self.residual
        among = processes(self.points.shape[1])
        drawn = np.maximum(self.process, 0)
        found, rows = self.residual.copy(), self.below.rows
        own = np.hypot(among.size[drawn], among.nugget[drawn])[..., None]
        limit = USUAL_DEVIATIONS * np.hypot(own, self.error[:, None, rows])
        found[:, :, rows] = np.clip(found[:, :, rows], -limit, limit)
        return found

    @cached_property
    def unusual(self) -> FloatArray:
        """Deviations at small parameter values that the processes do not explain; 0 at other points."""
        nugget = processes(self.points.shape[1]).nugget[np.maximum(self.process, 0)]
        found = np.zeros_like(self.residual)
        rows = np.empty(0, np.int_) if self.below is None else self.below.rows
        for number, (mean, deviation) in zip(rows, self.along(self.points[rows]), strict=True):
            left = self.residual[:, :, number] - mean
            usual = USUAL_DEVIATIONS**2 * (nugget**2 + self.error[:, number, None] ** 2 + deviation**2)
            found[:, :, number] = left * np.maximum(1 - usual / np.maximum(left**2, usual), 0.0)
        return found


def spare_values(points: FloatArray) -> int:
    """Return by how many the values of a parameter exceed `LAW_COEFFICIENTS`, but at least 1. Of several
    parameters, the one with the most values counts. Only spare values show how far points are from the law.
    """
    values = max(len(np.unique(of_parameter)) for of_parameter in points.T)
    return max(values - LAW_COEFFICIENTS, 1)


def chance_of_step(points: FloatArray, at: FloatArray) -> float:
    """Return the share of a step at a point: 0 within the measured range, and nearly 1 far beyond."""
    beyond = np.maximum(at - points.max(axis=0), points.min(axis=0) - at)
    distance = np.maximum(beyond, 0.0).sum()
    return float(np.sqrt(1 - matern(distance / STEP_LENGTH) ** 2))
