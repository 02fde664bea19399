"""Add one more factor to many laws at once, and try all factors of all parameters.

A *move* splits a law into the terms that stay and a *seed*, the term that gets another factor. With an empty
seed, the factor becomes a term of its own. The inner products of all new terms with other terms are matrix
products with one table of all factors. These products show how much each factor reduces the misfit. The
evidence is computed only for the best factors of each move.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.laws.partitions import partition_count
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.gaussian import log_evidence, solve, triangles
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, canonical
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FACTORS_WEIGHED = 48
"""The number of factors of each move for which the evidence is computed."""

LAWS_FOUND = 64
"""The largest number of laws of each kernel that `tried` and `by_kernel` return."""

NUMBERS_AT_ONCE = 150_000
"""The largest number of elements of one temporary array."""

_LEAST = 1e-6
"""A column is linearly dependent if other columns explain all but this share of its squared norm."""


@dataclass(frozen=True)
class Moves:
    """B moves.

    Attributes:
        rest: the T terms of m parameters that stay, (T, m, B); the last one is empty.
        seed: the term that gets another factor, (m, B); all classes are 0 if the factor becomes a new term.
        kernel: the kernel of each move's law, (B,).
    """

    rest: IntArray
    seed: IntArray
    kernel: IntArray

    def part(self, moves: slice) -> "Moves":
        """Return the given moves only."""
        return Moves(self.rest[..., moves], self.seed[:, moves], self.kernel[moves])

    @cached_property
    def used(self) -> BoolArray:
        """Return whether each of m parameters is in the rest or in the seed of B moves, (m, B)."""
        return np.asarray((self.rest != 0).any(axis=0) | (self.seed != 0))

    @classmethod
    def joined(cls, parts: "list[Moves]") -> "Moves":
        """Join several sets of moves, in the order of their kernels."""
        kernel = np.concatenate([part.kernel for part in parts])
        order = np.argsort(kernel, kind="stable")
        return cls(
            np.concatenate([part.rest for part in parts], axis=2)[..., order],
            np.concatenate([part.seed for part in parts], axis=1)[:, order],
            kernel[order],
        )


def additions(classes: IntArray, kernel: IntArray) -> Moves:
    """Return the moves that add a factor to B laws with T terms of m parameters, (T, m, B): to each term, or
    as a new term if the last term is empty.
    """
    there = (classes != 0).any(axis=1)
    free = np.flatnonzero(~there[-1])
    alone = Moves(classes[..., free], np.zeros((classes.shape[1], len(free)), dtype=np.int64), kernel[free])
    return Moves.joined(
        [alone, *(_taken(classes, kernel, t, np.flatnonzero(there[t])) for t in range(len(there)))]
    )


def exchanges(classes: IntArray, kernel: IntArray) -> Moves:
    """Return the moves that exchange each factor of B laws with T terms of m parameters, (T, m, B)."""
    term, parameter, law = np.nonzero(classes)
    parts = []
    for number in range(len(classes)):
        of_term = term == number
        moves = _taken(classes, kernel, number, law[of_term])
        moves.seed[parameter[of_term], np.arange(len(moves.kernel))] = 0
        parts.append(moves)
    return Moves.joined(parts)


def _taken(classes: IntArray, kernel: IntArray, term: int, laws: IntArray) -> Moves:
    """Return the moves in which the given term of some laws is the seed."""
    rest = classes[..., laws]
    seed = rest[term].copy()
    rest[term] = 0
    return Moves(canonical(rest), seed, kernel[laws])


def removals(classes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Remove each factor of B laws with T terms of m parameters, (T, m, B), in turn. Return N laws (T, m, N),
    the index of each original law (N,), and the parameter of each removed factor (N,).
    """
    term, parameter, law = np.nonzero(classes)
    made = classes[..., law]
    made[term, parameter, np.arange(len(law))] = 0
    return canonical(made), law, parameter


def tried(
    basis: Basis, located: Located, weights: FloatArray, moves: Moves, classes: BoolArray | None = None
) -> Laws:
    """Return the best laws that result from moves with all usable factors of the marked `classes` (all if
    None). `weights` (P, K) has the precision of the values of K kernels at P points.
    """
    factors = _Factors.of(basis, classes)
    step = max(1, NUMBERS_AT_ONCE // max(len(factors.parameter), len(basis.points)))
    count = min(FACTORS_WEIGHED, len(factors.parameter))
    chosen = np.zeros((count, len(moves.kernel)), dtype=np.int64)
    evidence = np.zeros(chosen.shape)
    for first in range(0, len(moves.kernel), step):
        some = slice(first, first + step)
        chosen[:, some], evidence[:, some] = _best(basis, located, weights, moves.part(some), factors)
    return _best_of(moves, factors, chosen, evidence, weights.shape[1])


@dataclass(frozen=True)
class _Factors:
    """All usable factors. `log_prior` is relative to class 0 of the same parameter."""

    parameter: IntArray
    of_class: IntArray
    table: FloatArray
    squares: FloatArray
    log_prior: FloatArray

    @classmethod
    def of(cls, basis: Basis, classes: BoolArray | None) -> "_Factors":
        """Return all factors of a basis, or only the ones of the marked `classes`."""
        usable = basis.usable if classes is None else basis.usable & classes
        parameter, number = np.nonzero(usable[:, 1:])
        number = number + 1
        table = np.stack([basis.tables[p][c] for p, c in zip(parameter, number, strict=True)])
        prior = basis.log_prior[parameter, number] - basis.log_prior[parameter, 0]
        return cls(parameter, number, table, table**2, prior)


def _best(
    basis: Basis, located: Located, weights: FloatArray, moves: Moves, factors: _Factors
) -> tuple[IntArray, FloatArray]:
    """Return the indices of the best factors of each move, and the log evidence of the resulting laws."""
    problem = _Problem.of(basis, located, weights, moves, factors)
    merit = problem.gain() + factors.log_prior[:, None]
    merit = np.where(moves.used[factors.parameter] | np.isnan(merit), -np.inf, merit)
    count = min(FACTORS_WEIGHED, len(merit))
    chosen = np.argpartition(-merit, count - 1, axis=0)[:count]
    evidence = problem.log_evidence(chosen) + factors.log_prior[chosen] + _log_prior(basis, moves)
    hopeless = np.isneginf(np.take_along_axis(merit, chosen, axis=0)) | np.isnan(evidence)
    return chosen, np.where(hopeless, -np.inf, evidence)


def _log_prior(basis: Basis, moves: Moves) -> FloatArray:
    """Return the log prior probability of laws with one more factor, without that factor's own prior."""
    laws = np.concatenate([moves.rest, moves.seed[None]])
    none = basis.log_prior[:, 0]
    total = np.full(len(moves.kernel), none.sum())
    for parameter, prior in enumerate(basis.log_prior):
        number = laws[:, parameter].max(axis=0)  # a parameter has one factor at most
        total += prior[number] - none[parameter]
    ways = np.log([partition_count(count) for count in range(len(none) + 2)])
    return np.asarray(total - ways[moves.used.sum(axis=0) + 1])


@dataclass(frozen=True)
class _Problem:
    """Inner products of the columns of laws and of new columns, weighted by the precision of the values.

    The columns of a law are the constant 1 and the terms that stay. `Equations` explains `gram`, `moments`,
    `squares` and `present`. `crossed`, `norms` and `of_values` are the inner products of the new columns with
    the law's columns, with themselves and with the values.
    """

    gram: list[list[FloatArray]]
    moments: list[FloatArray]
    squares: FloatArray
    present: list[FloatArray]
    crossed: list[FloatArray]
    norms: FloatArray
    of_values: FloatArray

    @classmethod
    def of(
        cls, basis: Basis, located: Located, weights: FloatArray, moves: Moves, factors: _Factors
    ) -> "_Problem":
        root = np.sqrt(weights[:, moves.kernel])
        values = root * located.y[:, moves.kernel]
        terms = int((moves.rest != 0).any(axis=(1, 2)).sum())
        columns = [root, *(basis.columns(moves.rest[:terms]) * root)]
        present = [np.ones(1), *(moves.rest[:terms] != 0).any(axis=1).astype(float)]
        # The product of no factors is 1.
        seed = (basis.columns(moves.seed[None])[0] + ~moves.seed.any(axis=0)) * root
        return cls(
            gram=[
                [(one * other).sum(axis=0) for other in columns[:number]]
                + [(one * one).sum(axis=0) + (1 - there)]
                for number, (one, there) in enumerate(zip(columns, present, strict=True))
            ],
            moments=[(one * values).sum(axis=0) for one in columns],
            squares=(values * values).sum(axis=0),
            present=present,
            crossed=[factors.table @ (seed * one) for one in columns],
            norms=factors.squares @ (seed * seed),
            of_values=factors.table @ (seed * values),
        )

    def gain(self) -> FloatArray:
        """Return by how much each new term raises the log likelihood; 0 where its coefficient is negative."""
        _, inverse = triangles(self.gram)
        left, along = self.norms, self.of_values
        for row in inverse:
            own = _dot(row, self.crossed)
            left = left - own * own
            along = along - own * _dot(row, self.moments)
        left = np.where(left > _LEAST * self.norms, left, np.inf)
        return np.asarray(np.where(along > 0, along * along / left, 0.0) / 2)

    def log_evidence(self, chosen: IntArray) -> FloatArray:
        """Return the log evidence, without the prior, of laws with the `chosen` new columns."""
        crossed, norms, of_values = (
            [np.take_along_axis(each, chosen, axis=0) for each in some]
            for some in (self.crossed, [self.norms], [self.of_values])
        )
        fit = solve([*self.gram, crossed + norms], self.moments + of_values, self.squares)
        return log_evidence(fit, [*self.present, np.ones(1)], independent=True)


def _dot(one: list[FloatArray], other: list[FloatArray]) -> FloatArray:
    total = one[0] * other[0]
    for a, b in zip(one[1:], other[1:], strict=False):
        total = total + a * b
    return total


def _best_of(moves: Moves, factors: _Factors, chosen: IntArray, evidence: FloatArray, kernels: int) -> Laws:
    """Return the best laws of each kernel."""
    which, move = np.nonzero(np.isfinite(evidence))
    number, evidence = chosen[which, move], evidence[which, move]
    order, rank = _ranked(evidence, moves.kernel[move])
    number, move, evidence = number[order], move[order], evidence[order]
    made = moves.rest[..., move]
    made[-1] = moves.seed[:, move]
    made[-1, factors.parameter[number], np.arange(len(number))] = factors.of_class[number]
    return _put(canonical(made), evidence, rank, moves.kernel[move], kernels)


def by_kernel(classes: IntArray, log_evidence: FloatArray, kernel: IntArray, kernels: int) -> Laws:
    """Return the best laws of each kernel among B laws with T terms of m parameters, (T, m, B). `kernel` (B,)
    has the kernel of each law.
    """
    order, rank = _ranked(log_evidence, kernel)
    return _put(classes[..., order], log_evidence[order], rank, kernel[order], kernels)


def _ranked(evidence: FloatArray, kernel: IntArray) -> tuple[IntArray, IntArray]:
    """Return the indices of the best laws of each kernel, and the rank of each law in its kernel."""
    order = np.lexsort((-evidence, kernel))
    rank = np.arange(len(order)) - np.searchsorted(kernel[order], kernel[order])
    return order[rank < LAWS_FOUND], rank[rank < LAWS_FOUND]


def _put(classes: IntArray, evidence: FloatArray, rank: IntArray, kernel: IntArray, kernels: int) -> Laws:
    """Return laws as `Laws`, each at its rank in its kernel."""
    count = int(rank.max(initial=0)) + 1
    laws = Laws(
        np.zeros((*classes.shape[:2], count, kernels), dtype=np.int64), np.full((count, kernels), -np.inf)
    )
    laws.classes[..., rank, kernel] = classes
    laws.log_evidence[rank, kernel] = evidence
    return laws
