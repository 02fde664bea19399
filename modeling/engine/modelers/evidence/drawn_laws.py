"""The laws of each kernel's draws, their lead exponents, and the law that the formula shows."""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.laws.growth import LEADS, SAME_EXPONENT, TOWARDS_LIMIT, as_leads, limited
from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.modelers.evidence.draws.coefficients import WeightedDraws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import EVERY_PAIR, FIRST_RANGE, PAIRS, SAME
from modeling.engine.modelers.evidence.hypotheses.laws import names
from modeling.engine.validation import BoolArray, FloatArray, IntArray

CLEAR_PROBABILITY = 0.6
"""The most probable power of a parameter is its lead exponent if it has at least this probability. Otherwise,
each power gets the sum of the probabilities of all powers up to `SAME_EXPONENT` away, and the largest sum
decides.
"""

LEAST_SHOWN = 0.1
"""The formula's law has at least this share of the most probable law's probability, and so enough draws."""

_LOGARITHMS = np.unique([*PAIRS[:, 1], TOWARDS_LIMIT[1]])
_NO_LOGARITHM = int(np.searchsorted(_LOGARITHMS, 0.0))
_NEAR = (np.abs(LEADS[:, None] - LEADS) <= SAME_EXPONENT + 1e-9).astype(float)
_IN_PAIRS = np.isin(LEADS, PAIRS[:, 0])


@dataclass(frozen=True)
class DrawnLaws:
    """The B laws of the draws of K kernels, sorted by kernel.

    Attributes:
        draws: the draws; their `classes` are those of these laws.
        begin: the laws of kernel k have the indices `begin[k]` to `begin[k + 1] - 1`, (K + 1,).
        kernel: the kernel of each law, (B,).
        probability: the probability of each law, (B,).
        mean: the mean coefficients of each law, (T + 1, B).
    """

    draws: WeightedDraws
    begin: IntArray
    kernel: IntArray
    probability: FloatArray
    mean: FloatArray

    @classmethod
    def of(cls, draws: WeightedDraws) -> "DrawnLaws":
        """Return the laws of the draws, the most probable law of each kernel first. A law that was drawn with
        several kinds of noise is listed once.
        """
        kernels = draws.law.shape[1]
        kernel = np.full(draws.classes.shape[2], -1)
        kernel[draws.law] = np.arange(kernels)
        own = np.flatnonzero(kernel >= 0)
        of_own = SAME[draws.classes[:, :, own]]
        which, kernel_of = _same(kernel[own], names(of_own))
        probability = np.asarray(np.bincount(which, draws.of_laws(draws.weights)[own]), dtype=float)
        order = np.lexsort((-probability, kernel_of))
        number = np.zeros_like(kernel)
        number[own] = _places(order)[which]
        classes = np.empty((*draws.classes.shape[:2], len(order)), dtype=np.int64)
        classes[:, :, number[own]] = of_own
        ordered = replace(draws, classes=classes, law=number.take(draws.law))
        probability, kernel = probability[order], kernel_of[order]
        mean = np.stack([ordered.of_laws(draws.weights * each) for each in draws.coefficients])
        begin = np.searchsorted(kernel, np.arange(kernels + 1))
        return cls(ordered, begin, kernel, probability, mean / np.where(probability > 0, probability, 1.0))

    def with_first(self, chosen: IntArray) -> "DrawnLaws":
        """Return these laws in the same order, except that the `chosen` law (K,) of each kernel is first."""
        others = np.ones(len(self.kernel), dtype=bool)
        others[chosen] = False
        order = np.lexsort((others, self.kernel))
        law = _places(order).take(self.draws.law)
        draws = replace(self.draws, classes=self.draws.classes[:, :, order], law=law)
        return replace(self, draws=draws, probability=self.probability[order], mean=self.mean[:, order])

    def leads(self, basis: Basis) -> tuple[FloatArray, IntArray]:
        """Return the lead exponents of each kernel, (K, m, 2), and the index of the law that the formula
        shows, (K,).

        A lead exponent is the most probable power (see `CLEAR_PROBABILITY`) and the power of the logarithm
        that is most probable with it. The formula's law has the lead power in as many parameters as possible.
        Of several such laws, the most probable one is shown (see `LEAST_SHOWN`). For parameters without a
        clear power, a similar power suffices.

        Powers that are in no exponent pair count only if they have more than `CLEAR_PROBABILITY` together. If
        they do, no other laws count.
        """
        return self._that_count()._leads(basis)

    def _leads(self, basis: Basis) -> tuple[FloatArray, IntArray]:
        """Return the results of `leads`, from all of these laws."""
        found = np.zeros((len(self.begin) - 1, basis.parameter_count, 2))
        agreeing = np.zeros(len(self.kernel), dtype=int)
        far = self.mean[1:] * far_terms(basis, self.draws.classes)
        for parameter in range(basis.parameter_count):
            factors = self.draws.classes[:, parameter]
            lead = np.where(factors > 0, np.abs(far), -1.0).argmax(axis=0)[None]
            one = np.take_along_axis(factors, lead, axis=0)[0]
            subtracted = np.take_along_axis(far, lead, axis=0)[0] < 0
            power, logarithm = limited(EVERY_PAIR[one], subtracted).T
            place = np.searchsorted(LEADS, as_leads(power))
            best, clear = self._best_power(place, one == 0)
            same = place == best[self.kernel]
            mass = self._summed(np.searchsorted(_LOGARITHMS, logarithm), len(_LOGARITHMS), same)
            mass[_NO_LOGARITHM] += np.finfo(float).tiny  # if no law has this power
            found[:, parameter] = np.stack([LEADS[best], _LOGARITHMS[mass.argmax(axis=0)]], axis=1)
            agreeing += np.where(clear[self.kernel], same, _NEAR[place, best[self.kernel]] > 0)
        most = np.maximum.reduceat(self.probability, self.begin[:-1])
        agreeing[self.probability < LEAST_SHOWN * most[self.kernel]] = -1
        return found, np.lexsort((-self.probability, -agreeing, self.kernel))[self.begin[:-1]]

    def _that_count(self) -> "DrawnLaws":
        """Return these laws, with the probability 0 of laws that do not count for lead exponents."""
        kernels = len(self.begin) - 1
        between = (self.draws.classes >= FIRST_RANGE).any(axis=(0, 1))
        if not between.any():
            return self
        likelier = np.bincount(self.kernel, self.probability * between, kernels) > CLEAR_PROBABILITY
        counted = self.probability * (between == likelier[self.kernel])
        total = np.bincount(self.kernel, counted, kernels)
        return replace(self, probability=counted / total[self.kernel])

    def _best_power(self, place: IntArray, idle: BoolArray) -> tuple[IntArray, BoolArray]:
        """Return the index in `LEADS` of each kernel's most probable power of a parameter, (K,), and
        whether this power is clear (see `CLEAR_PROBABILITY`), (K,).

        `place` (B,) has the index of each law's power, and `idle` (B,) tells whether the parameter is in no
        term of the law. A parameter that is probably in no term has the power 0.
        """
        mass = self._summed(place, len(LEADS))
        best, clear = mass.argmax(axis=0), mass.max(axis=0) >= CLEAR_PROBABILITY
        some = np.flatnonzero(~clear)
        unclear = mass[:, some]
        among = _IN_PAIRS[:, None] | (unclear[~_IN_PAIRS] > 0).any(axis=0)
        best[some] = ((_NEAR @ unclear) * among).argmax(axis=0)
        unused = np.bincount(self.kernel, self.probability * idle, len(best)) > 0.5
        return np.where(unused, np.searchsorted(LEADS, 0.0), best), clear | unused

    def _summed(self, place: IntArray, places: int, counted: BoolArray | bool = True) -> FloatArray:
        """Sum the probabilities of the `counted` laws that have the same place and kernel, (places, K)."""
        shape = (places, len(self.begin) - 1)
        index = np.ravel_multi_index((place, self.kernel), shape)
        total = np.bincount(index, self.probability * counted, shape[0] * shape[1])
        return np.asarray(total.reshape(shape))


def far_terms(basis: Basis, classes: IntArray) -> FloatArray:
    """Return the values of the terms of laws at `LEAD_MULTIPLE` times the largest measured values, (T, B)."""
    beyond = LEAD_MULTIPLE * basis.campaign.points.max(axis=0)
    return basis.terms(classes, beyond)


def _same(kernel: IntArray, name: IntArray) -> tuple[IntArray, IntArray]:
    """Number the different laws of each kernel. Return each law's number and each number's kernel."""
    order = np.lexsort((name, kernel))
    kernel, name = kernel[order], name[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (kernel[1:] != kernel[:-1]) | (name[1:] != name[:-1])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return number, kernel[new]


def _places(order: IntArray) -> IntArray:
    """Return the place of each index in an order."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places
