"""Measurements of two campaigns, for tests of comparisons."""

from typing import Any

import numpy as np

from modeling.engine import Changes, compare
from modeling.engine.laws.synthetic import SERIES, grid, measure
from modeling.engine.validation import FloatArray

LINE = grid([SERIES[0]])
PLANE = grid(SERIES[:2])


def drifted(truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return true values with drift that no code change caused.

    The standard deviation is 3 % for all kernels together, 1 % for each kernel, and 1 % for each point of a
    kernel.
    """
    kernel, point = rng.normal(0, 0.01, (len(truth), 1)), rng.normal(0, 0.01, truth.shape)
    moved: FloatArray = truth * np.exp(rng.normal(0, 0.03) + kernel + point)
    return moved


def compared(
    points: FloatArray, before: FloatArray, after: FloatArray, rng: np.random.Generator, **how: Any
) -> Changes:
    """Measure the true values before and after, with drift in between, and compare the two campaigns."""
    noise: dict[str, Any] = {"noise": 0.05, "repetitions": 5} | how
    old, new = measure(before, rng, **noise), measure(drifted(after, rng), rng, **noise)
    return compare((points, old), (points, new), target=4 * points[-1])
