"""Classes of growth: coarse groups of laws of one parameter. Their frequencies are learned from a campaign,
because a kernel probably grows like most other kernels of the campaign.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.classes import FALLING_CLASSES, PAIRS
from modeling.engine.validation import BoolArray, FloatArray, IntArray

BOUNDS = (0.6, 0.95, 1.05, 1.6, 2.2)
"""Exponents that separate the six classes of growth of rising powers. A class for each exponent pair would
give worse forecasts, because kernels that grow almost alike would be in different classes.
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
    """Return the class of growth of H laws, (H,), with two terms of these `classes` (2, H). Only the first
    term may fall. If the first term is `subtracted` (H,) from the constant, the law rises towards the
    constant.
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
    """Return the frequency of each class of growth, (GROWTHS,), among H laws weighted by their prior,
    (H,).
    """
    return np.asarray(np.bincount(growth, np.exp(log_prior), minlength=GROWTHS), dtype=float)


def reweighted(growth: IntArray, log_prior: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Change the log prior of H laws, (H,), so that the classes of growth have these frequencies,
    (GROWTHS,).
    """
    before = frequencies_of(growth, log_prior)
    found = log_prior + np.log(frequencies[growth] / before[growth])
    return np.asarray(found - np.logaddexp.reduce(found))
