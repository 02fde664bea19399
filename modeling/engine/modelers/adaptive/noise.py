"""Estimate the width of the noise of kernels, assumed to be uniform around the true values.

The published heuristic (`repetitions.noise`) takes the range of all repetitions' relative deviations from the
means of their points. This range exceeds the true width: by 12 percentage points with 125 points and a width
of 50 %.

Here the range of each point's repetitions is divided by the middle of the smallest and the largest one. The
largest ratio of all points is divided by its expected value for noise of width 1. With 5 points of 5
repetitions and widths of 50, 75 and 100 %, the error of this estimate is 3.7, 5.6 and 7.4 percentage points.
The median of the width's posterior would have errors of 3.5, 5.2 and 6.6. Residuals of a fitted law would
have errors of 6 to 15 (`tests/benchmarks/noise_estimates.py`).
"""

from functools import cache

import numpy as np

from modeling.engine.measured.repetitions import runs_first
from modeling.engine.validation import FloatArray

STEPS = 2000
"""The number of steps of the integral in `expected_largest_range`, which is then exact to four digits."""


def noise_width(values: FloatArray) -> FloatArray:
    """Estimate the full width of uniform noise of K kernels as a fraction, (K,); NaN without repetitions.
    `values` (K, P, R) has R repetitions at P points, NaN where missing. Every point of a kernel counts as
    having the kernel's mean number of repetitions.
    """
    runs = runs_first(values)
    low, high = np.fmin.reduce(runs, axis=0), np.fmax.reduce(runs, axis=0)
    counts = np.sum(~np.isnan(runs), axis=0)
    repeated = (counts > 1) & (high + low > 0)
    ratio = np.divide(2 * (high - low), high + low, out=np.zeros(low.shape), where=repeated)
    points = repeated.sum(axis=0)
    repetitions = np.rint((counts * repeated).sum(axis=0) / np.maximum(points, 1)).astype(int)
    pairs, which = np.unique(np.stack([points, repetitions], axis=1), axis=0, return_inverse=True)
    expected = np.array([expected_largest_range(*pair) for pair in pairs.tolist()])[which.reshape(-1)]
    return np.where(points > 0, ratio.max(axis=0) / expected, np.nan)


@cache
def expected_largest_range(points: int, repetitions: int) -> float:
    """Return the expected largest range among `points` sets of `repetitions` numbers, uniform over [0, 1].
    The range of R numbers is at most w with the probability F = R·w^(R−1) − (R−1)·w^R. So the largest of P
    ranges has the mean ∫ (1 − F^P) dw.
    """
    repetitions = max(repetitions, 2)
    w = (np.arange(STEPS) + 0.5) / STEPS
    below = repetitions * w ** (repetitions - 1) - (repetitions - 1) * w**repetitions
    return float(np.mean(1 - below ** max(points, 1)))
