"""Choose how many kernels are modelled together, and which kernels are modelled first."""

import numpy as np

from modeling.engine.validation import IntArray

KERNELS_AT_ONCE = {1: 8000, 2: 2000, 3: 200}
KERNELS_AT_ONCE_MANY = 10
"""Number of kernels modelled together if each has few points, by number of parameters; `_MANY` for more than
three. This takes about a second. Twice as many need more memory and are not faster.
"""

CELLS_AT_ONCE = {1: 120_000, 2: 100_000, 3: 40_000}
CELLS_AT_ONCE_MANY = 6_000
"""Number of points of all kernels modelled together if they have many points, by number of parameters. A
point with R repetitions counts as 1 + R/10 points.
"""


LEADING_KERNELS = 100
"""Number of kernels from which shared properties are learned. Twice as many hardly change the models."""


def leading_kernels(count: int, size: int) -> IntArray:
    """Return the ascending indices of the kernels, out of `count`, that are modelled first.

    At most `size` and at most `LEADING_KERNELS` are drawn, at random because every n-th might be of one kind.
    """
    drawn = np.random.default_rng(count).permutation(count)
    return np.sort(drawn[: max(1, min(size, LEADING_KERNELS))])


def kernels_at_once(points: int, parameters: int, repetitions: int) -> int:
    """Return how many kernels of this size the evidence modeler models together."""
    by_cells = CELLS_AT_ONCE.get(parameters, CELLS_AT_ONCE_MANY) // (points + points * repetitions // 10)
    return max(1, min(KERNELS_AT_ONCE.get(parameters, KERNELS_AT_ONCE_MANY), by_cells))
