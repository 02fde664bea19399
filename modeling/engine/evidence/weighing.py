"""Laws of kernels measured at the same points, weighed under every kind of noise that may be."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.evidence.basis import Basis, points_for_more
from modeling.engine.evidence.deviations import Deviating
from modeling.engine.evidence.extension import extended, paired, rising_again
from modeling.engine.evidence.families import FAMILIES, LogNormal, Noise
from modeling.engine.evidence.lack_of_fit import explained_by_scatter, rough
from modeling.engine.evidence.laws import Laws, Located, fitted, rescored
from modeling.engine.evidence.runs import Runs
from modeling.engine.evidence.sampling import Draws, sample
from modeling.engine.evidence.search import search
from modeling.engine.evidence.sharing import NAMES, Part, Weighed
from modeling.engine.validation import BoolArray, FloatArray, IntArray

ONE_SIDED = NAMES.index("one-sided")

UNDECIDED = 2.5
UNDECIDED_PER_RUN = 0.03
"""Families this much less likely than the best (logarithm; and more with more runs) are weighed in full."""

UNDECIDED_EDGES = 1.1
"""The same for noise with an edge, times the root of the number of points, as chance goes: one law for all
points says more about their edges."""

LIKELIEST = 8
"""Laws whose predictions are weighed where only a number is wanted."""

RISING_AGAIN = 2
"""Parameters up to which laws that rise again are weighed wherever points may fall."""

AT_ONCE = 4_000_000
"""Numbers of one temporary array."""

LEAST = 1e-9
"""Share of the measured values that laws have at least."""

MAY_DEVIATE = 1.0
"""Logarithm of the odds from which kernels are modelled as deviating from any law, too."""

DEVIATES = 2.0
"""The same from which they are only modelled so."""

LAWFUL = 0.003
"""Relative deviation below which kernels of one parameter may follow a law closely: then all coefficients are
tried, beside those of a table of shapes."""

NEVER = 1e-12
"""Share of the cases below which repetitions explain no points so far off a law."""

ROUGH = 1e-6
"""Share of the cases below which repetitions explain no points so far off anything smooth."""

DOUBTFUL = 0.05
"""If they explain points this seldom, laws with one term more are looked for."""


@dataclass(frozen=True)
class Weigher:
    """What weighs laws at the points of a basis."""

    basis: Basis
    deviating: Deviating

    @classmethod
    def at(cls, points: FloatArray) -> "Weigher":
        """At all points (P, m) of a campaign."""
        return cls(Basis(points), Deviating(points))

    def part(self, rows: IntArray) -> "Weigher":
        """At some of the points, by number, for kernels that were not measured at the others."""
        if len(rows) == len(self.basis.points):
            return self
        return Weigher(self.basis.part(rows), self.deviating.part(rows))

    def expected(self, runs: Runs, at: IntArray) -> FloatArray:
        """What the likeliest laws say at one of each kernel's points, by number, (K,), by least squares."""
        located = Located(*LogNormal().locate(runs))
        located = self.deviating.locate(runs).where(runs.total == (runs.count > 0).sum(axis=0), located)
        laws = search(self.basis, located)
        weights, kernels = located.weights(located.y), np.arange(len(at))
        said = np.stack(
            [
                fitted(self.basis, laws.classes[:, :, rank], located, weights)[at, kernels]
                for rank in range(min(LIKELIEST, len(laws.log_evidence)))
            ]
        )
        weight = np.exp(laws.log_evidence[: len(said)] - laws.log_evidence[0])
        return np.asarray(_weighted_median(said, weight) * runs.scale)

    def where(self, processes: FloatArray | None) -> "Weigher":
        """The same where deviations are of each process this often (logarithms), (N,)."""
        return Weigher(self.basis, self.deviating.weighted(processes))

    def weighed(self, runs: Runs, log_frequency: FloatArray) -> Weighed:
        """Kernels with all kinds of noise that may be, families being this frequent by the repetitions."""
        parts, laws = self._plain(runs, log_frequency)
        plain = Weighed(self.basis, len(runs.scale), parts)
        odds = self._log_odds(plain, runs)
        kernels = np.flatnonzero(odds > MAY_DEVIATE)
        if not len(kernels):
            return plain
        surely = np.flatnonzero(odds > DEVIATES)
        kept = [part.without(surely) for part in parts]
        return Weighed(
            self.basis,
            plain.count,
            [*filter(None, kept), self._deviating(runs.part(kernels), kernels, laws[:, kernels])],
        )

    def of_processes(self, weighed: Weighed, runs: Runs) -> FloatArray:
        """Logarithm of the evidence of each process in kernels that deviate, (N, K)."""
        found = [np.empty((len(self.deviating.processes), 0))]
        for part in weighed.parts:
            if part.family != len(FAMILIES):
                continue
            if part.by_process is not None:
                found.append(part.by_process)
                continue
            own = runs.part(part.kernels)
            step = max(1, AT_ONCE // (len(self.deviating.processes) * len(part.draws.law)))
            portions = np.split(np.arange(len(part.kernels)), range(step, len(part.kernels), step))
            found += [self._of_processes(part.draws.part(some), own.part(some)) for some in portions]
        return np.concatenate(found, axis=1)

    def _of_processes(self, draws: Draws, runs: Runs) -> FloatArray:
        """The same of few kernels by the draws of their laws."""
        laws = np.maximum(self._laws(draws), LEAST * np.exp(runs.log_mean)[:, None])
        parts = self.deviating.likelihoods(laws, runs)
        taken = draws.log_weights - np.logaddexp.reduce(parts, axis=0)
        found = np.logaddexp.reduce(parts + taken, axis=1)
        every = np.full((len(self.deviating.processes), found.shape[1]), -np.inf)
        every[self.deviating.some] = found - self.deviating.log_share[:, None]
        return every

    def _laws(self, draws: Draws) -> FloatArray:
        """Values of draws at the points, (P, S, K)."""
        law = np.broadcast_to(draws.coefficients[0], (len(self.basis.points), *draws.law.shape)).copy()
        for coefficients, column in zip(
            draws.coefficients[1:], self.basis.columns(draws.classes), strict=True
        ):
            law += coefficients * column[:, draws.law]
        return law

    def _log_odds(self, weighed: Weighed, runs: Runs) -> FloatArray:
        """Logarithm of the odds that points deviate from the best law of the likeliest noise, (K,)."""
        best = weighed.log_evidence.argmax(axis=0)
        found = np.full(weighed.count, np.inf)
        for part in weighed.parts:
            is_best = best[part.kernels] == part.family
            own = self.deviating.log_odds(self._best_law(part.draws)[1], runs.part(part.kernels))
            found[part.kernels[is_best]] = own[is_best]
        return found

    def _plain(self, runs: Runs, log_frequency: FloatArray) -> tuple[list[Part], FloatArray]:
        """Kernels with repetitions, by the families of noise that these leave possible, and the values of
        their likeliest laws, (P, K): NaN for others.

        Laws are looked for by the likeliest family's values; families nearly as likely weigh the same laws.
        """
        repeated = repeated_kernels(runs)
        likeliest_laws = np.full(runs.count.shape, np.nan)
        if not len(repeated):
            return [], likeliest_laws
        runs = runs.part(repeated)
        likely, likeliest = _likely(runs, log_frequency)
        located = Located(np.ones_like(runs.mean), np.ones_like(runs.mean))
        for number in np.unique(likeliest):
            some = np.flatnonzero(likeliest == number)
            located.put(some, Located(*FAMILIES[number].locate(runs.part(some))))
        parts = []
        groups, likeliest_laws[:, repeated] = self._searched(runs, likeliest, located)
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
                draws = self._sampled(its, family, known, own)
                parts.append(Part(number, repeated[some], draws))
        return parts, likeliest_laws

    def _searched(
        self, runs: Runs, family: IntArray, located: Located
    ) -> tuple[list[tuple[IntArray, Laws]], FloatArray]:
        """Kernels whose noise is likeliest of a `family`, (K,), and their laws, in groups, without those that
        no smooth law explains; and the values of the likeliest law of each, (P, K)."""
        laws = search(self.basis, located)
        classes, values = self._fitted(laws, located)
        some = np.flatnonzero(rough(self.basis.points, values, runs) > ROUGH)
        if not len(some):
            return [], values
        explained = explained_by_scatter(
            runs.part(some), classes[:, :, some], values[:, some], one_sided=family[some] == ONE_SIDED
        )
        groups = self._with_longer(
            runs.part(some), family[some], located.part(some), laws.part(some), explained
        )
        return [(some[those], own) for those, own in groups], values

    def _with_longer(
        self, runs: Runs, family: IntArray, located: Located, laws: Laws, explained: FloatArray
    ) -> list[tuple[IntArray, Laws]]:
        """Kernels and their laws in two groups: those of most, and those with one term more, where points
        leave room for it and repetitions seldom explain the others, (K,)."""
        some = np.flatnonzero((explained < DOUBTFUL) & self._bear_more(runs))
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
                explained_by_scatter(runs.part(some), *self._fitted(longer, each), one_sided=one_sided[some])
                for each in (near, evenly)
            ]
            kept = np.flatnonzero(np.max(tries, axis=0) > NEVER)
            groups.append((some[kept], longer.part(kept)))
        return groups

    def _sampled(self, runs: Runs, noise: Noise, laws: Laws, located: Located) -> Draws:
        """Draws from laws, beside which some that rise again stand where plain ones may fall."""
        m = self.basis.parameter_count
        draws = sample(self.basis, runs, noise, laws, located)
        some = np.flatnonzero(laws.may_fall())
        if not len(some) or len(laws.classes) > m or m > RISING_AGAIN:
            return draws
        near = located.part(some)
        more = rising_again(self.basis, near, laws.part(some))
        return draws.with_others(some, sample(self.basis, runs.part(some), noise, more, near))

    def _fitted(self, laws: Laws, located: Located) -> tuple[IntArray, FloatArray]:
        """Classes (T, m, K) of the best laws, and their values at the points by least squares, (P, K)."""
        classes = laws.classes[:, :, 0]
        return classes, fitted(self.basis, classes, located, located.weights(located.y))

    def _best_law(self, draws: Draws) -> tuple[IntArray, FloatArray]:
        """Classes (T, m, K) of the most likely draws, and their values at the points, (P, K)."""
        best = draws.log_weights.argmax(axis=0)
        kernels = np.arange(len(best))
        classes = draws.classes[:, :, draws.law[best, kernels]]
        coefficients = draws.coefficients[:, best, kernels]
        law = coefficients[0] + (coefficients[1:, None] * self.basis.columns(classes)).sum(axis=0)
        possible = np.isfinite(draws.log_weights).any(axis=0)
        return classes, np.asarray(np.where(possible, law, np.nan))

    def _deviating(self, runs: Runs, kernels: IntArray, values: FloatArray) -> Part:
        """Kernels whose points lie off any law, or were measured once, by the values that their likeliest
        laws have at first sight, (P, K): NaN where there was none."""
        located = self.deviating.locate(runs)
        unknown = np.flatnonzero(np.isnan(values).any(axis=0))
        if len(unknown):
            own = located.part(unknown)
            values[:, unknown] = self._fitted(search(self.basis, own), own)[1]
        located = self.deviating.relocate(values, runs)
        laws = search(self.basis, located)
        located = self.deviating.relocate(self._fitted(laws, located)[1], runs)
        laws = rescored(self.basis, laws, located)
        family = len(FAMILIES)
        if self.basis.parameter_count == 1:
            part = Part(family, *self.deviating.exactly(self.basis, runs, kernels))
            return self._lawful(part, runs, laws, located)
        return Part(family, kernels, self._sampled(runs, self.deviating, laws, located))

    def _lawful(self, part: Part, runs: Runs, laws: Laws, located: Located) -> Part:
        """The same with any coefficients of laws that kernels follow closely, if those are more probable."""
        enough = (runs.count > 0).sum(axis=0) > 2  # which any law of two coefficients meets
        some = np.flatnonzero(enough & (located.variance.min(axis=0) < LAWFUL**2))
        if not len(some):
            return part
        near, own = located.part(some), runs.part(some)
        draws = self._sampled(own, self.deviating, laws.part(some), near)
        better = np.flatnonzero(draws.log_evidence > part.draws.part(some).log_evidence)
        if not len(better):
            return part
        draws, own = draws.part(better), own.part(better)
        return part.with_draws(some[better], draws, self._of_processes(draws, own))

    def _bear_more(self, runs: Runs) -> BoolArray:
        """Whether kernels have points enough for laws with one term more than parameters, (K,)."""
        return np.asarray((runs.count > 0).sum(axis=0) >= points_for_more(self.basis.parameter_count))


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
    undecided = UNDECIDED + UNDECIDED_PER_RUN * runs.total + UNDECIDED_EDGES * edges
    return total > total.max(axis=0) - undecided, total.argmax(axis=0)


def _weighted_median(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Median of values (H, K) by weights (H, K), (K,)."""
    order = np.argsort(values, axis=0)
    reached = np.cumsum(np.take_along_axis(weight, order, axis=0), axis=0)
    middle = (reached < reached[-1] / 2).sum(axis=0)
    return np.asarray(np.take_along_axis(np.take_along_axis(values, order, axis=0), middle[None], axis=0)[0])
