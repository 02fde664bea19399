"""The largest probability of being the same at which a kernel is still reported as changed."""

import numpy as np

from modeling.engine.validation import FloatArray

FALSE_DISCOVERIES = 0.03
"""False discovery rate: largest expected share of unchanged kernels among those reported as changed. With
0.05, 3 instead of 1.3 of 1,000 unchanged kernels are reported under uniform noise of 50 %.
"""

MOST_DOUBT = 0.25
"""A kernel that is the same with more than this probability is never reported.

At a single point under 10 % of drift, 77 % of the factors of 1.5 among 600 kernels are found, with 1.2 false
reports of 1,000. Who knew drift, factor and share exactly would find 88 %, with 2 false reports. With 0.15,
about two percentage points fewer are found.
"""


LITTLE_DOUBT = 0.07
"""A kernel that is the same with at most this probability is always reported.

Among few kernels a change is hardly ever certain to 97 %, because they tell little of their drift. With 0.05,
29 instead of 44 % of the factors of 1.5 of two in 60 kernels are found at a single point under 10 % of drift.
With 0.08, 11 instead of 10 of 1,452 kernels of one binary are reported on a busy machine.
"""


def largest_doubt(same: FloatArray) -> float:
    """Return the largest probability of being the same at which a kernel is still reported as changed.

    `same` (K,) are the probabilities that each of K kernels is the same. Their mean over the reported kernels
    is at most `FALSE_DISCOVERIES` (Müller et al. 2004, Optimal sample size for multiple testing), unless the
    result is `LITTLE_DOUBT`. It is at most `MOST_DOUBT`.
    """
    ordered = np.sort(same)
    passed = np.flatnonzero(np.cumsum(ordered) <= FALSE_DISCOVERIES * np.arange(1, len(ordered) + 1))
    if not len(passed):
        return LITTLE_DOUBT
    rounding = 1 + 1e-6  # rounding errors depend on the portions of kernels
    return float(np.clip(ordered[passed[-1]] * rounding, LITTLE_DOUBT, MOST_DOUBT))
