"""How many kernels of a campaign are modelled together, and which of them first."""

import numpy as np

from modeling.engine.validation import IntArray

SHORT = {1: 1000, 2: 500, 3: 100}
FEWEST_SHORT = 25
"""Kernels with few points that take 2 to 4 seconds, by the number of parameters; and with more of them."""

CELLS = {1: 25_000, 2: 25_000}
FEWEST_CELLS = 20_000
"""The same of points and repetitions, kernel by kernel, where these decide."""


def leading_kernels(count: int, size: int) -> IntArray:
    """Numbers of `size` kernels, or of all, evenly spread over so many: those that are modelled first."""
    size = max(1, min(count, size))
    return np.arange(min(count, size)) * count // size


def kernels_at_once(points: int, parameters: int, repetitions: int) -> int:
    """How many kernels of so many points are modelled at once by the evidence modeler, at least 1."""
    by_cells = CELLS.get(parameters, FEWEST_CELLS) // (points + points * repetitions // 10)
    return max(1, min(SHORT.get(parameters, FEWEST_SHORT), by_cells))
