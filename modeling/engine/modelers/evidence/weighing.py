"""Draw laws of kernels measured at the same points, under every kind of noise."""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.modelers.evidence.draws.deviations import Deviating
from modeling.engine.modelers.evidence.draws.sampling import DRAWS, Draws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, fitted, rescored
from modeling.engine.modelers.evidence.noise.families import LogNormal
from modeling.engine.modelers.evidence.noise.runs import Runs
from modeling.engine.modelers.evidence.repeated import Lawful, Repeated, best_values, sampled
from modeling.engine.modelers.evidence.search.likely_laws import search
from modeling.engine.modelers.evidence.sharing import Part, Weighed
from modeling.engine.results.medians import weighted_median
from modeling.engine.results.posterior import DEVIATING
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LAWS_EXPECTED = 8
"""If only one predicted value is needed, without an interval, it is the weighted median of this number of
laws.
"""

NUMBERS_AT_ONCE = 4_000_000
"""The largest number of elements of one temporary array."""

LEAST_RATIO = 1e-9
"""Smallest ratio of a law to the measured values, so that logarithms stay finite."""

DEVIATES = 3.0
"""If the log odds that a kernel deviates from its likeliest law are above this value, it is modelled with
deviations only, and otherwise without.

If this value were 1, laws of two parameters at 50 % noise would have larger errors (tried in one campaign).
If kernels near the limit were modelled both ways, errors and intervals would be the same, and campaigns of
one parameter would take up to a tenth longer.
"""

LAWFUL_DEVIATION = 0.003
"""Relative deviation below which a kernel of one parameter may follow a law closely, like a counter or a
simulator. For such kernels, laws with any coefficients are tried in addition to the shapes of `draws.exact`,
whose coefficients have a few possible ratios, because the exact law may lie between two shapes. This costs
time.
"""

LEARNING_DRAWS = DRAWS // 4
"""The number of draws from which the evidence of processes is computed. It hardly differs between draws."""

NOISE_FACTOR = 3.0
"""Deviations of up to this number of standard errors of a point count as noise when it is decided whether
laws with any coefficients are tried.

Without this allowance, some kernels with noise would have only laws with the shapes of `draws.exact`, which
have no small constants. Of 400 kernels with a constant and a steep term, up to 3 % were then predicted 10 to
500 times too small at four times the largest value. With the allowance, at most 0.3 % are. With 4 instead of
3 results are the same, and campaigns with deviations take up to a fifth longer.
"""

NEAR_LAW_FACTOR = 4.0
"""If a kernel deviates from the law found first by more than this multiple of `LAWFUL_DEVIATION`, no law
within `LAWFUL_DEVIATION` is searched for.
"""


@dataclass(frozen=True)
class Weigher:
    """Draws laws at the points of a basis, with and without deviations."""

    basis: Basis
    deviating: Deviating
    longer: bool = True  # whether laws with one more term are searched for

    @classmethod
    def at(
        cls,
        points: FloatArray,
        *,
        longer: bool = True,
        processes: tuple[int, ...] = (),
    ) -> "Weigher":
        """Return a `Weigher` for all points (P, m) of a campaign, see `Evidence`."""
        return cls(Basis(points, processes=processes), Deviating(points), longer)

    def part(self, rows: IntArray) -> "Weigher":
        """Return a `Weigher` for some of the points, given by index. The kernels must not be measured at any
        other point.
        """
        if len(rows) == len(self.basis.points):
            return self
        return replace(self, basis=self.basis.part(rows), deviating=self.deviating.part(rows))

    def expected(self, runs: Runs, at: IntArray) -> FloatArray:
        """Predict one value for each kernel, (K,), at the point with the index `at` (K,), from the likeliest
        laws by least squares.
        """
        located = Located(*LogNormal().locate(runs))
        located = self.deviating.locate(runs).where(runs.total == (runs.count > 0).sum(axis=0), located)
        laws = search(self.basis, located)
        weights, kernels = located.weights(located.y), np.arange(len(at))
        said = np.stack(
            [
                fitted(self.basis, laws.classes[:, :, rank], located, weights)[at, kernels]
                for rank in range(min(LAWS_EXPECTED, len(laws.log_evidence)))
            ]
        )
        weight = np.exp(laws.log_evidence[: len(said)] - laws.log_evidence[0])
        return np.asarray(weighted_median(said, weight, axis=0) * runs.scale)

    def where(self, processes: FloatArray | None, growths: FloatArray | None) -> "Weigher":
        """Return a `Weigher` with these log frequencies of processes, (N,), and frequencies of classes of
        growth, (GROWTHS,).
        """
        return replace(self, deviating=self.deviating.weighted(processes, growths))

    @property
    def growths_before(self) -> FloatArray:
        """Return the prior frequency of each class of growth, (GROWTHS,)."""
        return self.deviating.growths_before(self.basis)

    def lawful(self, runs: Runs, log_frequency: FloatArray) -> Lawful:
        """Draw laws of kernels as if none deviated. `log_frequency` (F,) are the log frequencies of the
        families of noise.
        """
        return Repeated(self.basis, self.deviating, self.longer).weighed(runs, log_frequency)

    def weighed(
        self,
        runs: Runs,
        lawful: Lawful,
        surely: BoolArray,
        before: Weighed | None = None,
        draws: int = DRAWS,
    ) -> Weighed:
        """Draw laws of kernels under all kinds of noise. `lawful` are the results without deviations. The
        kernels marked in `surely` (K,) are modelled with deviations whatever their values are.

        If the earlier result `before` has the laws from which kernels deviate, these are used again. For
        kernels of several parameters that deviate, `draws` is the number of draws.
        """
        plain = Weighed(self.basis, len(runs.scale), lawful.parts)
        kernels = np.flatnonzero(self._log_odds(plain, runs, surely) > DEVIATES)
        if not len(kernels):
            return plain
        found = None if before is None else before.around(kernels)
        part = self._deviating(runs.part(kernels), kernels, lawful, found, draws)
        return Weighed(self.basis, plain.count, [*plain.parts, part])

    def of_processes(self, weighed: Weighed, runs: Runs) -> FloatArray:
        """Return the log evidence of each process in the kernels that deviate, (N, K)."""
        found = [np.empty((len(self.deviating.processes), 0))]
        for part in weighed.parts:
            if part.family != DEVIATING:
                continue
            if part.by_process is not None:
                found.append(part.by_process)
                continue
            own = runs.part(part.kernels)
            step = max(1, NUMBERS_AT_ONCE // (len(self.deviating.processes) * len(part.draws.law)))
            portions = np.split(np.arange(len(part.kernels)), range(step, len(part.kernels), step))
            found += [self._of_processes(part.draws.part(some), own.part(some)) for some in portions]
        return np.concatenate(found, axis=1)

    def _of_processes(self, draws: Draws, runs: Runs) -> FloatArray:
        """Compute `of_processes` for a few kernels, up to a constant, from draws of their laws."""
        laws = np.maximum(self._laws(draws), LEAST_RATIO * np.exp(runs.log_mean)[:, None])
        parts = self.deviating.likelihoods(laws, runs)
        parts = np.exp(parts - parts.max(axis=1, keepdims=True))
        most = draws.log_weights.max(axis=0)
        shares = np.exp(draws.log_weights - most).T / parts.sum(axis=1)
        found = np.log(parts @ shares[..., None])[..., 0].T + most
        every = np.full((len(self.deviating.processes), found.shape[1]), -np.inf)
        every[self.deviating.some] = found - self.deviating.log_share[:, None]
        return every

    def _laws(self, draws: Draws) -> FloatArray:
        """Return the values of the draws' laws at the points, (P, S, K)."""
        law = np.broadcast_to(draws.coefficients[0], (len(self.basis.points), *draws.law.shape)).copy()
        for coefficients, column in zip(
            draws.coefficients[1:], self.basis.columns(draws.classes), strict=True
        ):
            law += coefficients * column[:, draws.law]
        return law

    def _log_odds(self, weighed: Weighed, runs: Runs, surely: BoolArray) -> FloatArray:
        """Return the log odds, (K,), that points deviate from the best law under the likeliest family of
        noise. They are ∞ for the kernels marked in `surely` (K,).
        """
        best = weighed.log_evidence.argmax(axis=0)
        laws = np.full(runs.count.shape, np.nan)
        for part in weighed.parts:
            some = np.flatnonzero((best[part.kernels] == part.family) & ~surely[part.kernels])
            if len(some):
                laws[:, part.kernels[some]] = self._best_law(part.draws.part(some))
        return self.deviating.log_odds(laws, runs, DEVIATES)

    def _best_law(self, draws: Draws) -> FloatArray:
        """Return the values at the points of each kernel's draw with the largest weight, (P, K)."""
        best = draws.log_weights.argmax(axis=0)
        kernels = np.arange(len(best))
        classes = draws.classes[:, :, draws.law[best, kernels]]
        coefficients = draws.coefficients[:, best, kernels]
        law = coefficients[0] + (coefficients[1:, None] * self.basis.columns(classes)).sum(axis=0)
        possible = np.isfinite(draws.log_weights).any(axis=0)
        return np.asarray(np.where(possible, law, np.nan))

    def _deviating(
        self,
        runs: Runs,
        kernels: IntArray,
        lawful: Lawful,
        found: tuple[Laws, Located] | None,
        draws: int,
    ) -> Part:
        """Draw laws of kernels that deviate from any law or have no repetitions, among the laws `found` for
        them. If `found` is None, laws are searched for, starting from `lawful`.

        The evidence does not include the likelihood of the repetitions around their points.
        """
        if found is None:
            values, known = lawful.values[:, kernels], lawful.likeliest(kernels)
            unknown = np.flatnonzero(np.isnan(values).any(axis=0))
            if len(unknown):
                own = self.deviating.locate(runs.part(unknown))
                laws = search(self.basis, own)
                known.classes[:, :, 0, unknown], values[:, unknown] = best_values(self.basis, laws, own)
            located = self.deviating.relocate(values, runs)
            if self.basis.parameter_count == 1:
                part = Part(DEVIATING, kernels, *self.deviating.exactly(self.basis, runs))
                return self._lawful(part, runs, located, known)
            found = self._around(runs, located, known)
        drawn = sampled(self.basis, runs, self.deviating, *found, count=draws)
        return Part(DEVIATING, kernels, drawn, around=found)

    def _around(self, runs: Runs, located: Located, known: Laws) -> tuple[Laws, Located]:
        """Return the laws from which points may deviate, and the values. The variance of the values is that
        of their distances from the likeliest law. The search starts from the laws `known`, which are near the
        best.
        """
        laws = search(self.basis, located, known, again=False)
        located = self.deviating.relocate(best_values(self.basis, laws, located)[1], runs)
        return rescored(self.basis, laws, located), located

    def _lawful(self, part: Part, runs: Runs, located: Located, known: Laws) -> Part:
        """For kernels that follow a law closely, draw laws with any coefficients. Where they are more
        probable, they replace the kernel's draws.

        `located` are the values, with their variance around the laws `known`, which were found first. Laws
        are searched for only if the kernel's first law is near its values, or is uncertain: it was fitted to
        more points than are used here (`near_points`), or the kernel has no repetitions.
        """
        points = (runs.count > 0).sum(axis=0)
        enough = points > 2  # any law of two coefficients fits two points
        unsure = (np.isfinite(located.variance).sum(axis=0) < points) | (runs.total == points)
        noise = np.where(runs.total > points, (NOISE_FACTOR * runs.error) ** 2, 0.0)
        near_enough = located.variance.min(axis=0) < (NEAR_LAW_FACTOR * LAWFUL_DEVIATION) ** 2 + noise
        some = np.flatnonzero(enough & (unsure | near_enough))
        if not len(some):
            return part
        laws, near = self._around(runs.part(some), located.part(some), known.part(some))
        close = np.flatnonzero(near.variance.min(axis=0) < LAWFUL_DEVIATION**2 + noise[some])
        some, laws, near = some[close], laws.part(close), near.part(close)
        if not len(some):
            return part
        own = runs.part(some)
        draws = sampled(self.basis, own, self.deviating, laws, near)
        better = np.flatnonzero(draws.log_evidence > part.draws.part(some).log_evidence)
        if not len(better):
            return part
        draws, own = draws.part(better), own.part(better)
        by_process = (
            None if part.by_process is None else self._of_processes(draws.every(DRAWS // LEARNING_DRAWS), own)
        )
        return part.with_draws(some[better], draws, by_process)
