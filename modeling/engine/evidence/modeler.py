"""The evidence modeler: the posterior over all laws, noise and coefficients integrated out (METHODS §2.6)."""

import numpy as np
from scipy.special import fdtrc

from modeling.engine.evidence.basis import Basis
from modeling.engine.evidence.deviations import Deviating
from modeling.engine.evidence.extension import extended
from modeling.engine.evidence.families import FAMILIES
from modeling.engine.evidence.runs import Runs, summarise
from modeling.engine.evidence.sampling import WORTH, Draws, sample
from modeling.engine.evidence.search import Located, fitted, search
from modeling.engine.evidence.summary import WeightedDraws, summarised
from modeling.engine.models import Models
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NAMES = (*(family.name for family in FAMILIES), "deviating")

UNDECIDED = 4.0
UNDECIDED_PER_RUN = 0.03
"""Families this much less likely than the best (logarithm; and more with more runs) are weighed in full."""

POINTS_A_COEFFICIENT = 3
"""Points for every coefficient but the constant that laws with more terms have to rest on."""

PSEUDO_COUNT = 0.2
"""Kernels of each family that a campaign is thought to have before it is seen."""

DEVIATES = 1e-3
"""Points that repetitions explain this seldom are taken for deviations from any law."""


class Evidence:
    """Bayesian model averaging over the performance model normal form.

    Parameters
    ----------
    points : (P, m)

    """

    def __init__(self, points: FloatArray) -> None:
        self.basis = Basis(points)
        self.deviating = Deviating(points)

    @property
    def kernels_at_once(self) -> int:
        """Enough to be worth a call, few enough to stay near the processor."""
        return {1: 250, 2: 100}.get(self.basis.parameter_count, 20)

    @property
    def bears_more(self) -> bool:
        """Whether there are points enough for laws with one term more than parameters."""
        return len(self.basis.points) >= POINTS_A_COEFFICIENT * (self.basis.parameter_count + 1)

    def __call__(self, values: FloatArray) -> Models:
        """Model the kernels of `values` (K, P, R)."""
        runs = summarise(values)
        with np.errstate(all="ignore"):
            known = np.flatnonzero(runs.total > 0)
            draws = self._posterior(runs.part(known)) if len(known) else None
            return summarised(self.basis, values, runs, known, draws)

    def _posterior(self, runs: Runs) -> WeightedDraws:
        """Draws from all families of noise that may be."""
        likely = _likely(runs)
        parts: list[tuple[int, IntArray, Draws]] = []
        unrepeated = runs.total == (runs.count > 0).sum(axis=0)
        deviates = unrepeated.copy()
        for number, family in enumerate(FAMILIES):
            kernels = np.flatnonzero(likely[number] & ~unrepeated)
            if not len(kernels):
                continue
            some = runs.part(kernels)
            located = Located(*family.locate(some))
            laws = search(self.basis, located)
            draws = sample(self.basis, some, family, laws, located).with_place()
            missed = np.flatnonzero(_misses(draws, some, located, self.basis))
            if len(missed) and self.bears_more:
                there, at = some.part(missed), located.part(missed)
                longer = extended(self.basis, at, laws.part(missed))
                draws.put(missed, sample(self.basis, there, family, longer, at))
                missed = missed[_misses(draws.part(missed), there, at, self.basis)]
            deviates[kernels[missed]] = True
            parts.append((number, kernels, draws))
        kernels = np.flatnonzero(deviates)
        if len(kernels):
            parts.append((len(FAMILIES), kernels, self._deviating(runs.part(kernels))))
        return _shared_out(parts, len(runs.scale))

    def _deviating(self, runs: Runs) -> Draws:
        """Draws for kernels whose points lie off any law."""
        located = self.deviating.locate(runs)
        for _ in range(2):
            laws = search(self.basis, located)
            law = fitted(self.basis, laws.classes[:, :, 0], located, located.weights(located.y))
            located = self.deviating.relocate(law, runs)
        laws = search(self.basis, located)
        if self.bears_more:
            laws = extended(self.basis, located, laws)
        draws = sample(self.basis, runs, self.deviating, laws, located)
        return draws if self.bears_more else draws.with_place()


def _likely(runs: Runs) -> BoolArray:
    """Families of noise that the repetitions leave possible, (families, K)."""
    scatter = np.stack([family.log_scatter(runs) for family in FAMILIES])
    scatter = np.where(np.isfinite(scatter), scatter, -1e300)
    total = np.log(_frequencies(scatter))[:, None] + scatter
    return np.asarray(total > total.max(axis=0) - UNDECIDED - UNDECIDED_PER_RUN * runs.total)


def _frequencies(log_evidence: FloatArray) -> FloatArray:
    """How often each family occurs in the campaign, (F,): what makes all evidence (F, K) most likely."""
    families, kernels = log_evidence.shape
    frequency = np.full(families, 1 / families)
    for _ in range(30):
        share = np.log(frequency)[:, None] + log_evidence
        share = np.exp(share - share.max(axis=0))
        share /= share.sum(axis=0)
        frequency = (share.sum(axis=1) + PSEUDO_COUNT) / (kernels + families * PSEUDO_COUNT)
    return frequency


def _misses(draws: Draws, runs: Runs, located: Located, basis: Basis) -> BoolArray:
    """Whether even the most likely law misses points by more than their repetitions explain, (K,)."""
    best = draws.log_weights.argmax(axis=0)
    kernels = np.arange(len(best))
    columns = basis.columns(draws.classes[:, :, best, kernels])
    law = draws.coefficients[0, best, kernels] + (
        draws.coefficients[1:, best, kernels][:, None] * columns
    ).sum(axis=0)
    seen = runs.count > 0
    misfit = np.where(seen, (located.y / law - 1) ** 2 / located.variance, 0.0).sum(axis=0)
    used = 1 + (draws.classes[:, :, best, kernels] != 0).any(axis=1).sum(axis=0)
    freedom = np.maximum(seen.sum(axis=0) - used, 1)
    repetitions = np.maximum(runs.total - seen.sum(axis=0), 1)
    possible = np.isfinite(draws.log_weights).any(axis=0)
    return np.asarray(~possible | ~(fdtrc(freedom, repetitions, misfit / freedom) >= DEVIATES))


def _shared_out(parts: list[tuple[int, IntArray, Draws]], kernels: int) -> WeightedDraws:
    """All families' draws side by side, weighted by their own evidence and by how common they are."""
    evidence = np.full((len(NAMES), kernels), -1e300)
    for number, those, draws in parts:
        evidence[number, those] = np.maximum(draws.log_evidence, -1e300)
    frequency = _frequencies(evidence)
    terms, m = parts[0][2].classes.shape[:2]
    count = sum(len(draws.log_weights) for _, _, draws in parts)
    classes = np.zeros((terms, m, count, kernels), dtype=np.int64)
    coefficients = np.zeros((terms + 1, count, kernels))
    log_weights = np.full((count, kernels), -np.inf)
    level = np.zeros((count, kernels))
    family = np.zeros(count, dtype=np.int64)
    begin = 0
    for number, those, draws in parts:
        rows = slice(begin, begin + len(draws.log_weights))
        classes[:, :, rows, those] = draws.classes
        coefficients[:, rows, those] = draws.coefficients
        log_weights[rows, those] = draws.log_weights + np.log(frequency[number])
        level[rows, those] = draws.level
        family[rows] = number
        begin = rows.stop
    return WeightedDraws(classes, coefficients, _evened(log_weights), level, family)


def _evened(log_weights: FloatArray) -> FloatArray:
    """Weights (S, K) that sum to 1; evened out where so few draws count that chance would decide."""
    power = np.ones(log_weights.shape[1])
    log_weights = log_weights - log_weights.max(axis=0)
    for _ in range(20):
        weights = np.exp(power * log_weights)
        weights /= weights.sum(axis=0)
        few = 1 / (weights**2).sum(axis=0) < WORTH
        if not few.any():
            break
        power = np.where(few, power * 0.7, power)
    return weights
