"""Which laws may stand behind the values: a search by evidence over all of them at once.

A law is a table of classes (T, m): term × parameter, class 0 meaning that the parameter does not stand in
the term. From the constant on, every parameter of the best laws is moved to every class and into every term,
or a term of its own, until nothing better turns up.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from modeling.engine.evidence.basis import PAIRS, Basis
from modeling.engine.evidence.gaussian import log_evidence, solve
from modeling.engine.validation import BoolArray, FloatArray, IntArray

BEAMS = 3
"""Best laws from which every round goes on."""

HOPELESS = 8.0
"""A law whose evidence (logarithm) is so far below the best one's leads to no better one."""

KEPT = 64
"""Laws that a kernel keeps."""

AGAIN = np.log(0.03)
"""Logarithm of the prior probability that a parameter stands in one term more."""

NEAR = 2.0
"""A law's value that is this many times the measured one says nothing about the precision there."""

SUGGESTED = 2
"""Classes of each parameter that every structure begins with."""

_RADIX = 128


@dataclass(frozen=True)
class Located:
    """One value per point of K kernels: `y` and its relative variance, (P, K); infinite where missing."""

    y: FloatArray
    variance: FloatArray

    def weights(self, law: FloatArray) -> FloatArray:
        """Precision of the values where a law has these, (P, K)."""
        return np.asarray(1 / (self.variance * law**2))

    def where(self, kernels: BoolArray, others: "Located") -> "Located":
        """These of some kernels, and others of the rest."""
        return Located(np.where(kernels, self.y, others.y), np.where(kernels, self.variance, others.variance))

    def part(self, kernels: IntArray) -> "Located":
        """Only these kernels."""
        return Located(self.y[:, kernels], self.variance[:, kernels])


@dataclass(frozen=True)
class Laws:
    """Laws of K kernels, best first: classes (T, m, H, K) and the logarithm of their evidence (H, K)."""

    classes: IntArray
    log_evidence: FloatArray

    def part(self, kernels: IntArray) -> "Laws":
        """Only these kernels."""
        return Laws(self.classes[..., kernels], self.log_evidence[:, kernels])

    def widened(self, count: int) -> "Laws":
        """The same with room for so many laws a kernel."""
        more = count - len(self.log_evidence)
        if more <= 0:
            return self
        classes = np.pad(self.classes, [(0, 0), (0, 0), (0, more), (0, 0)])
        return Laws(classes, np.pad(self.log_evidence, [(0, more), (0, 0)], constant_values=-np.inf))

    def put(self, kernels: IntArray, laws: "Laws") -> None:
        """Replace the laws of these kernels."""
        self.classes[..., kernels] = laws.classes
        self.log_evidence[:, kernels] = laws.log_evidence


def search(basis: Basis, located: Located) -> Laws:
    """Find the laws with the most evidence for each kernel."""
    m = basis.parameter_count
    weights = located.weights(located.y)
    pool = _sorted(scored(basis, _starts(basis, located), located, weights), KEPT)
    going = np.arange(located.y.shape[1])
    left = np.zeros((0, len(going)), dtype=np.int64)
    for _ in range(1 if m == 1 else m + 2):
        here, before = located.part(going), pool.part(going)
        beams, name, hopeful = _beams(before, left[:, going])
        if not len(hopeful):
            break
        here, before, going = here.part(hopeful), before.part(hopeful), going[hopeful]
        grown = merged(before, _moves(basis, beams, here, best_weights(basis, before, here)), KEPT)
        pool = pool.widened(len(grown.log_evidence))
        pool.put(going, grown)
        left = np.concatenate([left, np.zeros((len(name), left.shape[1]), dtype=np.int64)])
        left[-len(name) :, going] = name
    weights = best_weights(basis, pool, located)
    return _sorted(scored(basis, pool.classes, located, weights), len(pool.log_evidence))


def _beams(laws: Laws, left: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The best laws (T, m, B, K) from which no search has gone on yet, their names, and of which kernels.

    `left` are the names (N, K) of those from which one has.
    """
    name = names(laws.classes)
    fresh = ~(name[:, None] == left).any(axis=1)
    evidence = np.where(fresh, laws.log_evidence, -np.inf)
    order = np.argsort(-evidence, axis=0, kind="stable")[:BEAMS]
    best = np.take_along_axis(evidence, order[:1], axis=0)[0]
    hopeful = np.flatnonzero(best > laws.log_evidence.max(axis=0) - HOPELESS)
    chosen = order[:, hopeful]
    classes = np.take_along_axis(laws.classes[..., hopeful], chosen[None, None], axis=2)
    return classes, np.take_along_axis(name[:, hopeful], chosen, axis=0), hopeful


def best_weights(basis: Basis, laws: Laws, located: Located) -> FloatArray:
    """Precision of the values, (P, K), by each kernel's best law."""
    return located.weights(_best_law(basis, laws, located, located.weights(located.y)))


def _starts(basis: Basis, located: Located) -> IntArray:
    """Laws to begin with: the constant, and what each parameter alone suggests in every structure."""
    m = basis.parameter_count
    kernels = located.y.shape[1]
    if m == 1:
        return np.zeros((1, 1, 1, kernels), dtype=np.int64)
    suggested = np.stack([_suggested(basis, parameter, located) for parameter in range(m)])
    laws = [np.zeros((m, m, kernels), dtype=np.int64)]
    for structure in _structures(m):
        for rank in range(SUGGESTED):
            law = np.zeros((m, m, kernels), dtype=np.int64)
            law[structure, np.arange(m)] = suggested[:, rank]
            laws.append(law)
    return canonical(np.stack(laws, axis=2))


def _suggested(basis: Basis, parameter: int, located: Located) -> IntArray:
    """Classes (ranks, K) that fit best how the values change with one parameter in the geometric mean."""
    value = np.unique(basis.points[:, parameter], return_inverse=True)[1]
    there = np.isfinite(located.variance).astype(float)
    level = np.where(there > 0, np.log(located.y), 0.0)
    effect, there = _effect(basis.points, parameter, level, there)
    profile = np.exp(_group_means(effect * there, there, value))
    precision = there / (located.variance.min(axis=0) * profile**2)
    nothing = _Rest.of(basis, np.zeros((1, basis.parameter_count, level.shape[1]), dtype=np.int64), parameter)
    evidence = _moved(basis, nothing, parameter, 0, _Measured.of(precision, profile, 1))
    evidence[0] = -np.inf
    return np.argsort(-evidence, axis=0, kind="stable")[:SUGGESTED]


def _effect(
    points: FloatArray, parameter: int, level: FloatArray, there: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What of the values' logarithms (P, K) one parameter makes, and where that can be told, (P, K) each.

    Along lines it is the difference from the line's mean, and a point alone on its line tells nothing;
    without lines powers of the other parameters are taken out.
    """
    line = np.unique(np.delete(points, parameter, axis=1), axis=0, return_inverse=True)[1].ravel()
    on_line = np.bincount(line)[line] > 1
    if on_line.any():
        there = there * on_line[:, None]
        return level - _group_means(level, there, line), there
    powers = np.column_stack([np.ones(len(points)), np.log(points)])
    found = np.linalg.pinv(powers) @ level
    found[parameter + 1] = 0
    return level - powers @ found, there


def _group_means(values: FloatArray, there: FloatArray, group: IntArray) -> FloatArray:
    """Mean over the points of each point's group, (P, K)."""
    member = (group == np.arange(group.max() + 1)[:, None]).astype(float)
    means = (member @ (values * there)) / np.maximum(member @ there, 1)
    return np.asarray(means[group])


def _structures(count: int) -> list[list[int]]:
    """All ways to put parameters into terms: the term of each parameter."""
    found: list[list[int]] = [[]]
    for _ in range(count):
        found = [[*terms, term] for terms in found for term in range(max(terms, default=-1) + 2)]
    return found


def log_prior(basis: Basis, classes: IntArray) -> FloatArray:
    """Logarithm of the prior probability of laws (T, m, ...)."""
    m = basis.parameter_count
    total = np.zeros(classes.shape[2:])
    active = np.zeros(classes.shape[2:], dtype=np.int64)
    for parameter in range(m):
        factors = classes[:, parameter]
        count = (factors > 0).sum(axis=0)
        each = np.where(factors > 0, basis.log_prior[parameter][factors] + AGAIN, 0.0).sum(axis=0)
        total += np.where(count > 0, each - AGAIN, basis.log_prior[parameter][0])
        active += count > 0
    partitions = np.array([_partitions(count) for count in range(m + 1)])
    return np.asarray(total - np.log(partitions[active]))


def _partitions(count: int) -> int:
    """In how many ways so many parameters are split into terms (Bell's numbers)."""
    return 1 if count == 0 else sum(comb(count - 1, k) * _partitions(k) for k in range(count))


def scored(basis: Basis, classes: IntArray, located: Located, weights: FloatArray) -> Laws:
    """Evidence of given laws (T, m, H, K)."""
    root = np.sqrt(weights)
    columns = np.empty((len(classes) + 1, *located.y.shape[:1], *classes.shape[2:]))
    columns[0] = root[:, None]
    columns[1:] = basis.columns(classes) * root[:, None]
    values = located.y * root
    present = [np.ones(1), *(classes != 0).any(axis=1).astype(float)]
    gram = [
        [np.einsum("phk,phk->hk", one, other) for other in columns[:number]]
        + [np.einsum("phk,phk->hk", one, one) + (1 - present[number])]
        for number, one in enumerate(columns)
    ]
    moments = [np.einsum("phk,pk->hk", one, values) for one in columns]
    fit = solve(gram, moments, np.einsum("pk,pk->k", values, values))
    evidence = np.broadcast_to(log_evidence(fit, present), classes.shape[2:]) + log_prior(basis, classes)
    return Laws(classes, np.where(np.isnan(evidence), -np.inf, evidence))


def _best_law(basis: Basis, laws: Laws, located: Located, weights: FloatArray) -> FloatArray:
    """Values (P, K) of each kernel's best law, where it is near the measured ones."""
    law = fitted(basis, laws.classes[:, :, 0], located, weights)
    return np.clip(law, located.y / NEAR, located.y * NEAR)


def fitted(basis: Basis, classes: IntArray, located: Located, weights: FloatArray) -> FloatArray:
    """Values (P, K) of laws (T, m, K) by weighted least squares, coefficients cut at 0."""
    columns = basis.columns(classes)
    columns = np.concatenate([np.ones((1, *columns.shape[1:])), columns])
    present = np.concatenate([np.ones((1, columns.shape[2])), (classes != 0).any(axis=1)])
    gram = [
        [np.einsum("pk,pk,pk->k", one, weights, other) for other in columns[:number]]
        + [np.einsum("pk,pk,pk->k", one, weights, one) + (1 - present[number])]
        for number, one in enumerate(columns)
    ]
    weighted = weights * located.y
    fit = solve(gram, [np.einsum("pk,pk->k", one, weighted) for one in columns], np.zeros(1))
    coefficients = np.maximum(np.stack([np.broadcast_to(c, present[0].shape) for c in fit.coefficients]), 0)
    law = np.einsum("ck,cpk->pk", coefficients * present, columns)
    return np.asarray(np.maximum(law, 1e-6 * law.max(axis=0)))


def _moves(basis: Basis, best: IntArray, located: Located, weights: FloatArray) -> Laws:
    """Laws next to the best (T, m, B, K): one parameter in another term, or of another class."""
    terms, m, beams, kernels = best.shape
    flat = best.reshape(terms, m, beams * kernels)
    measured = _Measured.of(weights, located.y, beams)
    found, codes = [], []
    for parameter in range(m):
        rest = _Rest.of(basis, flat, parameter)
        prior = _log_prior_of_move(basis, rest, parameter)
        for term in range(terms):
            evidence = _moved(basis, rest, parameter, term, measured) + prior
            evidence[:, ~rest.open[term]] = -np.inf
            found.append(np.where(np.isnan(evidence), -np.inf, evidence).reshape(-1, kernels))
            codes.append((parameter, term))
    return _decode(np.concatenate(found), codes, best)


@dataclass(frozen=True)
class _Measured:
    """Precision of values, it times the values, and times their squares, (P, B) each."""

    weights: FloatArray
    weighted: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, weights: FloatArray, y: FloatArray, beams: int) -> "_Measured":
        """The same for every beam."""
        return cls(*(np.tile(part, beams) for part in (weights, weights * y, weights * y**2)))


@dataclass(frozen=True)
class _Rest:
    """Laws (T, m, B) without one parameter, the values of their terms (T, P, B), which terms that leaves, and
    which the parameter may go to: these, or the first empty one, (T, B)."""

    classes: IntArray
    columns: FloatArray
    used: BoolArray
    open: BoolArray

    @classmethod
    def of(cls, basis: Basis, laws: IntArray, parameter: int) -> "_Rest":
        """Take a parameter out of laws."""
        classes = laws.copy()
        classes[:, parameter] = 0
        used = (classes != 0).any(axis=1)
        return cls(classes, basis.columns(classes), used, used | (np.cumsum(~used, axis=0) == 1))


def _moved(basis: Basis, rest: _Rest, parameter: int, term: int, measured: _Measured) -> FloatArray:
    """Evidence (classes, B) of laws with one more factor of any class in one term, but for their prior."""
    others = [number for number in range(len(rest.used)) if number != term]
    fixed = [np.ones_like(measured.weights), *(rest.columns[number] for number in others)]
    there = [np.ones(1), *(rest.used[number].astype(float) for number in others)]
    factor = np.where(rest.used[term], rest.columns[term], 1.0)
    table, with_weights = basis.tables[parameter], factor * measured.weights
    gram = []
    for number, one in enumerate(fixed):
        heavy = one * measured.weights
        gram.append([np.einsum("pb,pb->b", heavy, other)[None] for other in fixed[: number + 1]])
        gram[-1][-1] = gram[-1][-1] + (1 - there[number])
    gram.append([table @ (with_weights * one) for one in fixed])
    gram[-1].append(basis.squares[parameter] @ (with_weights * factor))
    moments = [np.einsum("pb,pb->b", one, measured.weighted)[None] for one in fixed]
    moments.append(table @ (factor * measured.weighted))
    # Class 0 in a term with other factors is that term alone; without, the law has one term less.
    grown = np.ones((len(table), len(rest.used[term])))
    grown[0] = rest.used[term]
    fit = solve(gram, moments, measured.squares.sum(axis=0)[None])
    return log_evidence(fit, [*there, grown])


def _log_prior_of_move(basis: Basis, rest: _Rest, parameter: int) -> FloatArray:
    """Logarithm of the prior probability, (classes, B), when the parameter gets any class."""
    present = rest.classes.max(axis=0)
    others = [other for other in range(basis.parameter_count) if other != parameter]
    prior = basis.log_prior[parameter][:, None] + np.zeros(present.shape[1])
    for other in others:
        prior = prior + basis.log_prior[other][present[other]]
    active = (present[others] > 0).sum(axis=0)
    bell = np.log([_partitions(count) for count in range(basis.parameter_count + 1)])
    prior[1:] -= bell[active + 1]
    prior[0] -= bell[active]
    return np.asarray(prior)


def _decode(evidence: FloatArray, codes: list[tuple[int, int]], best: IntArray) -> Laws:
    """The best candidates of (parameter and term, class, beam) as laws."""
    _, _, beams, kernels = best.shape
    count = min(KEPT, len(evidence) - 1)
    by_kernel = np.ascontiguousarray(evidence.T)
    top = np.argpartition(-by_kernel, count, axis=1)[:, :count].T
    code, remainder = np.divmod(top, len(PAIRS) * beams)
    chosen, beam = np.divmod(remainder, beams)
    classes = np.take_along_axis(best, beam[None, None], axis=2).copy()
    parameter, term = np.array(codes).T[:, code]
    classes[:, parameter, np.arange(count)[:, None], np.arange(kernels)] = 0
    classes[term, parameter, np.arange(count)[:, None], np.arange(kernels)] = chosen
    return Laws(canonical(classes), np.take_along_axis(evidence, top, axis=0))


def canonical(classes: IntArray) -> IntArray:
    """The same laws with their terms in a fixed order."""
    return np.take_along_axis(classes, np.argsort(-_numbers(classes, 1), axis=0)[:, None], axis=0)


def _numbers(classes: IntArray, axis: int) -> IntArray:
    """One number for the classes along an axis."""
    digits = _RADIX ** np.arange(classes.shape[axis])
    return np.asarray(np.tensordot(digits, classes, axes=(0, axis)))


def merged(one: Laws, other: Laws, kept: int) -> Laws:
    """The best of both, each law once."""
    classes = np.concatenate([one.classes, other.classes], axis=2)
    evidence = np.concatenate([one.log_evidence, other.log_evidence])
    name = names(classes)
    order = np.lexsort((-evidence, name), axis=0)
    in_order = np.take_along_axis(name, order, axis=0)
    double = np.zeros(order.shape, dtype=bool)
    double[1:] = in_order[1:] == in_order[:-1]
    again = np.zeros_like(double)
    np.put_along_axis(again, order, double, axis=0)
    return _sorted(Laws(classes, np.where(again, -np.inf, evidence)), kept)


def names(classes: IntArray) -> IntArray:
    """One number per law, (H, K): with more than two parameters a hash (mixing as in SplitMix64)."""
    name = np.zeros(classes.shape[2:], dtype=np.uint64)
    for term in classes:
        for factor in term:
            name = (name ^ factor.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            name ^= name >> np.uint64(31)
    return name.astype(np.int64)


def _sorted(laws: Laws, kept: int) -> Laws:
    order = np.argsort(-laws.log_evidence, axis=0, kind="stable")[:kept]
    return Laws(
        np.take_along_axis(laws.classes, order[None, None], axis=2),
        np.take_along_axis(laws.log_evidence, order, axis=0),
    )
