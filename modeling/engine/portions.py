"""Choose how many kernels of a campaign are modelled together, and which kernels are modelled first."""

import numpy as np

from modeling.engine.validation import IntArray

KERNELS_AT_ONCE = {1: 2000, 2: 1000, 3: 200}
KERNELS_AT_ONCE_MANY = 10
"""The number of kernels to model at once if each has few points, by the number of parameters. `_MANY` is the
number for more than three parameters.

This many kernels take 2 to 4 seconds. With half as many, each kernel takes a tenth longer with one parameter,
and a sixth longer with three. With twice as many, nothing becomes faster, but more memory is needed.
"""

CELLS_AT_ONCE = {1: 60_000, 2: 50_000, 3: 40_000}
CELLS_AT_ONCE_MANY = 6_000
"""The number of points to model at once, summed over kernels that have many points each. A point with R
repetitions counts as 1 + R/10 points. This many points take 2 to 4 seconds.
"""


LEADING_KERNELS = 100
"""The number of kernels from which the shared properties are learned. Twice as many do not change models
visibly.
"""


def leading_kernels(count: int, size: int) -> IntArray:
    """Return the ascending indices of the kernels, out of `count`, that are modelled first.

    There are at most `size` and at most `LEADING_KERNELS`. They are drawn at random, because every n-th
    kernel might be of the same kind. The draw depends on `count` and `size` only.
    """
    drawn = np.random.default_rng(count).permutation(count)
    return np.sort(drawn[: max(1, min(size, LEADING_KERNELS))])


def kernels_at_once(points: int, parameters: int, repetitions: int) -> int:
    """Return how many kernels the evidence modeler models at once if each kernel has this many points."""
    by_cells = CELLS_AT_ONCE.get(parameters, CELLS_AT_ONCE_MANY) // (points + points * repetitions // 10)
    return max(1, min(KERNELS_AT_ONCE.get(parameters, KERNELS_AT_ONCE_MANY), by_cells))
