"""Laws of kernels with repetitions, by the families of noise that these leave possible."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.evidence.basis import Basis, places, points_for_more
from modeling.engine.modelers.evidence.deviations import Deviating
from modeling.engine.modelers.evidence.extension import extended, paired, rising_again
from modeling.engine.modelers.evidence.families import FAMILIES, Noise
from modeling.engine.modelers.evidence.lack_of_fit import explained_by_scatter, rough
from modeling.engine.modelers.evidence.laws import Laws, Located, fitted, rescored
from modeling.engine.modelers.evidence.runs import Runs
from modeling.engine.modelers.evidence.sampling import Draws, sample
from modeling.engine.modelers.evidence.search import at_first_sight, is_combined, search
from modeling.engine.modelers.evidence.sharing import KIND_NAMES, Part
from modeling.engine.validation import BoolArray, FloatArray, IntArray

ONE_SIDED = KIND_NAMES.index("one-sided")

UNDECIDED = 2.5
UNDECIDED_A_REPETITION = 0.03
"""Families this much less likely than the best (logarithm; and more with more runs) are weighed in full."""

UNDECIDED_EDGES = 1.1
"""The same for noise with an edge, times the root of the number of points, as chance goes: one law for all
points says more about their edges."""

PARAMETERS_RISING_AGAIN = 2
"""Parameters up to which laws that rise again are weighed wherever points may fall."""

NEVER_EXPLAINED = 1e-12
"""Share of the cases below which repetitions explain no points so far off a law."""

ROUGH_EXPLAINED = 1e-6
"""Share of the cases below which repetitions explain no points so far off anything smooth."""

SELDOM_EXPLAINED = 0.05
"""If they explain points this seldom, laws with one term more are looked for."""

SURELY_DEVIATES = 40.0
"""Logarithm of the odds from which kernels are not weighed as though they followed a law, by the best one of
least squares: with half of it some are lost that other laws meet, twice it saves few draws."""


@dataclass(frozen=True)
class Lawful:
    """K kernels as though none deviated: by kinds of noise, and the likeliest law of each at first sight,
    `classes` (T, m, K), with its `values` (P, K); these are NaN where there are no repetitions."""

    parts: list[Part]
    classes: IntArray
    values: FloatArray

    def likeliest(self, kernels: IntArray) -> Laws:
        """The likeliest laws of some."""
        return Laws(self.classes[:, :, None, kernels], np.zeros((1, len(kernels))))


@dataclass(frozen=True)
class Repeated:
    """What weighs laws at the points of a basis by what repetitions say of the noise."""

    basis: Basis
    deviating: Deviating

    def weighed(self, runs: Runs, log_frequency: FloatArray) -> Lawful:
        """Kernels with repetitions, by the families of noise that these leave possible.

        Laws are looked for by the likeliest family's values; families nearly as likely weigh the same laws.
        """
        repeated, m = repeated_kernels(runs), self.basis.parameter_count
        found = Lawful(
            [], np.zeros((places(m), m, *runs.total.shape), dtype=np.int64), np.full(runs.count.shape, np.nan)
        )
        if not len(repeated):
            return found
        runs = runs.part(repeated)
        likely, likeliest = _likely(runs, log_frequency)
        located = Located(np.ones_like(runs.mean), np.ones_like(runs.mean))
        for number in np.unique(likeliest):
            some = np.flatnonzero(likeliest == number)
            located.put(some, Located(*FAMILIES[number].locate(runs.part(some))))
        groups, found.classes[..., repeated], found.values[:, repeated] = self._searched(
            runs, likeliest, located
        )
        for those, laws in groups:
            for number, family in enumerate(FAMILIES):
                of_those = np.flatnonzero(likely[number, those])
                if not len(of_those):
                    continue
                some = those[of_those]
                its, own, known = runs.part(some), located.part(some), laws.part(of_those)
                others = np.flatnonzero(likeliest[some] != number)
                if len(others):
                    own.put(others, Located(*family.locate(its.part(others))))
                    known.put(others, rescored(self.basis, known.part(others), own.part(others)))
                draws = sampled(self.basis, its, family, known, own)
                found.parts.append(Part(number, repeated[some], draws))
        return found

    def _searched(
        self, runs: Runs, family: IntArray, located: Located
    ) -> tuple[list[tuple[IntArray, Laws]], IntArray, FloatArray]:
        """Kernels whose noise is likeliest of a `family`, (K,), and their laws, in groups, without those that
        no smooth law explains; and the likeliest law of each, (T, m, K), and its values, (P, K)."""
        laws = at_first_sight(self.basis, located)
        classes, values = best_values(self.basis, laws, located)
        some = self._smooth(values, runs)
        laws = laws.part(some)
        if is_combined(self.basis) and len(some):
            near = located.part(some)
            laws = search(self.basis, near)
            classes[:, :, some], values[:, some] = best_values(self.basis, laws, near)
            still = self._smooth(values[:, some], runs.part(some))
            some, laws = some[still], laws.part(still)
        if not len(some):
            return [], classes, values
        explained = explained_by_scatter(
            runs.part(some), classes[:, :, some], values[:, some], one_sided=family[some] == ONE_SIDED
        )
        groups = self._with_longer(runs.part(some), family[some], located.part(some), laws, explained)
        doubtful = [self._in_doubt(runs, located, some[those], own) for those, own in groups]
        return doubtful, classes, values

    def _smooth(self, values: FloatArray, runs: Runs) -> IntArray:
        """Numbers of the kernels that a smooth law may explain beside one with these values, (P, K)."""
        return np.flatnonzero(rough(self.basis.points, values, runs) > ROUGH_EXPLAINED)

    def _in_doubt(self, runs: Runs, located: Located, those: IntArray, laws: Laws) -> tuple[IntArray, Laws]:
        """Those of some kernels that may not deviate from their laws, and these."""
        values = best_values(self.basis, laws, located.part(those))[1]
        odds = self.deviating.log_odds(values, runs.part(those), SURELY_DEVIATES)
        kept = np.flatnonzero(odds < SURELY_DEVIATES)
        return those[kept], laws.part(kept)

    def _with_longer(
        self, runs: Runs, family: IntArray, located: Located, laws: Laws, explained: FloatArray
    ) -> list[tuple[IntArray, Laws]]:
        """Kernels and their laws in two groups: those of most, and those with one term more, where points
        leave room for it and repetitions seldom explain the others, (K,)."""
        some = np.flatnonzero((explained < SELDOM_EXPLAINED) & self._bear_more(runs))
        every = np.arange(len(family))
        if not len(some):
            return [(every, laws)]
        one_sided = family == ONE_SIDED
        longer = paired(self.basis, located.part(some), laws.part(some))
        worth = np.flatnonzero((explained[some] < 1e-3) | longer.may_repeat())
        some = some[worth]
        rest = np.delete(every, some)
        groups = [(rest, laws.part(rest))]
        if len(some):
            near = located.part(some)
            longer = extended(self.basis, near, longer.part(worth))
            evenly = Located(near.y, np.where(np.isfinite(near.variance), 1.0, np.inf))
            tries = [
                explained_by_scatter(
                    runs.part(some), *best_values(self.basis, longer, each), one_sided=one_sided[some]
                )
                for each in (near, evenly)
            ]
            kept = np.flatnonzero(np.max(tries, axis=0) > NEVER_EXPLAINED)
            groups.append((some[kept], longer.part(kept)))
        return groups

    def _bear_more(self, runs: Runs) -> BoolArray:
        """Whether kernels have points enough for laws with one term more than parameters, (K,)."""
        return np.asarray((runs.count > 0).sum(axis=0) >= points_for_more(self.basis.parameter_count))


def best_values(basis: Basis, laws: Laws, located: Located) -> tuple[IntArray, FloatArray]:
    """Classes (T, m, K) of the best laws, and their values at the points by least squares, (P, K)."""
    classes = laws.classes[:, :, 0]
    return classes, fitted(basis, classes, located, located.weights(located.y))


def sampled(basis: Basis, runs: Runs, noise: Noise, laws: Laws, located: Located) -> Draws:
    """Draws from laws, beside which some that rise again stand where plain ones may fall."""
    m = basis.parameter_count
    draws = sample(basis, runs, noise, laws, located)
    some = np.flatnonzero(laws.may_fall())
    if not len(some) or len(laws.classes) > m or m > PARAMETERS_RISING_AGAIN:
        return draws
    near = located.part(some)
    more = rising_again(basis, near, laws.part(some))
    return draws.with_others(some, sample(basis, runs.part(some), noise, more, near))


def repeated_kernels(runs: Runs) -> IntArray:
    """Numbers of the kernels with repetitions."""
    return np.flatnonzero(runs.total > (runs.count > 0).sum(axis=0))


def scatter(runs: Runs) -> FloatArray:
    """Logarithm of how likely the repetitions are in each family of noise, (families, K)."""
    found = np.stack([family.log_scatter(runs) for family in FAMILIES])
    return np.where(np.isfinite(found), found, -1e300)


def _likely(runs: Runs, log_frequency: FloatArray) -> tuple[BoolArray, IntArray]:
    """Families of noise that the repetitions leave possible, (families, K), and the likeliest, (K,)."""
    total = log_frequency[:, None] + scatter(runs)
    edges = np.array([[family.has_edge] for family in FAMILIES]) * np.sqrt((runs.count > 0).sum(axis=0))
    undecided = UNDECIDED + UNDECIDED_A_REPETITION * runs.total + UNDECIDED_EDGES * edges
    return total > total.max(axis=0) - undecided, total.argmax(axis=0)
