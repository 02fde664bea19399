"""Combinations of classes of all parameters of a kernel that the network finds most probable."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.validation import BoolArray, FloatArray, IntArray

CLASSES_TRIED = 8
"""The number of each parameter's most probable classes that are combined, if there are several parameters.
With three, as in the paper, 8 percentage points fewer exponents are within 1/4 of the truth (two parameters,
100 % of noise).
"""

CANDIDATES = 48
"""The number of most probable combinations of classes that are fitted, if there are several parameters. With
24, the error at the fourth value beyond the measured range is 3.5 instead of 1.9 % (three parameters, 50 % of
noise). More combinations only take longer.
"""

NEAR_POWERS = 0.25 + 1e-9
"""Two laws are near each other if their powers differ by at most this (Ritter et al. 2021, section V)."""

IMPOSSIBLE = 1e-12
"""Lower limit of the probability of a class. It keeps logarithms finite."""


@dataclass(frozen=True)
class Candidates:
    """N combinations of classes for each of K kernels with m parameters.

    Attributes:
        classes: the classes, (N, m, K).
        log_probabilities: the network's log probabilities of the combinations, (N, K).
    """

    classes: IntArray
    log_probabilities: FloatArray


def likely_classes(probabilities: FloatArray) -> Candidates:
    """Return the most probable combinations of classes, at most `CANDIDATES`. `probabilities` (m, K, 43) has
    the probability of each class for m parameters and K kernels. Parameters are added one by one. No
    combination is lost, because a probable combination contains probable combinations of fewer parameters.
    """
    m, K, count = probabilities.shape
    tried = count if m == 1 else CLASSES_TRIED
    classes, logs = np.zeros((1, 0, K), int), np.zeros((1, K))
    for found in probabilities:
        order = np.argsort(-found.T, axis=0, kind="stable")[:tried]
        added = np.log(np.maximum(np.take_along_axis(found.T, order, axis=0), IMPOSSIBLE))
        joint = (logs[:, None] + added).reshape(-1, K)
        kept = np.argsort(-joint, axis=0, kind="stable")[:CANDIDATES]
        before, last = np.divmod(kept, len(order))
        earlier = np.take_along_axis(classes, before[:, None], axis=0)
        classes = np.concatenate([earlier, np.take_along_axis(order, last, axis=0)[:, None]], axis=1)
        logs = np.take_along_axis(joint, kept, axis=0)
    return Candidates(classes, logs)


def central_classes(probabilities: FloatArray) -> IntArray:
    """Return the central class of each of m parameters for K kernels, (m, K). `probabilities` (m, K, 43) has
    the probability of each class. The central class has the largest sum of its own probability and the
    probabilities of all classes near it, itself included.
    """
    return np.asarray((probabilities + probabilities @ CLASSES_NEAR).argmax(axis=2))


CLASSES_NEAR: FloatArray = (np.abs(CLASSES[:, None, 0] - CLASSES[:, 0]) <= NEAR_POWERS).astype(float)
"""1 if the powers of two classes are near each other (`NEAR_POWERS`), otherwise 0, (43, 43)."""


def near_candidates(classes: IntArray, number: int) -> BoolArray:
    """Return which of N candidates are near the candidate with the index `number`, (N, K). `classes` (N, m,
    K) has the classes of m parameters for K kernels. Candidates are near if the powers of all parameters are
    near.
    """
    powers = CLASSES[classes, 0]
    return np.asarray((np.abs(powers - powers[number]) <= NEAR_POWERS).all(axis=1))
