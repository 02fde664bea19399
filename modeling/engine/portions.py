"""Choose the number of kernels of a campaign that are modelled together, and which of them come first."""

import numpy as np

from modeling.engine.validation import IntArray

KERNELS_AT_ONCE = {1: 2000, 2: 1000, 3: 200}
KERNELS_AT_ONCE_MANY = 10
"""The number of kernels with few points that take at most 2 to 4 seconds: by the number of parameters, and
(`_MANY`) for more than three parameters. With half as many, each kernel of one parameter takes a tenth
longer, and each kernel of three parameters a sixth. With twice as many of one parameter, only the memory
grows.
"""

CELLS_AT_ONCE = {1: 60_000, 2: 50_000, 3: 40_000}
CELLS_AT_ONCE_MANY = 6_000
"""The total number of points of all kernels that takes 2 to 4 seconds if each kernel has many points. Every
repetition of a point counts as a tenth of a point.
"""


LEADING_KERNELS = 100
"""The number of kernels from which the shared properties are learned. With twice as many, no model changes
visibly.
"""


def leading_kernels(count: int, size: int) -> IntArray:
    """Return the indices of the kernels, out of `count`, that are modelled first: at most `size`.

    They are drawn at random, because every n-th kernel might be of the same kind. The draw is the same in
    every call.
    """
    drawn = np.random.default_rng(count).permutation(count)
    return np.sort(drawn[: max(1, min(size, LEADING_KERNELS))])


def kernels_at_once(points: int, parameters: int, repetitions: int) -> int:
    """Return the number of kernels, at least 1, that the evidence modeler models at once if each has this
    number of points.
    """
    by_cells = CELLS_AT_ONCE.get(parameters, CELLS_AT_ONCE_MANY) // (points + points * repetitions // 10)
    return max(1, min(KERNELS_AT_ONCE.get(parameters, KERNELS_AT_ONCE_MANY), by_cells))
