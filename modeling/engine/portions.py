"""How many kernels of a campaign are modelled together, and which of them first."""

import numpy as np

from modeling.engine.validation import IntArray

KERNELS_AT_ONCE = {1: 1000, 2: 500, 3: 100}
KERNELS_AT_ONCE_MANY = 10
"""Kernels with few points that take 2 to 4 seconds, by the number of parameters; and with more of them."""

CELLS_AT_ONCE = {1: 60_000, 2: 50_000, 3: 20_000}
CELLS_AT_ONCE_MANY = 6_000
"""The same of points and repetitions, kernel by kernel, where these decide."""


LEADING_KERNELS = 100
"""Kernels that are enough to tell what all have in common: twice as many change no model visibly."""


def leading_kernels(count: int, size: int) -> IntArray:
    """Numbers of the kernels, of so many, that are modelled first: all of a few, else some, at most `size`.

    They are drawn at random, as every n-th one might be of the same kind, but always the same.
    """
    drawn = np.random.default_rng(count).permutation(count)
    return np.sort(drawn[: max(1, min(size, LEADING_KERNELS))])


def kernels_at_once(points: int, parameters: int, repetitions: int) -> int:
    """How many kernels of so many points are modelled at once by the evidence modeler, at least 1."""
    by_cells = CELLS_AT_ONCE.get(parameters, CELLS_AT_ONCE_MANY) // (points + points * repetitions // 10)
    return max(1, min(KERNELS_AT_ONCE.get(parameters, KERNELS_AT_ONCE_MANY), by_cells))
