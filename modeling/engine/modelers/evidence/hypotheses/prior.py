"""The prior probability of each class (exponent pair) of a term."""

from collections.abc import Sequence

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.classes import FALLING_CLASSES, PAIRS
from modeling.engine.validation import BoolArray, FloatArray

NO_DEPENDENCE_PRIOR = 0.5
"""Prior probability that a kernel does not depend on a parameter, if there are at most four parameters. The
value 0.5 favours neither case.
"""

EXPECTED_PARAMETERS = 2.0
"""Prior expected number of parameters that a kernel depends on, if there are more than four.

If half of all parameters were expected to matter, then among twenty parameters some would always seem to
matter by chance. With this prior, the evidence that a parameter needs grows with the number of parameters
(Scott and Berger, Annals of Statistics 38, 2010). With half this value weak effects are missed, and with
twice this value effects are found that do not exist.
"""

FALLING_PRIOR = 0.10
"""Prior probability that a term falls rather than rises.

With this value a falling law, such as that of strong scaling, needs log 9 = 2.2 more log evidence than a
rising law. With half this value it needs 2.9, and with twice this value 1.4. With a larger value, noise that
happens to fall over a handful of points would hide a rising law.
"""

TEXTBOOK_WEIGHT = 4.0
"""Prior weight of whole powers and the plain logarithm, relative to any other class. With this weight, common
functions are found as often as by the modeler `refinement`, and rare ones far more often. The module
`pooling` replaces this weight by frequencies learned from the campaign.
"""

WEIGHTS: FloatArray = np.where(
    ((PAIRS[:, 0] % 1 == 0) & (PAIRS[:, 1] == 0)) | (PAIRS == (0.0, 1.0)).all(axis=1), TEXTBOOK_WEIGHT, 1.0
)
"""Prior weight of each class: of rising classes relative to other rising ones, and of falling classes
relative to other falling ones.
"""


STEEP_IN_PROCESSES = ((1.0, 0.2), (2.0, 0.02))
"""Pairs (i, share). If a parameter is a number p of MPI processes, classes with a power of p greater than i
have this share of their usual weight, because hardly any parallel program slows down like p² or p³.

With the usual weights, the likely laws of a constant kernel with some noise include one with a small term of
p³. In the demo, the interval of such a kernel at 16 times the largest p spanned a factor of 350. In the
public campaigns that vary the number of MPI processes, errors and the share of values inside the intervals
are the same with both weights.
"""


def log_prior(usable: BoolArray, parameters: int, processes: Sequence[int] = ()) -> FloatArray:
    """Return the log prior probabilities of the classes, (m, classes).

    The probability that a kernel rises with a parameter is divided among the usable rising classes, and the
    probability that it falls among the usable falling classes, in proportion to their weights. Classes that
    are not usable have the probability 0.

    Args:
        usable: whether each class can be distinguished from a constant at the points, (m, classes).
        parameters: the number of all parameters of the campaign, which may be more than m.
        processes: indices, among these m, of the parameters that are numbers of MPI processes.
    """
    weights = np.tile(WEIGHTS, (len(usable), 1))
    for power, share_kept in STEEP_IN_PROCESSES:
        steep = PAIRS[:, 0] > power
        weights[np.ix_(np.array(processes, dtype=int), steep)] = share_kept * WEIGHTS[steep]
    share = np.zeros(usable.shape)
    active = min(1 - NO_DEPENDENCE_PRIOR, EXPECTED_PARAMETERS / parameters)
    for direction, probability in (
        (~FALLING_CLASSES, 1 - FALLING_PRIOR),
        (FALLING_CLASSES, FALLING_PRIOR),
    ):
        weight = np.where(usable & direction, weights, 0.0)
        weight[:, 0] = 0.0
        total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        share += active * probability * weight / total
    share[:, 0] = 1 - active
    with np.errstate(divide="ignore"):
        return np.log(share)
