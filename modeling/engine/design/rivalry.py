"""The two most probable laws of a kernel that grow differently, and how well runs distinguish them.

The information of a run is the expected logarithm of the Bayes factor. On average over both laws, it is half
the symmetric divergence of their predictions (Kullback 1959; Box and Hill 1967).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from modeling.engine.design.beliefs import Field, log_draws
from modeling.engine.laws.growth import SAME_EXPONENT
from modeling.engine.results.models import Models
from modeling.engine.results.rivals import lead_draws
from modeling.engine.validation import BoolArray, FloatArray

FEWEST_DRAWS = 4
"""If a rival has fewer draws, its covariance is estimated from all draws of the kernel."""

MOST_TOLD = 3.0
"""Limit on the expected logarithm of the Bayes factor of one run: 20 to 1, as both laws may be wrong."""

MOST_NEEDED = 100.0
"""Limit on the logarithm of the Bayes factor that rivals need."""


@dataclass(frozen=True)
class Rivalry:
    """The two rivals of one kernel at C candidates.

    Attributes:
        kernel: index of the kernel.
        fields: distributions under the first and under the second law.
        difference: (C,) expected difference between the mean logarithms of both laws after the planned runs.
        missing: expected logarithm of the Bayes factor that is needed in addition to the planned runs.
        probability: probabilities of the two laws.
        exponents: (2, m) lead exponents of the two laws for m parameters.
    """

    kernel: int
    fields: tuple[Field, Field]
    difference: FloatArray
    missing: float
    probability: tuple[float, float]
    exponents: FloatArray

    def open(self) -> float:
        """Return the logarithm of the Bayes factor that is still missing; negative if none is."""
        return self.missing

    def gains(self, noise: FloatArray) -> FloatArray:
        """Return the expected logarithm of the Bayes factor of a run at each of C candidates, (C,)."""
        one, other = (field.variance[0] + noise[self.kernel] for field in self.fields)
        apart = self.difference**2
        divergence = ((one + apart) / other + (other + apart) / one - 2) / 4
        return np.asarray(np.minimum(divergence, MOST_TOLD))

    def certainty(self, gathered: float) -> float:
        """Return the probability that the law which is more probable after some runs is the right one.

        `gathered` is the expected logarithm of the runs' Bayes factor. The logarithm is about normally
        distributed, with twice its mean as variance, as for two normal distributions of equal variance.
        """
        return certainty(self.probability, gathered)

    def after(self, candidate: int, noise: FloatArray) -> "Rivalry":
        """Return the rivalry after a run at a candidate.

        The mean of the wrong law moves towards the right one. So the difference decreases on average.
        """
        own = noise[self.kernel : self.kernel + 1]
        gained = float(self.gains(noise)[candidate])
        difference = self.difference.copy()
        for field in self.fields:
            column = field.covariance(candidate)[0]
            difference -= column / (column[candidate] + own[0]) * self.difference[candidate] / 2
        one, other = self.fields
        fields = (one.after(candidate, own), other.after(candidate, own))
        return replace(self, fields=fields, difference=difference, missing=self.missing - gained)


def certainty(probability: tuple[float, float], gathered: float) -> float:
    """Return the certainty (see `Rivalry.certainty`) about two laws that have these probabilities now."""
    one, other = np.array(probability) / sum(probability)
    if gathered <= 0 or not other:
        return float(max(one, other))
    ahead = np.log(one / other)
    width = np.sqrt(2 * gathered)
    return float(one * ndtr((gathered + ahead) / width) + other * ndtr((gathered - ahead) / width))


def needed(probability: tuple[float, float], wanted: float) -> float:
    """Return the evidence for which the certainty corresponds to odds of exp(`wanted`) to 1; 0 if it does
    already.
    """
    aim = float(expit(wanted))
    if certainty(probability, 0.0) >= aim:
        return 0.0
    if certainty(probability, MOST_NEEDED) < aim:
        return MOST_NEEDED
    return float(brentq(lambda gathered: certainty(probability, gathered) - aim, 0.0, MOST_NEEDED))


def rivalry_of(models: Models, candidates: FloatArray, weight: FloatArray, wanted: float) -> Rivalry | None:
    """Return the rivals of one kernel, or None if no kernel has rivals.

    The kernel has the largest product of its `weight` (K,) and the probability of its second law, among the
    kernels whose right law is not known yet with odds of exp(`wanted`) to 1, if there are any.
    """
    classes = [_classes(exponents) for exponents in _growth(models)]
    shares = [(float(one.mean()), float(other.mean())) for one, other in classes]
    evidence = np.array([needed(share, wanted) for share in shares])
    chance = np.array([other for _, other in shares]) * weight
    kernel = int(np.argmax(np.where(evidence > 0, chance, 0.0) if (chance * evidence).any() else chance))
    if chance[kernel] <= 0:
        return None
    logs, own = log_draws(models.part(np.array([kernel])), candidates)
    draws = [logs[:, some] if some.sum() >= FEWEST_DRAWS else logs for some in classes[kernel]]
    means = [logs[0, some].mean(axis=0) for some in classes[kernel]]
    growth = _growth(models)[kernel]
    return Rivalry(
        kernel=kernel,
        fields=(Field.of(draws[0], own, candidates), Field.of(draws[1], own, candidates)),
        difference=means[0] - means[1],
        missing=float(evidence[kernel]),
        probability=shares[kernel],
        exponents=np.stack([np.median(growth[some], axis=0) for some in classes[kernel]]),
    )


def _growth(models: Models) -> FloatArray:
    """Return the lead exponents of each kernel, (kernels, draws, parameters)."""
    if models.posterior is None:
        raise ValueError("models: found models without a posterior, expected those of the default modeler")
    return np.asarray(lead_draws(models.posterior, models.upper)[..., 0])


def _classes(exponents: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return which draws have the most frequent lead exponents, and which have the second most frequent."""
    first = _like_the_most(exponents, np.ones(len(exponents), bool))
    second = _like_the_most(exponents, ~first) if not first.all() else np.zeros(len(first), bool)
    return first, second


def _like_the_most(exponents: FloatArray, some: BoolArray) -> BoolArray:
    distinct, counts = np.unique(exponents[some], axis=0, return_counts=True)
    most = distinct[int(np.argmax(counts))]
    return np.asarray(some & (np.abs(exponents - most) <= SAME_EXPONENT).all(axis=1))
