"""The threshold of a verdict: the probability of being the same up to which a kernel is reported as
changed.
"""

import numpy as np

from modeling.engine.validation import FloatArray

FALSE_DISCOVERIES = 0.05
"""False discovery rate: expected share of unchanged kernels among those reported as changed."""

MOST_DOUBT = 0.25
"""No kernel whose probability of being the same exceeds this is reported as changed. Without this limit, many
certain changes would allow many doubtful ones, because the false discovery rate only limits their mean. With
half this value 2 % of the small changes are lost.
"""


def largest_doubt(same: FloatArray) -> float:
    """Return the largest bound on the probabilities of being the same below which their mean is small
    enough.

    The mean of the probabilities (K,) below the bound is at most `FALSE_DISCOVERIES` (Müller et al. 2004,
    Optimal sample size for multiple testing).
    """
    ordered = np.sort(same)
    passed = np.flatnonzero(np.cumsum(ordered) <= FALSE_DISCOVERIES * np.arange(1, len(ordered) + 1))
    if not len(passed):
        return 0.0
    rounding = 1 + 1e-6  # portions differ in their rounding errors
    return min(float(ordered[passed[-1]]) * rounding, MOST_DOUBT)
