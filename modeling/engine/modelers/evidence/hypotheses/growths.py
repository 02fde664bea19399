"""Classes of growth: coarse groups of laws of one parameter, whose frequencies are learned from a campaign.

A kernel probably grows like most other kernels of its campaign. For example, the kernels of a library of
sorting algorithms grow like n or n·log n, and a solver's communication grows alike in many functions. The
frequency of a class of growth is learned from its evidence in all kernels of the campaign.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.classes import FALLING_CLASSES, PAIRS
from modeling.engine.validation import BoolArray, FloatArray, IntArray

BOUNDS = (0.6, 0.95, 1.05, 1.6, 2.2)
"""Exponents that separate the six classes of growth of rising powers: about a root, below n, n, up to n^1.6,
about n², and more.

If each exponent pair were a class of growth, forecasts of the public campaigns would be worse, because
kernels that grow almost alike would be in different classes.
"""

IDLE, FALLS, FALLS_AND_RISES, SATURATES, LOGARITHM = range(5)
_FIRST_POWER = LOGARITHM + 1
_LINEAR = _FIRST_POWER + BOUNDS.index(1.05)
LINEAR_AND_LOGARITHM = _FIRST_POWER + len(BOUNDS) + 1
GROWTHS = LINEAR_AND_LOGARITHM + 1
"""The number of classes of growth: no growth, two of falling laws, laws that rise towards a limit, the
logarithm, the powers separated by `BOUNDS`, and n·log n.
"""


def growths(classes: IntArray, subtracted: BoolArray) -> IntArray:
    """Return the class of growth, (H,), of laws whose two terms have `classes` (2, H).

    If one of the terms falls, it must be the first one. If the first term is `subtracted` (H,) from the
    constant, the law rises towards the constant.
    """
    first, second = classes
    power, logarithm = PAIRS[first].T
    rises = _FIRST_POWER + np.searchsorted(BOUNDS, power)
    rises = np.where((rises == _LINEAR) & (logarithm > 0), LINEAR_AND_LOGARITHM, rises)
    falls = np.where(second > 0, FALLS_AND_RISES, FALLS)
    return np.select(
        [first == 0, subtracted, FALLING_CLASSES[first], power == 0],
        [np.full_like(first, IDLE), np.full_like(first, SATURATES), falls, np.full_like(first, LOGARITHM)],
        rises,
    )


def frequencies_of(growth: IntArray, log_prior: FloatArray) -> FloatArray:
    """Return the frequency of each class of growth, (GROWTHS,), among laws (H,) weighted by their prior
    probability.
    """
    return np.asarray(np.bincount(growth, np.exp(log_prior), minlength=GROWTHS), dtype=float)


def reweighted(growth: IntArray, log_prior: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Change the log prior probabilities (H,) of laws so that the classes of growth have these frequencies,
    (GROWTHS,).
    """
    before = frequencies_of(growth, log_prior)
    found = log_prior + np.log(frequencies[growth] / before[growth])
    return np.asarray(found - np.logaddexp.reduce(found))
