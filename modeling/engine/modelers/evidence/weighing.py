"""Draw laws of kernels measured at the same points, under every kind of noise."""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.modelers.evidence.draws.deviations import Deviating
from modeling.engine.modelers.evidence.draws.sampling import DRAWS, Draws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.exponentials import exponential
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, fitted
from modeling.engine.modelers.evidence.near_laws import NearLaws
from modeling.engine.modelers.evidence.noise.families import LogNormal
from modeling.engine.modelers.evidence.noise.runs import Runs
from modeling.engine.modelers.evidence.repeated import Lawful, Repeated, sampled
from modeling.engine.modelers.evidence.search.likely_laws import search
from modeling.engine.modelers.evidence.sharing import Part, Weighed
from modeling.engine.results.common import Common
from modeling.engine.results.medians import weighted_median
from modeling.engine.results.posterior import DEVIATING
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LAWS_EXPECTED = 8
"""A prediction without an interval is the weighted median of this number of laws."""

NUMBERS_AT_ONCE = 4_000_000
"""The largest number of elements of one temporary array."""

LEAST_RATIO = 1e-9
"""The smallest ratio of a law to the measured values. It keeps logarithms finite."""

DEVIATES = 3.0
"""The log odds of deviation above which a kernel is modelled with deviations only. The value 1 gives larger
errors for laws of two parameters at 50 % noise (tried in one campaign). Modelling kernels near the limit in
both ways changes neither errors nor intervals.
"""

LEARNING_DRAWS = DRAWS // 4
"""The number of draws for the evidence of processes, which hardly differs between draws."""


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
        """Return a `Weigher` for P points of m parameters, (P, m). `Evidence` explains the arguments."""
        return cls(Basis(points, processes=processes), Deviating(points), longer)

    def part(self, rows: IntArray) -> "Weigher":
        """Return a `Weigher` for the points `rows`. The kernels must not be measured at other points."""
        if len(rows) == len(self.basis.points):
            return self
        return replace(self, basis=self.basis.part(rows), deviating=self.deviating.part(rows))

    def expected(self, runs: Runs, at: IntArray) -> FloatArray:
        """Predict one value for each of K kernels, (K,). Kernel k is predicted at the point `at[k]`, by
        least-squares fits of its likeliest laws.
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
        """Return a `Weigher` with log frequencies of N processes, (N,), and frequencies of classes of growth,
        (GROWTHS,).
        """
        return replace(self, deviating=self.deviating.weighted(processes, growths))

    @property
    def growths_before(self) -> FloatArray:
        """Return the prior frequency of each class of growth, (GROWTHS,)."""
        return self.deviating.growths_before(self.basis)

    def lawful(self, runs: Runs, common: Common) -> Lawful:
        """Draw laws as if no kernel deviated, with the frequencies of families of noise from `common`."""
        return Repeated(self.basis, self.deviating, self.longer).weighed(runs, common)

    def deviating_kernels(self, lawful: Lawful, runs: Runs, surely: BoolArray) -> IntArray:
        """Return the indices of the kernels that are modelled with deviations (see `weighed`)."""
        plain = Weighed(self.basis, len(runs.scale), lawful.parts)
        return np.flatnonzero(self._log_odds(plain, runs, surely) > DEVIATES)

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

        If the earlier result `before` has the laws from which kernels deviate, these laws are used again.
        `draws` is the number of draws of deviating kernels of several parameters.
        """
        plain = Weighed(self.basis, len(runs.scale), lawful.parts)
        kernels = self.deviating_kernels(lawful, runs, surely)
        if not len(kernels):
            return plain
        found = None if before is None else before.around(kernels)
        part = self._deviating(runs.part(kernels), kernels, lawful, found, draws)
        return Weighed(self.basis, plain.count, [*plain.parts, part])

    def of_processes(self, weighed: Weighed, runs: Runs) -> FloatArray:
        """Return the log evidence of N processes in the K kernels that deviate, (N, K)."""
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
        """Compute the log evidence of processes from draws of laws, up to a constant."""
        laws = np.maximum(self._laws(draws), LEAST_RATIO * np.exp(runs.log_mean)[:, None])
        parts = self.deviating.likelihoods(laws, runs)
        parts = exponential(parts - parts.max(axis=1, keepdims=True))
        most = draws.log_weights.max(axis=0)
        shares = exponential(draws.log_weights - most).T / parts.sum(axis=1)
        found = np.log(parts @ shares[..., None])[..., 0].T + most
        every = np.full((len(self.deviating.processes), found.shape[1]), -np.inf)
        every[self.deviating.some] = found - self.deviating.log_share[:, None]
        return every

    def _laws(self, draws: Draws) -> FloatArray:
        """Return the values of the drawn laws, (points, draws, kernels)."""
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
        """Return the values of each kernel's draw with the largest weight, (points, kernels)."""
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
        """Draw laws of kernels that deviate or have no repetitions. Search for the laws near `lawful` if
        `found` is None. The evidence leaves out the likelihood of repetitions around their points.
        """
        found = found or NearLaws(self.basis, self.deviating).of(
            runs, lawful.values[:, kernels], lawful.likeliest(kernels)
        )
        if self.basis.parameter_count == 1:
            exact = self.deviating.exactly(self.basis, runs)
            return self._lawful(Part(DEVIATING, kernels, *exact, around=found), runs, *found)
        drawn = sampled(self.basis, runs, self.deviating, *found, count=draws)
        return Part(DEVIATING, kernels, drawn, around=found)

    def _lawful(self, part: Part, runs: Runs, laws: Laws, near: Located) -> Part:
        """Replace the draws of kernels that more probably follow a law closely (module `near_laws`)."""
        some = np.flatnonzero(np.isfinite(near.variance).any(axis=0))
        if not len(some):
            return part
        laws, near = laws.part(some), near.part(some)
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
