"""Estimate the width of the noise of kernels, which is assumed to be uniform around the true values, as in
the network's examples.

The published heuristic (`repetitions.noise`) takes the range of all deviations from their points' means. With
many points this range exceeds the true width, because some means are inaccurate: with 125 points and a width
of 50 %, by 12 percentage points.

Here the width is estimated from the range of each point's repetitions, divided by their midrange. This ratio
never exceeds the true width. The largest ratio over all points is too small by a factor that is known for
uniform noise, and is corrected by it. With 5 points of 5 repetitions and widths of 50, 75 and 100 %, the
error of this estimate is 3.7, 5.6 and 7.4 percentage points. With the median of the posterior given all
points' ranges, the error would be 3.5, 5.2 and 6.6 percentage points. With the largest deviation from the
true values, which nobody knows, it would be 1.4, 2.0 and 2.8.

Residuals around a fitted law give worse estimates, because a law with wrong exponents misses some measured
point by far. In these three cases the errors are 6 to 8, 10 and 15 percentage points. Even the narrowest band
around a law whose exponents are the true ones is 2.9, 4.3 and 6.2 percentage points off: its two coefficients
follow the noise. `tests/benchmarks/noise_estimates.py` has these.
"""

from functools import cache

import numpy as np

from modeling.engine.measured.repetitions import runs_first
from modeling.engine.validation import FloatArray

STEPS = 2000
"""The number of steps of the integral over a range. With this number the integral is exact to four digits."""


def noise_width(values: FloatArray) -> FloatArray:
    """Estimate the full width of uniform noise, (K,), as a fraction; NaN without repetitions.

    `values` is (K, P, R), NaN where missing. The number of repetitions of each point is replaced by its mean.
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
    """Return the expected largest range, over points, of so many repetitions of a number that is uniform over
    [0, 1].

    A range is at most w with the probability F = R·w^(R−1) − (R−1)·w^R, and the largest of P has the mean
    ∫ (1 − F^P) dw.
    """
    repetitions = max(repetitions, 2)
    w = (np.arange(STEPS) + 0.5) / STEPS
    below = repetitions * w ** (repetitions - 1) - (repetitions - 1) * w**repetitions
    return float(np.mean(1 - below ** max(points, 1)))
