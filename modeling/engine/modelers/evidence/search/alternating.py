"""Search for sums of two terms of nearly any classes, such as c₁·(n/p)^(3/4) + c₂·log p.

There are too many sums of any two products. So one of the terms has a single factor of a simple class at
first. Then each term of the best sums is replaced in turn by the best product, while the other one stays.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS, SLOWLY, classes_of
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    LOG_SAME_CLASS,
    Factors,
    Laws,
    Located,
    best_weights,
    canonical,
    log_prior,
    merged,
    scored,
)
from modeling.engine.modelers.evidence.search.pairs import Centred, Floats, gains, products
from modeling.engine.modelers.evidence.search.tried_classes import SIMPLE, usable
from modeling.engine.validation import BoolArray, IntArray

FIRST = (*SLOWLY, *classes_of((2 / 3, 0), (2, 0)))
"""The classes of the first terms, which have a single factor."""

# Powers without a logarithm, and halves of whole powers also with one: others lie close to one of these.
_PLAIN = (PAIRS[:, 1] == 0) | ((PAIRS[:, 1] == 1) & (PAIRS[:, 0] * 2 % 1 == 0))

IN_TERMS = {
    2: tuple(np.flatnonzero(_PLAIN)[1:].tolist()),
    3: (*SIMPLE, *classes_of((3 / 4, 0), (3 / 2, 0), (-3 / 4, 0))),
}
"""The classes of the terms, by the number of parameters."""

ROUNDS = 2
"""The number of times that each term of the best sums is replaced."""

SUMS_CHANGED = 2
"""The number of best sums whose terms are replaced in a round."""

SUMS_WEIGHED = 16
"""The number of best sums of each round whose evidence is computed."""

NUMBERS_AT_ONCE = 200_000
"""The largest number of elements of one temporary array."""


def alternated(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws with the best sums of two terms, for two or three parameters. The laws have room for two
    terms or more. The precision of the values comes from the best of `laws`.
    """
    if basis.parameter_count not in IN_TERMS:
        return laws
    terms = products(usable(basis, IN_TERMS))
    if len(terms) < SUMS_WEIGHED:  # the points distinguish hardly any terms
        return laws
    simple = np.isin(terms, (0, *FIRST)).all(axis=1) & ((terms > 0).sum(axis=1) == 1)
    first, prior = np.flatnonzero(simple), _Prior.of(basis, terms)
    table = basis.columns(terms.T[None])[0].T.astype(np.float32)
    weights = best_weights(basis, laws, located)
    kernels = np.arange(weights.shape[1])
    step = max(1, NUMBERS_AT_ONCE // (len(first) * len(terms)))
    found = []
    for part in np.split(kernels, range(step, len(kernels), step)):
        # Single precision suffices to rank sums, and takes half of the time.
        y, precision = (each[:, part].astype(np.float32) for each in (located.y, weights))
        found.append(_sums(Centred.of(table, y, precision), prior, first))
    one, other, possible = (np.concatenate(each).T for each in zip(*found, strict=True))
    classes = np.zeros((*laws.classes.shape[:2], *one.shape), dtype=np.int64)
    classes[0], classes[1] = terms.T[:, one], terms.T[:, other]
    known = scored(basis, canonical(classes), located, weights)
    sums = Laws(known.classes, np.where(possible, known.log_evidence, -np.inf))
    return merged(laws, sums, LAWS_KEPT)


@dataclass(frozen=True)
class _Prior:
    """The log prior probabilities of sums of two of N terms.

    Attributes:
        alone: the sums of the log priors of the terms' classes, (N,).
        group: the number of each term's group, (N,). The rest of a sum's prior depends only on the groups of
            both terms, and on whether they share classes.
        beside: the log priors of sums of a term of each group and each term, without `alone` of the former,
            (groups, N). They assume that both terms have different classes.
        classes: the classes of the terms' factors, (m, N).
        twice: what these classes would add if both terms of a sum have them and they counted twice, (m, N).
    """

    alone: Floats
    group: IntArray
    beside: Floats
    classes: IntArray
    twice: Floats

    @classmethod
    def of(cls, basis: Basis, terms: IntArray) -> "_Prior":
        """Return the priors of sums of the `terms` (N, m)."""
        factors = Factors.of(basis, terms.T[None])
        alone = factors.log_prior_of_each.sum(axis=0)
        _, first, group = np.unique(factors.codes, axis=1, return_index=True, return_inverse=True)
        one, other = np.repeat(first, len(first)), np.tile(first, len(first))
        sums = log_prior(basis, np.stack([terms[one].T, terms[other].T])) - alone[one] - alone[other]
        twice = np.where(terms.T > 0, factors.log_prior_of_each - LOG_SAME_CLASS, 0.0)
        sums += np.where(terms[one] == terms[other], twice.T[one], 0.0).sum(axis=1)
        beside = alone + sums.reshape(len(first), len(first))[:, group.ravel()]
        alone, beside, twice = (each.astype(np.float32) for each in (alone, beside, twice))
        return cls(alone, group.ravel(), beside, terms.T, twice)

    def of_sums(self, some: IntArray) -> Floats:
        """Return the log priors of sums of the terms `some` (K, A) and all N terms, (K, A, N)."""
        total = self.beside[self.group[some]] + self.alone[some][..., None]
        for classes, twice in zip(self.classes, self.twice, strict=True):
            total -= np.where(classes[some][..., None] == classes, twice, np.float32(0))
        return np.asarray(total)


def _best_places(merit: Floats, count: int) -> tuple[IntArray, IntArray]:
    """Return the places of the `count` largest numbers of each kernel in `merit` (K, A, N), (K, count) each.
    They are in the columns that have the largest maxima, so that few columns have to be compared.
    """
    columns = np.argpartition(-merit.max(axis=1), count - 1, axis=1)[:, :count]
    few = np.take_along_axis(merit, columns[:, None], axis=2).reshape(len(merit), -1)
    best = np.argpartition(-few, count - 1, axis=1)[:, :count]
    return best // count, np.take_along_axis(columns, best % count, axis=1)


def _sums(columns: Centred, prior: _Prior, first: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the best sums of two columns of K kernels: the indices of both columns and whether the sum is
    possible, (K, sums). One column of the first sums is among those with the indices `first`.
    """
    kernels = len(columns.columns)
    some = np.tile(first, (kernels, 1))
    one, other = np.zeros((2, kernels, 0), dtype=np.int64)
    merit = np.zeros((kernels, 0))
    for number in range(ROUNDS + 1):
        tried = gains(columns.part(some), columns)
        # In the first round, all kernels have the same terms.
        tried += prior.of_sums(some if number else some[:1])
        np.put_along_axis(tried, some[..., None], -np.inf, axis=2)  # a term beside itself
        place, term = _best_places(tried, SUMS_WEIGHED)
        one = np.concatenate([one, np.take_along_axis(some, place, axis=1)], axis=1)
        other = np.concatenate([other, term], axis=1)
        merit = np.concatenate([merit, tried[np.arange(kernels)[:, None], place, term]], axis=1)
        top = np.argsort(-merit, axis=1)[:, :SUMS_CHANGED]
        some = np.concatenate([np.take_along_axis(each, top, axis=1) for each in (one, other)], axis=1)
    return one, other, np.isfinite(merit)
