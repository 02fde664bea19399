"""Data for modelers of least squares: one scaled value for each kernel and point."""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.measured.layout import largest_point
from modeling.engine.measured.repetitions import aggregate, deviation_bounds, level, runs_first
from modeling.engine.validation import FloatArray, IntArray


@dataclass(frozen=True)
class Observations:
    """Values of K kernels at P points of m parameters.

    Squares of scaled values stay finite. Scales are powers of two, so scaling does not round.
    """

    points: FloatArray  # (P, m)
    y: FloatArray  # (P, K) scaled values, 0 where a kernel was not measured
    w: FloatArray  # (P, K) 1 where a kernel was measured, else 0; (P, 1) if this is the same for all kernels
    scale: FloatArray  # (K,) unit of each kernel's `y`
    noise: FloatArray  # (K,) noise level (docs/methods.md#noise-level), NaN without repetitions
    blur: FloatArray  # (K,) relative standard error of a value due to noise, 0 without repetitions

    @property
    def unit(self) -> FloatArray:
        """Divisors that make residuals relative, (P, K): the absolute values, or 1 where a value is 0."""
        return np.where(self.y != 0, np.abs(self.y), 1.0)

    def without_largest(self) -> "Observations":
        """Return the observations without each kernel's largest point."""
        w = self.w.copy()
        w[largest_point(self.points, w), np.arange(w.shape[1])] = 0
        return replace(self, y=self.y * w, w=w)

    def distinct(self) -> "Observations":
        """Return the same observations with `w` of the shape (P, K)."""
        return replace(self, w=np.broadcast_to(self.w, self.y.shape))

    def part(self, kernels: IntArray) -> "Observations":
        """Return the observations of these kernels."""
        w = self.w if self.w.shape[1] == 1 else self.w[:, kernels]
        return Observations(
            self.points, self.y[:, kernels], w, self.scale[kernels], self.noise[kernels], self.blur[kernels]
        )


def observe(points: FloatArray, values: FloatArray, how: str) -> Observations:
    """Aggregate R repetitions of K kernels at P points, `values` (K, P, R), and scale the results.

    The largest value of each kernel becomes 0.5 to 1. `how` is one of `repetitions.AGGREGATES`.
    """
    runs = runs_first(values)
    y = aggregate(runs, how)
    missing = np.isnan(y)
    y[missing] = 0
    scale = np.ldexp(1.0, np.frexp(np.abs(y).max(axis=0))[1])
    w = (~missing).astype(float)
    if (missing == missing[:, :1]).all():
        w = np.ascontiguousarray(w[:, :1])
    noise = level(*deviation_bounds(runs))
    runs_a_point = (~np.isnan(runs)).sum(axis=(0, 1)) / np.maximum((~missing).sum(axis=0), 1)
    blur = np.nan_to_num(noise) / np.sqrt(12 * np.maximum(runs_a_point, 1))
    return Observations(points, y / scale, w, scale, noise, blur)
