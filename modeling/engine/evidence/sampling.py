"""The posterior over laws of one family of noise, as weighted draws."""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.evidence.basis import Basis
from modeling.engine.evidence.draws import Centres, draw, systematic
from modeling.engine.evidence.families import Exponential, Noise, Uniform
from modeling.engine.evidence.gaussian import log_share_prior
from modeling.engine.evidence.laws import Laws, Located, log_prior
from modeling.engine.evidence.runs import Runs
from modeling.engine.evidence.sharpen import sharpen
from modeling.engine.validation import FloatArray, IntArray

DRAWS = {1: 192, 2: 256}
MANY_DRAWS = 512
"""Draws of a kernel with so many parameters, and with more."""

PLAUSIBLE = 1e-4
"""Laws with less than this share of the best one's evidence are not looked at closely."""

TEMPER = 0.7
"""Power of a law's evidence that gives its share of the draws: unlikely laws get some to show themselves."""

CLIMB = 6.0
CLIMB_A_RUN = 0.12
"""How far the likelihood (logarithm) may rise from least squares to its top, as measured with true laws."""

WORTH = 20.0
"""Draws that have to count at least; with less the weights are evened out until they do."""

AT_ONCE = 200_000
"""Numbers in one temporary array."""


@dataclass(frozen=True)
class Draws:
    """S weighted draws of K kernels: classes (T, m, S, K) of their laws, coefficients (T + 1, S, K), the
    constant first, in units of the basis and of the runs' scale, the logarithm of their weights and the level
    of the noise, (S, K)."""

    classes: IntArray
    coefficients: FloatArray
    log_weights: FloatArray
    level: FloatArray

    def part(self, kernels: IntArray) -> "Draws":
        """Only these kernels."""
        return Draws(*(getattr(self, field.name)[..., kernels] for field in fields(self)))

    def put(self, kernels: IntArray, draws: "Draws") -> None:
        """Replace the draws of these kernels."""
        for field in fields(self):
            getattr(self, field.name)[..., kernels] = getattr(draws, field.name)

    def with_place(self) -> "Draws":
        """The same laws with a place for one term more."""
        pad = [np.concatenate([each, np.zeros_like(each[:1])]) for each in (self.classes, self.coefficients)]
        return Draws(pad[0], pad[1], self.log_weights, self.level)

    @property
    def log_evidence(self) -> FloatArray:
        """Of the family, (K,)."""
        return np.asarray(np.logaddexp.reduce(self.log_weights, axis=0))


def sample(basis: Basis, runs: Runs, family: Noise, laws: Laws, located: Located) -> Draws:
    """Draw from the posterior of kernels whose noise is of one family, over laws that were found for them."""
    candidates = _candidates(basis, runs, family, laws, located)
    kernels = np.arange(len(runs.scale))
    step = max(1, AT_ONCE // (candidates.draws * len(located.y)))
    parts = [
        _weighted_draws(basis, runs, family, candidates, part)
        for part in np.split(kernels, range(step, len(kernels), step))
    ]
    return Draws(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))


@dataclass(frozen=True)
class _Pairs:
    """Laws worth a closer look, one after the other: classes (T, m, B), of kernels (B,)."""

    classes: IntArray
    kernel: IntArray
    log_evidence: FloatArray

    def part(self, which: IntArray) -> "_Pairs":
        """Only these."""
        return _Pairs(self.classes[..., which], self.kernel[which], self.log_evidence[which])


@dataclass(frozen=True)
class _Candidates:
    """Where to draw: B laws with their columns (n, P, B) and centres, and each kernel's share of the draws
    for its laws (H, K), whose numbers are in `index`."""

    pairs: _Pairs
    columns: FloatArray
    centres: Centres
    share: FloatArray
    index: IntArray
    draws: int


def _candidates(basis: Basis, runs: Runs, family: Noise, laws: Laws, located: Located) -> _Candidates:
    pairs = _plausible(laws)
    columns = _with_constant(basis.columns(pairs.classes))
    centres = _centres(columns, located, pairs)
    evidence = pairs.log_evidence
    if isinstance(family, Uniform):
        kept = _possible(_reached(centres, columns, family, runs.part(pairs.kernel)), pairs, runs)
        pairs, columns, centres = pairs.part(kept), columns[..., kept], centres.part(kept)
    if isinstance(family, Exponential | Uniform):
        of_pair = runs.part(pairs.kernel)
        centres = sharpen(columns, centres.mean, of_pair, one_sided=isinstance(family, Exponential))
        prior = _log_prior_of_coefficients(centres.mean, pairs.classes) + log_prior(basis, pairs.classes)
        evidence = _reached(centres, columns, family, of_pair) + _log_volume(centres) + prior
    share, index = _shares(pairs, evidence, len(runs.scale))
    draws = DRAWS.get(basis.parameter_count, MANY_DRAWS)
    return _Candidates(pairs, columns, centres, share, index, draws)


def _weighted_draws(
    basis: Basis, runs: Runs, family: Noise, candidates: _Candidates, part: IntArray
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Draws of some kernels, as the fields of `Draws`."""
    share, index, kernels = candidates.share[:, part], candidates.index[:, part], np.arange(len(part))
    picked = systematic(share, candidates.draws)
    number = index[picked, kernels]
    coefficients, log_weights = draw(candidates.centres, number)
    log_weights -= np.log(share[picked, kernels] * candidates.draws)
    classes = candidates.pairs.classes[..., number]
    law = _law(coefficients, candidates.columns, number)
    likelihood, level = family.weigh(law, runs.part(part))
    log_weights += likelihood + log_prior(basis, classes) + _log_prior_of_coefficients(coefficients, classes)
    log_weights[~np.isfinite(log_weights)] = -np.inf
    return classes, coefficients, log_weights, level


def _reached(centres: Centres, columns: FloatArray, family: Noise, runs: Runs) -> FloatArray:
    """Logarithm of the likelihood at the centres, (B,)."""
    law = np.einsum("nb,npb->pb", np.maximum(centres.mean, 0), columns)
    return family.weigh(np.maximum(law, 1e-300), runs)[0]


def _possible(reached: FloatArray, pairs: _Pairs, runs: Runs) -> IntArray:
    """Numbers of the laws that may be likely: from least squares the top is not far."""
    best = np.full(len(runs.scale), -np.inf)
    np.maximum.at(best, pairs.kernel, np.where(np.isnan(reached), -np.inf, reached))
    far = CLIMB + CLIMB_A_RUN * runs.total
    return np.flatnonzero(reached >= (best - far)[pairs.kernel])


def _log_volume(centres: Centres) -> FloatArray:
    """Logarithm of the width of the likelihood around the centres, (B,)."""
    matrix = np.moveaxis(centres.precision, 2, 0).copy()
    diagonal = np.einsum("bii->bi", matrix)
    diagonal[diagonal == 0] = 2 * np.pi
    return np.asarray(np.linalg.slogdet(matrix / (2 * np.pi))[1] / -2)


def _plausible(laws: Laws) -> _Pairs:
    best = laws.log_evidence.max(axis=0)
    kernel, rank = np.nonzero((laws.log_evidence > best + np.log(PLAUSIBLE)).T)
    return _Pairs(laws.classes[:, :, rank, kernel], kernel, laws.log_evidence[rank, kernel])


def _with_constant(columns: FloatArray) -> FloatArray:
    return np.concatenate([np.ones((1, *columns.shape[1:])), columns])


def _centres(columns: FloatArray, located: Located, pairs: _Pairs) -> Centres:
    """Weighted least squares of every law, weighted by its own values."""
    y, variance = located.y[:, pairs.kernel], located.variance[:, pairs.kernel]
    near = y
    for _ in range(2):
        weights = 1 / (variance * near**2)
        precision, mean = _least_squares(columns, weights, y)
        law = np.einsum("nb,npb->pb", np.maximum(mean, 0), columns)
        near = np.clip(law, y / 2, y * 2)
    return Centres(mean, precision)


def _least_squares(columns: FloatArray, weights: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    n = len(columns)
    precision = np.empty((n, n, y.shape[1]))
    moment = np.empty((n, y.shape[1]))
    for i in range(n):
        weighted = weights * columns[i]
        moment[i] = (weighted * y).sum(axis=0)
        for j in range(i + 1):
            precision[i, j] = precision[j, i] = (weighted * columns[j]).sum(axis=0)
    matrix = np.moveaxis(precision, 2, 0).copy()
    diagonal = np.einsum("bii->bi", matrix)
    diagonal[diagonal == 0] = 1
    unit = 1 / np.sqrt(diagonal)
    scaled = matrix * unit[:, :, None] * unit[:, None] + 1e-10 * np.eye(n)
    solved = np.linalg.solve(scaled, (moment.T * unit)[..., None])[..., 0] * unit
    return precision, np.ascontiguousarray(solved.T)


def _shares(pairs: _Pairs, evidence: FloatArray, kernels: int) -> tuple[FloatArray, IntArray]:
    """Share of the draws of each kernel's laws (H, K), and these laws' numbers among the pairs."""
    start = np.searchsorted(pairs.kernel, np.arange(kernels + 1))
    most = int(np.diff(start).max())
    rank = np.arange(most)[:, None]
    there = rank < np.diff(start)
    index = np.minimum(start[:-1] + rank, len(evidence) - 1)
    known = np.where(np.isnan(evidence), -np.inf, evidence)[index]
    known = np.where(there, known, -np.inf)
    best = known.max(axis=0)
    share = np.exp(TEMPER * (known - np.where(np.isfinite(best), best, 0)))
    share[0] += share.sum(axis=0) == 0
    return share / share.sum(axis=0), index


def _law(coefficients: FloatArray, columns: FloatArray, number: IntArray) -> FloatArray:
    law = np.broadcast_to(coefficients[0], (columns.shape[1], *number.shape)).copy()
    for c, column in zip(coefficients[1:], columns[1:], strict=True):
        law += c * column[:, number]
    return np.asarray(np.maximum(law, 1e-300))


def _log_prior_of_coefficients(coefficients: FloatArray, classes: IntArray) -> FloatArray:
    """Uniform in the logarithm of the law's size, and of the shares: as a density of the coefficients."""
    size = np.maximum(coefficients.sum(axis=0), 1e-300)
    present = np.concatenate([np.ones((1, *size.shape), dtype=bool), (classes != 0).any(axis=1)])
    count = present.sum(axis=0)
    shares = np.where(present, log_share_prior(coefficients / size), 0.0).sum(axis=0)
    return np.asarray(np.where(count > 1, shares, 0.0) - count * np.log(size))
