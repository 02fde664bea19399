"""Weighted draws from the posterior over laws under one family of noise (importance sampling).

For each draw, a law is picked, and coefficients are drawn around the law's best ones. The weight of the draw
is prior density times likelihood, divided by the density of drawing it. So the sum of a kernel's weights
estimates the evidence of the family of noise.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modeling.engine.modelers.evidence.draws.coefficients import Centres, draw, systematic
from modeling.engine.modelers.evidence.draws.sharpen import sharpen
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED
from modeling.engine.modelers.evidence.hypotheses.exponentials import exponential
from modeling.engine.modelers.evidence.hypotheses.gaussian import LOG_SHARE_RANGE, cholesky, negligible
from modeling.engine.modelers.evidence.hypotheses.laws import (
    Equations,
    Laws,
    Located,
    best_weights,
    log_prior,
)
from modeling.engine.modelers.evidence.noise.families import Exponential, Noise, Uniform
from modeling.engine.modelers.evidence.noise.runs import Runs
from modeling.engine.validation import BoolArray, FloatArray, IntArray

DRAWS = 128
"""The number of draws of a kernel under each kind of noise."""

ONE_SIDED_FACTOR = 3
"""Factor on `DRAWS` for one-sided noise, under which many draws are impossible."""

THROUGH_ZERO_PRIOR = 0.04
"""Prior probability that a law has no constant. It is small because a constant may be too small to detect.
With two parameters and one-sided noise, 95 % intervals contain 91 to 97 % of the true values. Without laws
through zero, they would contain 84 %.
"""

PLAUSIBLE_SHARE = 3e-4
"""A law is sampled if its evidence in closed form is at least this share of the best law's evidence.

Half and twice this value give the same errors, intervals and time (`tests.benchmarks.constants` measures this
and the next two constants). With thirty times this value, intervals far from the data contained 92 instead of
100 % of the true values. This was measured with 12 laws of two parameters and 50 % of log-normal noise.
"""

DRAW_POWER = 0.7
"""A law's share of the draws is proportional to this power of its evidence. So unlikely laws also get draws.
The weights of the draws correct for this.

Half and twice this value change errors less than another random seed does. They change the coverage of 95 %
intervals by at most 2 percentage points (one parameter, 240 laws).
"""

EFFECTIVE_DRAWS = 20.0
"""The smallest effective number of draws. Weights are evened until this number is reached. Without this
limit, intervals of falling laws with a growing part contained 75 instead of more than 85 % of the true values
(`test_evidence`). Half and twice this value change errors and intervals by at most 0.5 percentage points.
"""

NUMBERS_AT_ONCE = 200_000
"""The largest number of elements of one temporary array."""


NEVER = -1e300
"""A finite stand-in for the logarithm of the probability 0."""

_OF_DRAWS = ("law", "coefficients", "log_weights", "level")


@dataclass(frozen=True)
class Draws:
    """S weighted draws of K kernels.

    Attributes:
        classes: the classes of B laws with T terms of m parameters, (T, m, B).
        law: the index of each draw's law in `classes`, (S, K).
        coefficients: the coefficients of each draw, (T + 1, S, K), the constant first, in units of the basis
            and the kernel's scale.
        log_weights: the logarithms of the draws' weights, (S, K).
        level: the level of the noise, (S, K); for kernels that deviate, the index of the draw's process.
    """

    classes: IntArray
    law: IntArray
    coefficients: FloatArray
    log_weights: FloatArray
    level: FloatArray

    def part(self, kernels: IntArray) -> "Draws":
        """Return the draws of the given kernels only."""
        if np.array_equal(kernels, np.arange(self.law.shape[1])):
            return self
        some = {name: getattr(self, name).take(kernels, axis=-1) for name in _OF_DRAWS}
        return replace(self, **some)

    def every(self, step: int) -> "Draws":
        """Return every `step`-th draw."""
        return replace(
            self,
            law=self.law[::step],
            coefficients=self.coefficients[:, ::step],
            log_weights=self.log_weights[::step],
            level=self.level[::step],
        )

    def with_others(self, kernels: IntArray, others: "Draws") -> "Draws":
        """Return these draws, with the draws of `kernels` replaced by `others`."""
        longer = self.with_terms(len(others.classes))
        others = others.with_terms(len(longer.classes))
        for name in _OF_DRAWS:
            getattr(longer, name)[..., kernels] = getattr(others, name)
        longer.law[:, kernels] += longer.classes.shape[2]
        return replace(longer, classes=np.concatenate([longer.classes, others.classes], axis=2))

    def with_terms(self, count: int) -> "Draws":
        """Return these draws, with room for `count` terms in the laws."""
        more = count - len(self.classes)
        if more <= 0:
            return self
        room = [(0, more), (0, 0), (0, 0)]
        return replace(self, classes=np.pad(self.classes, room), coefficients=np.pad(self.coefficients, room))

    @cached_property
    def _relative(self) -> tuple[FloatArray, FloatArray]:
        """Return the logarithm of each kernel's largest weight, and all weights divided by it."""
        most = np.maximum(self.log_weights.max(axis=0), NEVER)
        return most, exponential(self.log_weights - most)

    @cached_property
    def log_evidence(self) -> FloatArray:
        """Return the log evidence of the family of noise in K kernels, (K,)."""
        most, weights = self._relative
        return np.asarray(most + np.log(weights.sum(axis=0)))

    def log_evidence_of(self, kind: IntArray, kinds: int) -> FloatArray:
        """Return the log evidence of each kind of law in K kernels, (kinds, K). `kind` (B,) numbers the kinds
        of B laws.
        """
        most, weights = self._relative
        place = kind.take(self.law) * len(most) + np.arange(len(most))
        total = np.bincount(place.ravel(), weights.ravel(), minlength=kinds * len(most))
        return np.asarray(most + np.log(total.reshape(kinds, -1)))


def sample(
    basis: Basis, runs: Runs, family: Noise, laws: Laws, located: Located, *, count: int = DRAWS
) -> Draws:
    """Make `count` draws of kernels under one family of noise, from the laws found. Under one-sided noise,
    make `ONE_SIDED_FACTOR` times as many.
    """
    if basis.parameter_count > MOST_COMBINED:
        laws = laws.with_terms(max(laws.terms, 1))
    candidates = _candidates(basis, runs, family, laws, located, count=count)
    kernels = np.arange(len(runs.scale))
    step = max(1, NUMBERS_AT_ONCE // (candidates.draws * len(located.y)))
    parts = [
        _weighted_draws(runs, family, candidates, part)
        for part in np.split(kernels, range(step, len(kernels), step))
    ]
    joined = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    return Draws(candidates.pairs.classes, *joined)


@dataclass(frozen=True)
class _Pairs:
    """The sampled laws with or without a constant, sorted by kernel. `log_evidence` includes `log_prior`."""

    classes: IntArray
    kernel: IntArray
    log_evidence: FloatArray
    constant: BoolArray
    log_prior: FloatArray

    def part(self, which: IntArray) -> "_Pairs":
        return _Pairs(
            self.classes[..., which],
            self.kernel[which],
            self.log_evidence[which],
            self.constant[which],
            self.log_prior[which],
        )

    @cached_property
    def present(self) -> IntArray:
        """Return the number of coefficients of each law."""
        return np.asarray(self.constant + (self.classes != 0).any(axis=1).sum(axis=0))

    @cached_property
    def log_density(self) -> FloatArray:
        """Return the log prior density of each law, without the factor 1 / `_spread`."""
        return self.log_prior - np.where(self.present > 1, self.present * np.log(LOG_SHARE_RANGE), 0.0)


@dataclass(frozen=True)
class _Candidates:
    """Laws to draw from. `known` are the columns of the laws' terms, or None if not needed so far. `share` is
    each law's share in the draws of its kernel. `index` is the law's place in `pairs`. `log_weight` is the
    part of the log weight that all draws of a law have in common.
    """

    basis: Basis
    pairs: _Pairs
    known: FloatArray | None
    centres: Centres
    least: FloatArray
    share: FloatArray
    index: IntArray
    log_weight: FloatArray
    draws: int

    def columns(self, laws: slice) -> FloatArray:
        """Return the values of the terms of some laws at P points, (terms, P, laws)."""
        if self.known is not None:
            return self.known[..., laws]
        return self.basis.columns(self.pairs.classes[..., laws])


def _candidates(
    basis: Basis, runs: Runs, family: Noise, laws: Laws, located: Located, *, count: int
) -> _Candidates:
    pairs, centres, least = _plausible(basis, laws, located)
    evidence, known = pairs.log_evidence, None
    if isinstance(family, Exponential | Uniform):
        columns = _with_constant(basis.columns(pairs.classes), pairs.constant)
        of_pair = runs.bounds(pairs.kernel)
        centres = sharpen(columns, centres.mean, of_pair, one_sided=isinstance(family, Exponential))
        prior = pairs.log_density - np.log((centres.mean + least).prod(axis=0))
        evidence = _reached(centres, columns, family, of_pair) + _log_volume(centres) + prior
        known = columns[1:]
    share, index = _shares(pairs, evidence, len(runs.scale))
    draws = count * ONE_SIDED_FACTOR if isinstance(family, Exponential) else count
    rank = np.arange(len(pairs.kernel)) - index[0, pairs.kernel]
    log_weight = pairs.log_density - np.log(share[rank, pairs.kernel] * draws)
    return _Candidates(basis, pairs, known, centres, least, share, index, log_weight, draws)


def _weighted_draws(
    runs: Runs, family: Noise, candidates: _Candidates, part: IntArray
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return the fields of `Draws`, without `classes`, for some kernels."""
    picked = systematic(candidates.share[:, part].T, candidates.draws)
    number = np.ascontiguousarray(candidates.index[picked.T, part])
    # The laws of these kernels are next to each other. Only these are used.
    first = int(number.min())
    laws, own = slice(first, int(number.max()) + 1), number - first
    coefficients, log_weights = draw(candidates.centres.part(laws), own)
    law = _law(coefficients, candidates.columns(laws), own)
    likelihood, level = family.weigh(law, runs.part(part))
    log_weights += likelihood + candidates.log_weight.take(number)
    log_weights -= np.log(_spread(coefficients, candidates.least[:, laws], own))
    log_weights[~np.isfinite(log_weights)] = -np.inf
    return number, coefficients, log_weights, level


def _reached(centres: Centres, columns: FloatArray, family: Noise, runs: Runs) -> FloatArray:
    """Return the log likelihood of each law at its centre."""
    law = np.einsum("nb,npb->pb", np.maximum(centres.mean, 0), columns)
    return family.weigh(np.maximum(law, 1e-300), runs)[0]


def _log_volume(centres: Centres) -> FloatArray:
    """Return the log integral of a normal likelihood with the value 1 at each law's centre."""
    n, precision = len(centres.precision), centres.precision
    # A coefficient that is absent counts as one with the integral 1.
    diagonal = [np.where(precision[i, i] == 0, 2 * np.pi, precision[i, i]) for i in range(n)]
    lower = cholesky([[*precision[i, :i], diagonal[i]] for i in range(n)])
    return np.asarray(sum(0.5 * np.log(2 * np.pi) - np.log(lower[i][i]) for i in range(n)))


def _plausible(basis: Basis, laws: Laws, located: Located) -> tuple[_Pairs, Centres, FloatArray]:
    """Return the sampled laws with and without a constant, their centres, and the floors of coefficients."""
    best = laws.log_evidence.max(axis=0)
    kernel, rank = np.nonzero((laws.log_evidence > best + np.log(PLAUSIBLE_SHARE)).T)
    classes, known = laws.classes[:, :, rank, kernel], laws.log_evidence[rank, kernel]
    weights = best_weights(basis, laws, located)
    equations = Equations.of(basis, classes[:, :, None], located, weights, kernel)
    through_zero = equations.without_constant()
    of_law, prior = log_prior(basis, classes), _prior_of_constant(classes)
    pairs = _Pairs(
        np.concatenate([classes, classes], axis=2),
        np.concatenate([kernel, kernel]),
        np.concatenate([known, through_zero.log_evidence(basis)[0] + of_law]) + prior,
        np.repeat([True, False], len(kernel)),
        np.tile(of_law, 2) + prior,
    )
    best = np.full(laws.log_evidence.shape[1], -np.inf)
    np.maximum.at(best, pairs.kernel, pairs.log_evidence)
    likely = np.flatnonzero(pairs.log_evidence > best[pairs.kernel] + np.log(PLAUSIBLE_SHARE))
    likely = likely[np.argsort(pairs.kernel[likely], kind="stable")]
    pairs, law = pairs.part(likely), likely % len(kernel)
    return pairs, _centres(equations, through_zero, pairs, law), _least(equations, pairs, law)


def _prior_of_constant(classes: IntArray) -> FloatArray:
    """Return the log prior probabilities of all laws with a constant and, after these, without one."""
    without = THROUGH_ZERO_PRIOR * (classes != 0).any(axis=(0, 1))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.concatenate([1 - without, without])))


def _centres(equations: Equations, through_zero: Equations, pairs: _Pairs, law: IntArray) -> Centres:
    """Return the centres of laws by least squares. `law` has the index of each law in the equations."""
    n, there = len(equations.gram), _present(equations, pairs, law)
    precision = np.empty((n, n, len(law)))
    for i, row in enumerate(equations.gram):
        for j, each in enumerate(row):
            precision[i, j] = precision[j, i] = each[0].take(law) * (there[i] * there[j])
    plain = np.stack(np.broadcast_arrays(*equations.fit.coefficients))[:, 0].take(law, axis=1)
    without = np.zeros_like(plain)
    without[1:] = np.stack(np.broadcast_arrays(*through_zero.fit.coefficients))[:, 0].take(law, axis=1)
    return Centres(np.where(pairs.constant, plain, without), precision)


def _least(equations: Equations, pairs: _Pairs, law: IntArray) -> FloatArray:
    """Return the floors of coefficients in the prior density 1 / Π(coefficient + floor)."""
    norms = np.stack([row[-1][0].take(law) for row in equations.gram])
    # A law's only coefficient is its size and needs no floor. Absent coefficients are 0 and change
    # nothing.
    least = np.where(pairs.present > 1, negligible(norms, equations.squares.take(law)), 0.0)
    return np.where(_present(equations, pairs, law), least, 1.0)


def _present(equations: Equations, pairs: _Pairs, law: IntArray) -> BoolArray:
    """Return which coefficients the laws have, (coefficients, laws)."""
    return np.stack([pairs.constant, *(each[0].take(law) > 0 for each in equations.present[1:])])


def _with_constant(columns: FloatArray, constant: BoolArray) -> FloatArray:
    ones = np.broadcast_to(constant.astype(float), (1, *columns.shape[1:]))
    return np.concatenate([ones, columns])


def _shares(pairs: _Pairs, evidence: FloatArray, kernels: int) -> tuple[FloatArray, IntArray]:
    """Return each law's share in the draws of its kernel, and the index of each law among the pairs."""
    start = np.searchsorted(pairs.kernel, np.arange(kernels + 1))
    most = int(np.diff(start).max())
    rank = np.arange(most)[:, None]
    there = rank < np.diff(start)
    index = np.minimum(start[:-1] + rank, len(evidence) - 1)
    known = np.where(np.isfinite(evidence), evidence, -np.inf)[index]
    known = np.where(there, known, -np.inf)
    best = known.max(axis=0)
    share = np.exp(DRAW_POWER * (known - np.where(np.isfinite(best), best, 0)))
    share[0] += share.sum(axis=0) == 0
    return share / share.sum(axis=0), index


def _law(coefficients: FloatArray, columns: FloatArray, number: IntArray) -> FloatArray:
    """Return the values of drawn laws, (points, draws, kernels)."""
    law = np.empty((columns.shape[1], *number.shape))
    law[:] = coefficients[0]
    for c, column in zip(coefficients[1:], columns, strict=True):
        term = column.take(number, axis=1)
        term *= c
        law += term
    return np.maximum(law, 1e-300, out=law)


def _spread(coefficients: FloatArray, least: FloatArray, number: IntArray) -> FloatArray:
    """Return the product Π(coefficient + floor) of each draw."""
    product = coefficients[0] + least[0].take(number)
    for c, small in zip(coefficients[1:], least[1:], strict=True):
        product *= c + small.take(number)
    return np.asarray(product)
