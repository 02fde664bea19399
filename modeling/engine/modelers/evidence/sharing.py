"""The kinds of noise of a kernel, each weighted by its frequency in the campaign. A kind of noise is a family
of noise, or `deviating`: the points deviate from every law.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.joining import equal_rows
from modeling.engine.modelers.evidence.draws.coefficients import WeightedDraws
from modeling.engine.modelers.evidence.draws.sampling import EFFECTIVE_DRAWS, NEVER, Draws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_FACTORS
from modeling.engine.modelers.evidence.hypotheses.exponentials import exponential
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located
from modeling.engine.modelers.evidence.noise.families import FAMILIES
from modeling.engine.modelers.evidence.pooling import Kinds, frequencies, learned_odds
from modeling.engine.results.common import Common
from modeling.engine.results.posterior import DEVIATING
from modeling.engine.validation import FloatArray, IntArray

KIND_NAMES = (*(family.name for family in FAMILIES), "deviating")

NEGLIGIBLE_KIND = 0.003
"""A kind of noise is left out if its evidence is below this share of the likeliest kind's evidence."""

KERNELS_AT_ONCE = 1000
"""The largest number of kernels whose draws are summarised together. These draws fit into the processor's
cache.
"""

EVENING = 0.7
"""Weights are raised to a power. The power is lowered by this factor until there are `EFFECTIVE_DRAWS`. A
smaller factor evens weights more than necessary.
"""


@dataclass(frozen=True)
class Part:
    """Draws under one kind of noise.

    Attributes:
        family: the index of the kind of noise in `KIND_NAMES`.
        kernels: the indices of K kernels in their group, (K,).
        draws: the draws of these kernels.
        by_process: the log evidence of N processes, (N, K), or None if not computed.
        by_growth: the log evidence of the classes of growth, (GROWTHS, K), or None if not computed.
        around: the laws from which the kernels deviate, and the values to which these laws were fitted; None
            for one parameter and for families of noise.
    """

    family: int
    kernels: IntArray
    draws: Draws
    by_process: FloatArray | None = None
    by_growth: FloatArray | None = None
    around: tuple[Laws, Located] | None = None

    def part(self, some: IntArray) -> "Part":
        """Return the draws of some of the kernels, under a family of noise."""
        return Part(self.family, self.kernels[some], self.draws.part(some))

    def with_draws(self, some: IntArray, draws: Draws, by_process: FloatArray | None) -> "Part":
        """Return this part with other draws of the kernels `some`, and with `by_process` if given."""
        if self.by_process is not None and by_process is not None:
            self.by_process[:, some] = by_process
        return replace(self, draws=self.draws.with_others(some, draws))


@dataclass(frozen=True)
class Weighed:
    """Draws of kernels at the points of one basis, with one part for each kind of noise. The part of
    deviating kernels, if any, is the last. For the kernels in this part, the other parts do not count.
    """

    basis: Basis
    count: int
    parts: list[Part]

    def around(self, kernels: IntArray) -> tuple[Laws, Located] | None:
        """Return the laws from which the kernels deviate, best first, and the values to which these laws were
        fitted. None if no part has such laws of all `kernels`.
        """
        for part in self.parts:
            if part.around is not None and np.isin(kernels, part.kernels).all():
                some = np.searchsorted(part.kernels, kernels)
                return part.around[0].part(some), part.around[1].part(some)
        return None

    @property
    def most_factors(self) -> int:
        """The largest number of factors of any law."""
        most = max((len(part.draws.classes) for part in self.parts), default=0) * self.basis.parameter_count
        return min(most, MOST_FACTORS)

    @property
    def log_evidence(self) -> FloatArray:
        """Return the log evidence of each kind of noise in K kernels, (KIND_NAMES, K); −∞ where a kernel has
        no draws.
        """
        evidence = np.full((len(KIND_NAMES), self.count), -np.inf)
        for part in self.parts:
            evidence[part.family, part.kernels] = np.maximum(part.draws.log_evidence, NEVER)
        return evidence

    def log_evidence_of(self, most: int) -> FloatArray:
        """Return the log evidence of each kind of noise and of each of the `Kinds.all_of(most)` in K kernels,
        (KIND_NAMES, kinds, K).
        """
        evidence = np.full((len(KIND_NAMES), len(Kinds.all_of(most).others), self.count), -np.inf)
        for part in self.parts:
            if part.family == DEVIATING:
                evidence[:, :, part.kernels] = -np.inf
            kind = Kinds.of(part.draws.classes).kind(most)
            of_kinds = part.draws.log_evidence_of(kind, evidence.shape[1])
            evidence[part.family][:, part.kernels] = np.maximum(of_kinds, NEVER)
        return evidence


def pooled(known: Common, groups: list[Weighed]) -> Common:
    """Return `known` with the frequencies of kinds of noise and textbook factors, learned from all groups."""
    most = max((group.most_factors for group in groups), default=0)
    evidence = np.concatenate([group.log_evidence_of(most) for group in groups], axis=2)
    by_evidence = frequencies(np.logaddexp.reduce(evidence, axis=1))
    evidence += np.log(by_evidence)[:, None, None]
    textbook, between = learned_odds(
        groups[0].basis, np.logaddexp.reduce(evidence, axis=0), Kinds.all_of(most)
    )
    return replace(known, by_evidence=tuple(by_evidence.tolist()), textbook=textbook, between=between)


def shared_out(group: Weighed, common: Common) -> list[tuple[IntArray, WeightedDraws]]:
    """Return groups of kernels with the same likely kinds of noise, and the draws of each group under these
    kinds. Draws are weighted by the frequencies in the campaign.
    """
    parts, basis = group.parts, group.basis
    if not parts:
        return []
    log_frequency = np.log(common.by_evidence)
    kinds = Kinds.all_of(group.most_factors)
    evidence = group.log_evidence_of(group.most_factors) + log_frequency[:, None, None]
    of_noise = np.logaddexp.reduce(evidence + kinds.log_odds(basis, common)[:, None], axis=1)
    counts = of_noise >= of_noise.max(axis=0) + np.log(NEGLIGIBLE_KIND)
    of_parts = np.zeros((len(parts), group.count), dtype=bool)
    for number, part in enumerate(parts):
        of_parts[number, part.kernels] = counts[part.family, part.kernels]
    first, member = equal_rows(of_parts.T)
    log_odds = [
        log_frequency[part.family] + Kinds.of(part.draws.classes).log_odds(basis, common) for part in parts
    ]
    found = []
    for number, of_group in enumerate(of_parts.T[first]):
        those, some = np.flatnonzero(member == number), np.flatnonzero(of_group)
        found += [
            (few, _side_by_side([parts[i] for i in some], few, [log_odds[i] for i in some]))
            for few in np.split(those, range(KERNELS_AT_ONCE, len(those), KERNELS_AT_ONCE))
        ]
    return found


def _side_by_side(parts: list[Part], kernels: IntArray, log_odds: list[FloatArray]) -> WeightedDraws:
    """Join the draws of the same kernels under several kinds of noise. `log_odds` change the weights."""
    terms = max(len(part.draws.classes) for part in parts)
    draws = [part.draws.part(np.searchsorted(part.kernels, kernels)).with_terms(terms) for part in parts]
    weights = [each.log_weights + odds.take(each.law) for each, odds in zip(draws, log_odds, strict=True)]
    begin = np.cumsum([0, *(each.classes.shape[2] for each in draws)])
    return WeightedDraws(
        classes=np.concatenate([each.classes for each in draws], axis=2),
        law=np.concatenate([each.law + first for each, first in zip(draws, begin, strict=False)]),
        coefficients=np.concatenate([each.coefficients for each in draws], axis=1),
        weights=_evened(np.concatenate(weights)),
        level=np.concatenate([each.level for each in draws]),
        family=np.repeat([part.family for part in parts], [len(each.level) for each in draws]),
    )


def _evened(log_weights: FloatArray) -> FloatArray:
    """Return weights that sum to 1 for each kernel, evened if the effective number of draws is small."""
    power = np.ones(log_weights.shape[1])
    most = log_weights.max(axis=0)
    log_weights = np.where(np.isfinite(most), log_weights - most, 0.0)
    for _ in range(20):
        weights = exponential(power * log_weights)
        weights /= weights.sum(axis=0)
        few = 1 / (weights**2).sum(axis=0) < EFFECTIVE_DRAWS
        if not few.any():
            break
        power = np.where(few, power * EVENING, power)
    return weights
