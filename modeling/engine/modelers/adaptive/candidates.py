"""The combinations of classes that the network finds most probable, for all parameters of a kernel."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.validation import BoolArray, FloatArray, IntArray

CLASSES_TRIED = 8
"""Number of each parameter's most probable classes that are combined, if there are several parameters.
With three classes, as in the paper, and 100 % of noise, 8 percentage points fewer of the exponents of two
parameters are within 1/4 of the truth.
"""

CANDIDATES = 48
"""The number of the most probable combinations of classes that are fitted. With one parameter, all classes
are. With 24 combinations, three parameters and 50 % of noise, the error at P4+ (four steps beyond the
data) is 3.5 instead of 1.9 %. More combinations only take longer.
"""

NEAR_POWERS = 0.25 + 1e-9
"""Two laws are near each other if their powers differ by at most this (Ritter et al. 2021, section V)."""

IMPOSSIBLE = 1e-12
"""The smallest probability of a class, so that logarithms are finite. Smaller probabilities in single
precision are rounding errors.
"""


@dataclass(frozen=True)
class Candidates:
    """N combinations of classes for each of K kernels: `classes` (N, m, K), and the network's log
    probabilities of the combinations, (N, K).
    """

    classes: IntArray
    log_probabilities: FloatArray


def likely_classes(probabilities: FloatArray) -> Candidates:
    """Return the most probable combinations of classes, at most `CANDIDATES`, given probabilities (m, K, 43).

    Parameters are joined one by one. This loses no combination, because the most probable combinations
    consist of the most probable combinations of fewer parameters.
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
    """Return the class of each parameter (m, K) for which the probability of the class and of all classes
    near it is largest.
    """
    return np.asarray((probabilities + probabilities @ CLASSES_NEAR).argmax(axis=2))


CLASSES_NEAR: FloatArray = (np.abs(CLASSES[:, None, 0] - CLASSES[:, 0]) <= NEAR_POWERS).astype(float)
"""Whether the powers of two classes are near each other, (43, 43)."""


def near_candidates(classes: IntArray, number: int) -> BoolArray:
    """Return which candidates (N, m, K) are near the candidate with the given number, (N, K): all their
    powers are near each other.
    """
    powers = CLASSES[classes, 0]
    return np.asarray((np.abs(powers - powers[number]) <= NEAR_POWERS).all(axis=1))
