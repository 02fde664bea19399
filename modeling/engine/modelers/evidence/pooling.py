"""Learn the frequencies that the kernels of a campaign share: those of kinds of noise, textbook factors,
processes and classes of growth.

Textbook factors are whole powers and the plain logarithm.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.deviations.processes import Processes
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.prior import TEXTBOOK_WEIGHT, WEIGHTS
from modeling.engine.results.common import Common
from modeling.engine.validation import FloatArray, IntArray

FAMILY_ROUNDS = 200
"""Rounds of expectation maximization for the frequencies of kinds of noise. It converges slowly if some kinds
look alike.
"""

FACTOR_ROUNDS = 20
"""Rounds of expectation maximization for the frequency of textbook factors, which converges fast."""

FAMILY_KERNELS_BEFORE = 0.2
"""The prior of the frequencies of kinds of noise weighs as much as this number of kernels for each kind."""

FACTORS_BEFORE = 10.0
"""The prior of the frequency of textbook factors weighs as much as this number of factors."""

PROCESS_ROUNDS = 30
"""Rounds of expectation maximization for the frequencies of processes and of classes of growth. Some are so
similar that more rounds would only move frequency between them, which hardly changes results.
"""

PROCESS_KERNELS_BEFORE = 8.0
"""The prior of the processes' frequencies weighs as much as this number of kernels."""

GROWTH_KERNELS_BEFORE = 16.0
"""The prior of the frequencies of classes of growth weighs as much as this number of kernels. With 8 or 30
kernels, forecasts of the second value beyond the data of public campaigns have the same or a slightly larger
error. If the frequencies were not learned at all, the error would be 12.8 instead of 11.2 %.
"""

_IS_TEXTBOOK = WEIGHTS == TEXTBOOK_WEIGHT
_FEW = 1e-6


def with_processes(common: Common, among: Processes, log_evidence: Sequence[FloatArray]) -> Common:
    """Return `common` with the frequencies of processes. The frequencies are learned from the log evidence of
    the processes in groups of kernels, (N, K) for each group.
    """
    known = [each for each in log_evidence if each.shape[1]]
    if not known:
        return common
    frequency = process_frequencies(among, np.concatenate(known, axis=1))
    return replace(common, by_process=tuple(frequency.tolist()))


def with_growths(common: Common, before: FloatArray, log_evidence: Sequence[FloatArray]) -> Common:
    """Return `common` with the frequencies of classes of growth. The frequencies are learned from the log
    evidence of the classes in groups of kernels, (GROWTHS, K) for each group. The prior frequencies are
    `before` (GROWTHS,).
    """
    frequency = _learned(before, np.concatenate(log_evidence, axis=1), GROWTH_KERNELS_BEFORE)
    return replace(common, by_growth=tuple(frequency.tolist()))


def frequencies(log_evidence: FloatArray) -> FloatArray:
    """Return the frequencies of the kinds of noise, (F,), learned from the log evidence of these kinds in a
    campaign's kernels, (F, K).
    """
    families, kernels = log_evidence.shape
    evidence = np.exp(log_evidence - log_evidence.max(axis=0))
    frequency = np.full(families, 1 / families)
    for _ in range(FAMILY_ROUNDS):
        expected = frequency * (evidence @ (1 / (frequency @ evidence)))
        frequency = (expected + FAMILY_KERNELS_BEFORE) / (kernels + families * FAMILY_KERNELS_BEFORE)
    return frequency


def process_frequencies(among: Processes, log_evidence: FloatArray) -> FloatArray:
    """Return the frequency of each process, (N,), learned from the log evidence of the processes in a
    campaign's kernels, (N, K).
    """
    return _learned(np.exp(among.log_prior), log_evidence, PROCESS_KERNELS_BEFORE)


def _learned(before: FloatArray, log_evidence: FloatArray, kernels_before: float) -> FloatArray:
    """Return the frequency of each of N alternatives, (N,), learned from the log evidence of the alternatives
    in a campaign's kernels, (N, K), and from a prior.

    The prior weighs as much as `kernels_before` kernels distributed like `before` (N,). Kernels that no
    alternative explains are ignored.
    """
    most = log_evidence.max(axis=0)
    explained = np.isfinite(most)
    evidence = np.exp(log_evidence[:, explained] - most[explained])
    frequency = before
    for _ in range(PROCESS_ROUNDS):
        expected = frequency * (evidence @ (1 / (frequency @ evidence)))
        frequency = (expected + kernels_before * before) / (evidence.shape[1] + kernels_before)
    return np.asarray(frequency)


@dataclass(frozen=True)
class Kinds:
    """The kinds of laws: laws are of one kind if they have the same number of textbook factors and the same
    number of other factors. Both numbers are (B,).
    """

    textbook: IntArray
    others: IntArray

    @classmethod
    def of(cls, classes: IntArray) -> "Kinds":
        """Count the factors of laws (T, m, B)."""
        textbook = _IS_TEXTBOOK[classes] & (classes != 0)
        return cls(textbook.sum(axis=(0, 1)), ((classes != 0) & ~textbook).sum(axis=(0, 1)))

    @classmethod
    def all_of(cls, most: int) -> "Kinds":
        """Return all kinds of laws with up to `most` textbook factors and up to `most` other factors."""
        return cls(*(each.ravel() for each in np.indices((most + 1, most + 1))))

    def kind(self, most: int) -> IntArray:
        """Return the index of each law's kind in `all_of(most)`, (B,)."""
        return self.textbook * (most + 1) + self.others

    def log_odds(self, basis: Basis, odds: float) -> FloatArray:
        """Return by how much the log prior of the laws changes, (B,), if the ratio of textbook factors to
        other factors is `odds` times that in the prior.
        """
        before = _share_before(basis)
        return self.log_odds_of(before, odds * before / (odds * before + 1 - before))

    def log_odds_of(self, before: float, share: float) -> FloatArray:
        """Compute `log_odds` if the share of textbook factors in all factors is `share` instead of
        `before`.
        """
        of_others = np.log((1 - share) / (1 - before))
        return np.asarray(self.textbook * np.log(share / before) + self.others * of_others)


def odds_of_textbook(basis: Basis, log_evidence: FloatArray, kinds: Kinds) -> float:
    """Return the odds of textbook factors in the campaign, divided by the prior odds. `log_evidence` (kinds,
    K) is the log evidence of each kind of law in the campaign's kernels.
    """
    before = _share_before(basis)
    evidence = np.exp(log_evidence - log_evidence.max(axis=0))
    share = before
    for _ in range(FACTOR_ROUNDS):
        probability = np.exp(kinds.log_odds_of(before, share))[:, None] * evidence
        expected = (probability / probability.sum(axis=0)).sum(axis=1)
        textbook, others = expected @ kinds.textbook, expected @ kinds.others
        share = (textbook + before * FACTORS_BEFORE) / (textbook + others + FACTORS_BEFORE)
    return float(share / (1 - share) / (before / (1 - before)))


def _share_before(basis: Basis) -> float:
    """Return the prior share of textbook factors among all factors of laws."""
    prior = np.exp(basis.log_prior[:, 1:])
    # Where a parameter has few values, only some factors are usable, or none.
    return float((prior[:, _IS_TEXTBOOK[1:]].sum() + _FEW / 2) / (prior.sum() + _FEW))
