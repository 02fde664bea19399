"""The prior probability of each class (exponent pair) of a term."""

from collections.abc import Sequence

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.classes import (
    EVERY_PAIR,
    FALLING_CLASSES,
    FIRST_RANGE,
    LARGEST_POWER,
    LEAST_POWER,
    PAIRS,
    WIDTH,
)
from modeling.engine.validation import BoolArray, FloatArray

NO_DEPENDENCE_PRIOR = 0.5
"""Prior probability that a kernel does not depend on a parameter, if there are at most four parameters."""

EXPECTED_PARAMETERS = 2.0
"""Prior expected number of parameters that a kernel depends on, if there are more than four. It is the same
for any number of parameters, because some of many seem to matter by chance (Scott and Berger, Annals of
Statistics 38, 2010). Half this value misses weak effects. Twice this value finds effects that do not exist.
"""

FALLING_PRIOR = 0.10
"""Prior probability that a term falls rather than rises. A falling law needs log 9 = 2.2 more log evidence
than a rising law. With a larger value, noise that falls over a few points would hide a rising law.
"""

TEXTBOOK_WEIGHT = 4.0
"""Prior weight of whole powers and the plain logarithm, relative to any other class (see `pooling`)."""

WEIGHTS: FloatArray = np.where(
    ((PAIRS[:, 0] % 1 == 0) & (PAIRS[:, 1] == 0)) | (PAIRS == (0.0, 1.0)).all(axis=1), TEXTBOOK_WEIGHT, 1.0
)
"""Prior weight of each class, relative to the other rising classes or to the other falling classes."""


SHARE_BETWEEN = 0.03
"""Prior share of laws with a power that is in no exponent pair (`search.between`) among laws with any factor.

With 0.05, intervals of single kernels with the power of an exponent pair are on average 17 instead of 10 %
wider than without other powers. Intervals of kernels with other powers contain the same share of the true
values.
"""

STEEP_IN_PROCESSES = ((1.0, 0.2), (2.0, 0.02))
"""Pairs (i, share). For numbers of MPI processes, classes with a power above i have this share of their usual
weight. Hardly any parallel program slows down like p² or p³.

With the usual weights, the interval of a noisy constant kernel of the demo spans a factor of 350 at 16 times
the largest p. Errors in the public campaigns are the same with and without these shares.
"""


def log_prior(usable: BoolArray, parameters: int, processes: Sequence[int] = ()) -> FloatArray:
    """Return the log prior probabilities of the classes of m parameters, (m, classes).

    The probability that a kernel rises with a parameter is divided among the usable rising classes, in
    proportion to their weights. The probability that a kernel falls is divided in the same way. Unusable
    classes have the probability 0.

    Args:
        usable: whether each class can be distinguished from a constant at the points, (m, classes).
        parameters: the number of all parameters of the campaign, which may be more than m.
        processes: indices, among these m, of the parameters that are numbers of MPI processes.
    """
    weights = np.tile(WEIGHTS, (len(usable), 1))
    for power, share_kept in STEEP_IN_PROCESSES:
        steep = PAIRS[:, 0] > power
        weights[np.ix_(np.array(processes, dtype=int), steep)] = share_kept * WEIGHTS[steep]
    share, falls = np.zeros(usable.shape), FALLING_CLASSES[:FIRST_RANGE]
    active = min(1 - NO_DEPENDENCE_PRIOR, EXPECTED_PARAMETERS / parameters)
    for direction, probability in (
        (~falls, 1 - FALLING_PRIOR),
        (falls, FALLING_PRIOR),
    ):
        weight = np.where(usable & direction, weights, 0.0)
        weight[:, 0] = 0.0
        total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        share += active * probability * weight / total
    share[:, 0] = 1 - active
    with np.errstate(divide="ignore"):
        return np.log(share)


def log_prior_of_ranges(log_prior: FloatArray, processes: Sequence[int]) -> FloatArray:
    """Return the log prior probabilities of the classes of ranges of powers of m parameters, (m, ranges).
    `log_prior` (m, classes) is that of the other classes. With one parameter, ranges do not fall.
    """
    powers = EVERY_PAIR[FIRST_RANGE:, 0]
    falls = FALLING_PRIOR / (1 - FALLING_PRIOR) if len(log_prior) > 1 else 0.0
    density = np.where(powers > 0, 1.0, falls) / (LARGEST_POWER - LEAST_POWER)
    of_each = np.tile(density, (len(log_prior), 1))
    for power, kept in STEEP_IN_PROCESSES:
        of_each[np.ix_(np.array(processes, dtype=int), powers > power)] = kept * density[0]
    with np.errstate(divide="ignore"):
        odds = np.log(SHARE_BETWEEN / (1 - SHARE_BETWEEN) * of_each * WIDTH)
    return np.asarray(odds + np.logaddexp.reduce(log_prior[:, 1:], axis=1)[:, None])
