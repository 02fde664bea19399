"""Learn the frequencies that the kernels of a campaign share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.deviations.processes import Processes
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import EVERY_PAIR, FIRST_RANGE
from modeling.engine.modelers.evidence.hypotheses.exponentials import exponential
from modeling.engine.modelers.evidence.hypotheses.prior import SHARE_BETWEEN, TEXTBOOK_WEIGHT, WEIGHTS
from modeling.engine.results.common import Common
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FAMILY_ROUNDS = 200
"""Rounds of expectation maximization for kinds of noise. Frequencies of similar kinds converge slowly."""

FACTOR_ROUNDS = 20
"""Rounds of expectation maximization for the frequency of textbook factors."""

FAMILY_KERNELS_BEFORE = 0.2
"""The prior weight of each kind of noise, as a number of kernels."""

FACTORS_BEFORE = 10.0
"""The prior weight of the frequency of textbook factors, as a number of factors."""

LAWS_BEFORE = 20.0
"""The prior weight of the frequency of powers that are in no exponent pair, as a number of kernels."""

PROCESS_ROUNDS = 30
"""Rounds of expectation maximization for the frequencies of processes and of classes of growth."""

PROCESS_KERNELS_BEFORE = 8.0
"""The prior weight of the frequencies of processes, as a number of kernels."""

GROWTH_KERNELS_BEFORE = 16.0
"""The prior weight of the frequencies of classes of growth, as a number of kernels. Forecasts of the second
value beyond the data of public campaigns have an error of 11.2 %, and 12.8 % without learned frequencies. The
values 8 and 30 give the same or a slightly larger error.
"""

_IS_TEXTBOOK = np.zeros(len(EVERY_PAIR), dtype=bool)
_IS_TEXTBOOK[:FIRST_RANGE] = WEIGHTS == TEXTBOOK_WEIGHT
_FEW = 1e-6


def with_processes(common: Common, among: Processes, log_evidence: Sequence[FloatArray]) -> Common:
    """Return `common` with the frequencies of N processes, learned from the log evidence of each group of K
    kernels, (N, K).
    """
    known = [each for each in log_evidence if each.shape[1]]
    if not known:
        return common
    frequency = process_frequencies(among, np.concatenate(known, axis=1))
    return replace(common, by_process=tuple(frequency.tolist()))


def with_growths(common: Common, before: FloatArray, log_evidence: Sequence[FloatArray]) -> Common:
    """Return `common` with the frequencies of classes of growth, learned from the log evidence of each group
    of K kernels, (GROWTHS, K). `before` are the prior frequencies, (GROWTHS,).
    """
    frequency = _learned(before, np.concatenate(log_evidence, axis=1), GROWTH_KERNELS_BEFORE)
    return replace(common, by_growth=tuple(frequency.tolist()))


def frequencies(log_evidence: FloatArray) -> FloatArray:
    """Learn the frequencies of F kinds of noise, (F,), from their log evidence in K kernels, (F, K)."""
    families, kernels = log_evidence.shape
    evidence = exponential(log_evidence - log_evidence.max(axis=0))
    frequency = np.full(families, 1 / families)
    for _ in range(FAMILY_ROUNDS):
        expected = frequency * (evidence @ (1 / (frequency @ evidence)))
        frequency = (expected + FAMILY_KERNELS_BEFORE) / (kernels + families * FAMILY_KERNELS_BEFORE)
    return frequency


def process_frequencies(among: Processes, log_evidence: FloatArray) -> FloatArray:
    """Learn the frequencies of N processes, (N,), from their log evidence in K kernels, (N, K)."""
    return _learned(np.exp(among.log_prior), log_evidence, PROCESS_KERNELS_BEFORE)


def _learned(before: FloatArray, log_evidence: FloatArray, kernels_before: float) -> FloatArray:
    """Learn frequencies from log evidence (alternatives, kernels). The prior frequencies `before` weigh as
    much as `kernels_before` kernels. Kernels that no alternative explains are ignored.
    """
    most = log_evidence.max(axis=0)
    explained = np.isfinite(most)
    evidence = exponential(log_evidence[:, explained] - most[explained])
    frequency = before
    for _ in range(PROCESS_ROUNDS):
        expected = frequency * (evidence @ (1 / (frequency @ evidence)))
        frequency = (expected + kernels_before * before) / (evidence.shape[1] + kernels_before)
    return np.asarray(frequency)


@dataclass(frozen=True)
class Kinds:
    """The kinds of B laws, (B,) each: their numbers of textbook factors and of other factors, and whether
    they have a power that is in no exponent pair (`search.between`). Such laws count no factors.
    """

    textbook: IntArray
    others: IntArray
    between: BoolArray

    @classmethod
    def of(cls, classes: IntArray) -> "Kinds":
        """Count the factors of B laws with T terms of m parameters, (T, m, B)."""
        between = np.asarray((classes >= FIRST_RANGE).any(axis=(0, 1)))
        textbook = _IS_TEXTBOOK[classes] & (classes != 0) & ~between
        others = (classes != 0) & ~textbook & ~between
        return cls(textbook.sum(axis=(0, 1)), others.sum(axis=(0, 1)), between)

    @classmethod
    def all_of(cls, most: int) -> "Kinds":
        """Return all kinds with up to `most` textbook factors and up to `most` other factors, and last the
        kind with a power that is in no exponent pair.
        """
        textbook, others = (np.append(each.ravel(), 0) for each in np.indices((most + 1, most + 1)))
        return cls(textbook, others, np.arange(len(others)) == len(others) - 1)

    @property
    def grows(self) -> BoolArray:
        """Return whether the laws have factors that count, (B,)."""
        return np.asarray(self.textbook + self.others > 0)

    def kind(self, most: int) -> IntArray:
        """Return the index of the kind of each of B laws in `all_of(most)`, (B,)."""
        return np.where(self.between, (most + 1) ** 2, self.textbook * (most + 1) + self.others)

    def log_odds(self, basis: Basis, common: Common) -> FloatArray:
        """Return the change of the log prior of B laws, (B,), if textbook factors and powers that are in no
        exponent pair have the learned odds.
        """
        return self.log_odds_of(
            *(
                (before, odds * before / (odds * before + 1 - before))
                for before, odds in ((_share_before(basis), common.textbook), (SHARE_BETWEEN, common.between))
            )
        )

    def log_odds_of(self, textbook: tuple[float, float], between: tuple[float, float]) -> FloatArray:
        """Return the change of the log prior of B laws, (B,), if two shares change from the first number to
        the second: that of textbook factors among all factors, and that of laws with a power that is in no
        exponent pair among laws with any factor.
        """
        of_textbook, of_others = _log_changes(*textbook)
        of_between, of_rest = _log_changes(*between)
        of_factors = self.textbook * of_textbook + self.others * of_others
        return np.where(self.between, of_between, of_factors + of_rest * self.grows)


def _log_changes(before: float, share: float) -> tuple[float, float]:
    """Return the changes of two log probabilities if the first changes from `before` to `share`."""
    return float(np.log(share / before)), float(np.log((1 - share) / (1 - before)))


def learned_odds(basis: Basis, log_evidence: FloatArray, kinds: Kinds) -> tuple[float, float]:
    """Learn the odds of textbook against other factors, and those of powers in no exponent pair against other
    laws with any factor, each divided by the prior odds. `log_evidence` (kinds, K) is the log evidence of
    kinds of laws in K kernels.
    """
    of_textbook, of_between = _share_before(basis), SHARE_BETWEEN
    evidence = exponential(log_evidence - log_evidence.max(axis=0))
    share, between = of_textbook, of_between
    for _ in range(FACTOR_ROUNDS):
        changes = kinds.log_odds_of((of_textbook, share), (of_between, between))
        probability = np.exp(changes)[:, None] * evidence
        expected = (probability / probability.sum(axis=0)).sum(axis=1)
        textbook, others = expected @ kinds.textbook, expected @ kinds.others
        share = (textbook + of_textbook * FACTORS_BEFORE) / (textbook + others + FACTORS_BEFORE)
        count, rest = expected @ kinds.between, expected @ kinds.grows
        between = (count + of_between * LAWS_BEFORE) / (count + rest + LAWS_BEFORE)
    return _odds(share, of_textbook), _odds(between, of_between)


def _odds(share: float, before: float) -> float:
    return float(share / (1 - share) / (before / (1 - before)))


def _share_before(basis: Basis) -> float:
    """Return the prior share of textbook factors among all factors of laws."""
    prior = np.exp(basis.log_prior[:, 1:])
    # `_FEW` gives a share of 1/2 if no factor is usable.
    return float((prior[:, _IS_TEXTBOOK[1:FIRST_RANGE]].sum() + _FEW / 2) / (prior.sum() + _FEW))
