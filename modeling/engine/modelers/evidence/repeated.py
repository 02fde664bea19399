"""Draw laws of kernels with repetitions, as if no kernel deviated."""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.modelers.evidence.draws.deviations import Deviating
from modeling.engine.modelers.evidence.draws.sampling import DRAWS, NEVER, Draws, sample
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import places, points_for_more
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    fitted,
    merged,
    rescored,
)
from modeling.engine.modelers.evidence.noise.families import FAMILIES, Noise
from modeling.engine.modelers.evidence.noise.lack_of_fit import explained_by_scatter, rough
from modeling.engine.modelers.evidence.noise.runs import Runs
from modeling.engine.modelers.evidence.search.alternating import IN_TERMS, alternated
from modeling.engine.modelers.evidence.search.between import with_powers_between
from modeling.engine.modelers.evidence.search.extension import extended, paired, rising_again, with_place
from modeling.engine.modelers.evidence.search.likely_laws import at_first_sight, is_combined, search
from modeling.engine.modelers.evidence.sharing import Part
from modeling.engine.results.common import Common
from modeling.engine.validation import BoolArray, FloatArray, IntArray

UNDECIDED = 2.5
UNDECIDED_A_REPETITION = 0.03
"""A family of noise is tried if its log evidence is not far below the likeliest family's. The largest
difference is `UNDECIDED`, plus `UNDECIDED_A_REPETITION` for each repetition. Larger values cost time. Smaller
values exclude families that the laws would favour.
"""

UNDECIDED_EDGES = 1.1
"""For families with an edge (`Family.has_edge`), this number times √points is added to `UNDECIDED`. A law
through all points reveals more about an edge than the repetitions of each point alone.
"""

PARAMETERS_RISING_AGAIN = 2
"""The largest number of parameters with which laws that fall and rise are tried."""

NEVER_EXPLAINED = 1e-12
"""Below this p value of the lack-of-fit test, a kernel deviates even from longer laws."""

ROUGH_EXPLAINED = 1e-6
"""Below this p value of `lack_of_fit.rough`, a kernel deviates from every law."""

SELDOM_EXPLAINED = 0.05
"""Below this p value of the lack-of-fit test, longer laws are searched for."""

SURELY_DEVIATES = 40.0
"""If the log odds of deviation from the best law reach this value, only laws with deviations are sampled, to
save time. With half this value, kernels that another law fits would be left out.
"""


@dataclass(frozen=True)
class Lawful:
    """Laws of K kernels, computed as if no kernel deviated.

    Attributes:
        parts: the draws, with one part for each family of noise.
        classes: the classes of each kernel's likeliest law, with T terms of m parameters, (T, m, K).
        values: the values of this law at P points, (P, K); NaN for kernels without repetitions.
    """

    parts: list[Part]
    classes: IntArray
    values: FloatArray

    def where(self, runs: Runs, common: Common) -> "Lawful":
        """Return the laws without the draws under families that are not tried with the frequencies of
        `common`. `runs` are the repetitions of the K kernels.
        """
        tried = np.zeros((len(FAMILIES), len(runs.scale)), dtype=bool)
        repeated = repeated_kernels(runs)
        if len(repeated):
            tried[:, repeated] = _tried(runs.part(repeated), common)[0]
        kept = [np.flatnonzero(tried[part.family, part.kernels]) for part in self.parts]
        parts = [part.part(some) for part, some in zip(self.parts, kept, strict=True) if len(some)]
        return replace(self, parts=parts)

    def likeliest(self, kernels: IntArray) -> Laws:
        """Return the likeliest law of each of the given kernels."""
        return Laws(self.classes[:, :, None, kernels], np.zeros((1, len(kernels))))


@dataclass(frozen=True)
class Repeated:
    """Draws laws of kernels with repetitions at the points of a basis."""

    basis: Basis
    deviating: Deviating
    longer: bool = True  # whether laws with one more term are searched for

    def weighed(self, runs: Runs, common: Common) -> Lawful:
        """Draw laws of kernels with repetitions, under all families of noise that the repetitions allow.
        The frequencies of the families come from `common`.
        """
        repeated, m = repeated_kernels(runs), self.basis.parameter_count
        found = Lawful(
            [],
            np.zeros((places(m), m, *runs.total.shape), dtype=np.int64),
            np.full(runs.count.shape, np.nan),
        )
        if not len(repeated):
            return found
        runs = runs.part(repeated)
        likely, likeliest = _tried(runs, common)
        located = Located(np.ones_like(runs.mean), np.ones_like(runs.mean))
        for number in np.unique(likeliest):
            some = np.flatnonzero(likeliest == number)
            located.put(some, Located(*FAMILIES[number].locate(runs.part(some))))
        groups, found.classes[..., repeated], found.values[:, repeated] = self._searched(runs, located)
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
        self, runs: Runs, located: Located
    ) -> tuple[list[tuple[IntArray, Laws]], IntArray, FloatArray]:
        """Return groups of kernels with their laws, and the classes and the values at points of each kernel's
        best law. Kernels that deviate from every law are in no group.
        """
        laws = at_first_sight(self.basis, located)
        if not is_combined(self.basis):
            laws = with_powers_between(self.basis, located, laws)
        classes, values = best_values(self.basis, laws, located)
        some, plain = self._smooth(values, runs), values.copy()
        laws = laws.part(some)
        if is_combined(self.basis) and len(some):
            near = located.part(some)
            laws = search(self.basis, near, laws)
            classes[:, :, some], values[:, some] = best_values(self.basis, laws, near)
            plain[:, some] = values[:, some]
            laws = with_powers_between(self.basis, near, laws)
            values[:, some] = best_values(self.basis, laws, near)[1]
            still = self._smooth(values[:, some], runs.part(some))
            some, laws = some[still], laws.part(still)
        if not len(some):
            return [], classes, values
        explained = explained_by_scatter(runs.part(some), classes[:, :, some], plain[:, some])
        groups = self._with_longer(runs.part(some), located.part(some), laws, explained)
        doubtful = [self._in_doubt(runs, located, some[those], own) for those, own in groups]
        return doubtful, classes, values

    def _smooth(self, values: FloatArray, runs: Runs) -> IntArray:
        """Return the indices of kernels that a smooth law may explain."""
        return np.flatnonzero(rough(self.basis.points, values, runs) > ROUGH_EXPLAINED)

    def _in_doubt(self, runs: Runs, located: Located, those: IntArray, laws: Laws) -> tuple[IntArray, Laws]:
        """Return the kernels that do not surely deviate from their best law, and their laws."""
        values = best_values(self.basis, laws, located.part(those))[1]
        odds = self.deviating.log_odds(values, runs.part(those), SURELY_DEVIATES)
        kept = np.flatnonzero(odds < SURELY_DEVIATES)
        return those[kept], laws.part(kept)

    def _with_longer(
        self, runs: Runs, located: Located, laws: Laws, explained: FloatArray
    ) -> list[tuple[IntArray, Laws]]:
        """Split kernels into groups with plain laws and with longer laws. Longer laws are tried if the p
        value `explained` of plain laws is small and there are enough points. Where parameters never vary
        together, they are always tried, because sums such as n + n·p then look like plain laws. Kernels that
        longer laws do not explain are in no group.
        """
        doubtful = (explained < SELDOM_EXPLAINED) | self.basis.is_cross
        some = np.flatnonzero(doubtful & self._bear_more(runs))
        every = np.arange(len(explained))
        if not len(some):
            return self._rising_again(runs, located, every, laws)
        simple = paired(self.basis, located.part(some), laws.part(some))
        longer = alternated(self.basis, located.part(some), simple)
        worth = np.flatnonzero((explained[some] < 1e-3) | longer.may_repeat())
        some = some[worth]
        rest = np.delete(every, some)
        groups = self._rising_again(runs, located, rest, laws.part(rest))
        if len(some):
            near = located.part(some)
            longer = longer.part(worth)
            if self.basis.parameter_count > 1:  # with one parameter, all sums of two terms are paired
                more = extended(self.basis, near, simple.part(worth))
                # Sums of three terms and any power would explain deviations.
                longer = merged(with_powers_between(self.basis, near, longer), more, LAWS_KEPT)
            evenly = Located(near.y, np.where(np.isfinite(near.variance), 1.0, np.inf))
            tries = [
                explained_by_scatter(runs.part(some), *best_values(self.basis, longer, each))
                for each in (near, evenly)
            ]
            kept = np.flatnonzero(np.max(tries, axis=0) > NEVER_EXPLAINED)
            groups.append((some[kept], longer.part(kept)))
        return groups

    def _rising_again(
        self, runs: Runs, located: Located, kernels: IntArray, laws: Laws
    ) -> list[tuple[IntArray, Laws]]:
        """Split `kernels` that plain laws explain. Those that may fall get sums of two terms, because plain
        laws often fit the values of divided work plus communication by chance.
        """
        falls = np.zeros(len(kernels), dtype=bool)
        if self.basis.parameter_count in IN_TERMS:
            falls = laws.may_fall() & self._bear_more(runs.part(kernels))
        rest, some = np.flatnonzero(~falls), np.flatnonzero(falls)
        groups = [(kernels[rest], laws.part(rest))]
        if len(some):
            longer = Laws(with_place(laws.classes[..., some]), laws.log_evidence[:, some])
            near = located.part(kernels[some])
            longer = alternated(self.basis, near, longer)
            groups.append((kernels[some], with_powers_between(self.basis, near, longer)))
        return groups

    def _bear_more(self, runs: Runs) -> BoolArray:
        """Return whether each kernel has enough points for laws with one term more than parameters."""
        enough = (runs.count > 0).sum(axis=0) >= points_for_more(self.basis.parameter_count)
        return np.asarray(enough & self.longer)


def best_values(basis: Basis, laws: Laws, located: Located) -> tuple[IntArray, FloatArray]:
    """Return the classes of K kernels' best laws, (T, m, K), and the values of these laws at P points, (P,
    K). The laws have T terms of m parameters, fitted by least squares.
    """
    classes = laws.classes[:, :, 0]
    return classes, fitted(basis, classes, located, located.weights(located.y))


def sampled(
    basis: Basis, runs: Runs, noise: Noise, laws: Laws, located: Located, *, count: int = DRAWS
) -> Draws:
    """Make `count` draws from `laws`. For kernels that may fall, laws that fall and rise again are also
    drawn.
    """
    m = basis.parameter_count
    draws = sample(basis, runs, noise, laws, located, count=count)
    some = np.flatnonzero(laws.may_fall())
    if not len(some) or len(laws.classes) > m or m > PARAMETERS_RISING_AGAIN:
        return draws
    near = located.part(some)
    more = rising_again(basis, near, laws.part(some))
    return draws.with_others(some, sample(basis, runs.part(some), noise, more, near, count=count))


def repeated_kernels(runs: Runs) -> IntArray:
    """Return the indices of the kernels with at least two repetitions at some point."""
    return np.flatnonzero(runs.total > (runs.count > 0).sum(axis=0))


def scatter(runs: Runs) -> FloatArray:
    """Return the log likelihood of K kernels' repetitions under F families, (F, K), without a law: the true
    values at the points are free.
    """
    found = np.stack([family.log_scatter(runs) for family in FAMILIES])
    return np.where(np.isfinite(found), found, NEVER)


def _tried(runs: Runs, common: Common) -> tuple[BoolArray, IntArray]:
    """Return which families are tried for each kernel, (F, K), and the likeliest family by the repetitions
    alone, (K,). A family must be likely with the frequencies that the repetitions of the campaign show and,
    once they are known, with those among laws. The latter tell rare families from frequent ones much better.
    """
    evidence = scatter(runs)
    likely, likeliest = _likely(runs, np.log(common.by_scatter)[:, None] + evidence)
    among_laws, _ = _likely(runs, np.log(common.by_family)[:, None] + evidence)
    return likely & (among_laws | (np.arange(len(evidence))[:, None] == likeliest)), likeliest


def _likely(runs: Runs, total: FloatArray) -> tuple[BoolArray, IntArray]:
    """Return which families each kernel's repetitions allow, and the likeliest family of each kernel."""
    edges = np.array([[family.has_edge] for family in FAMILIES]) * np.sqrt((runs.count > 0).sum(axis=0))
    undecided = UNDECIDED + UNDECIDED_A_REPETITION * runs.total + UNDECIDED_EDGES * edges
    return total > total.max(axis=0) - undecided, total.argmax(axis=0)
