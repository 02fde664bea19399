"""Gaussian processes around laws of one parameter, along directions in which deviations are independent."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.processes import Processes
from modeling.engine.validation import FloatArray, IntArray

Turned = NDArray[np.float32]
"""Results of `Around.turned`: components of B vectors of logarithms along the D sets of directions, (B, D,
P - 1). Each vector's components are consecutive, so vectors are fast to copy.
"""


@dataclass(frozen=True)
class Directions:
    """Directions along which the deviations at P points are independent, under each kind of process with the
    size 1. The mean of the deviations is left out.

    Attributes:
        covariances: the covariances of the points, (kinds, P, P).
        turns: the directions, (kinds, P - 1, P).
        variances: the variances along the directions, (kinds, P - 1).
    """

    covariances: FloatArray
    turns: FloatArray
    variances: FloatArray

    @classmethod
    def at(cls, among: Processes, logs: FloatArray) -> "Directions":
        """Return the directions of all kinds of processes at P points with the logarithms `logs` (P, 1)."""
        covariances, without_mean = among.covariances(logs), _without_mean(len(logs))
        variances, vectors = np.linalg.eigh(without_mean.T @ covariances @ without_mean)
        return cls(covariances, (without_mean @ vectors).swapaxes(1, 2), np.maximum(variances, 0.0))

    def part(self, kinds: IntArray) -> "Directions":
        """Return the directions of some kinds."""
        return Directions(self.covariances[kinds], self.turns[kinds], self.variances[kinds])

    def beside(self, kind: IntArray, own: FloatArray) -> tuple["Directions", FloatArray]:
        """Return directions along which independent errors with different variances at the points have the
        same variance and stay independent. That variance is the second result, (D,).

        There are D pairs of a kind of process, `kind` (D,), and variances of the errors, `own` (D, P). The
        directions are not orthonormal, but keep volumes.
        """
        without_mean = _without_mean(own.shape[1])
        root = np.linalg.cholesky(without_mean.T @ (own[..., None] * without_mean))
        same = np.exp(np.log(np.diagonal(root, axis1=1, axis2=2)).mean(axis=1))
        scaled = same[:, None, None] * np.linalg.solve(root, without_mean.T[None])
        covariances = self.covariances[kind]
        variances, vectors = np.linalg.eigh(scaled @ covariances @ scaled.swapaxes(1, 2))
        turns = vectors.swapaxes(1, 2) @ scaled
        return Directions(covariances, turns, np.maximum(variances, 0.0)), same**2


@dataclass(frozen=True)
class Around:
    """N Gaussian processes around laws at P points.

    Let d be the log ratios of a kernel's values and a shape, (P,). With the size of the law integrated out,
    the components z of d along the directions `turns` are independent. The likelihood is exp(`factor` + Σ
    `weights`·z²). The N processes are ordered by their directions.

    Attributes:
        some: the indices of the N processes among all processes, (N,).
        log_weight: the logarithms of the frequencies of the processes, (N,).
        places: for each set of directions, the slice of its processes among the N.
        turns: the D sets of directions, (D, P - 1, P): one for each kind of process or, if the points' errors
            differ, one for each kind and nugget.
        weights: the weights of the squared components, (N, P - 1).
        factor: the logarithm of the likelihood's constant factor, (N,).
        size: the weights of the points in the mean of the law's log size, which is Σ `size`·d, (N, P).
        deviation: the standard deviation of the log size of a law, (N,).
        widest: the index of the process of each kind with the largest sum of squares of size and nugget.
    """

    some: IntArray
    log_weight: FloatArray
    places: list[slice]
    turns: FloatArray
    weights: FloatArray
    factor: FloatArray
    size: FloatArray
    deviation: FloatArray
    widest: IntArray

    @classmethod
    def at(
        cls, among: Processes, some: IntArray, log_weight: FloatArray, directions: Directions, error: float
    ) -> "Around":
        """Return the processes `some`, in rising order, at the points of `directions`. `error` is the
        standard deviation of the logarithms of the values, by the scatter of repetitions.
        """
        own = (among.nugget[some] ** 2 + error**2)[:, None]
        used, first, which = np.unique(among.kind[some], return_index=True, return_inverse=True)
        return cls._of(among, (some, log_weight), own, directions.part(used), (first, which, own))

    @classmethod
    def at_unequal(
        cls,
        among: Processes,
        some: IntArray,
        log_weight: FloatArray,
        directions: Directions,
        errors: FloatArray,
    ) -> "Around":
        """Return the processes `some` at the points of `directions`. The values have the standard deviations
        `errors` (P,).
        """
        order = np.lexsort((among.size[some], among.nugget[some], among.kind[some]))
        some, log_weight = some[order], log_weight[order]
        own = among.nugget[some, None] ** 2 + errors**2
        pairs = np.column_stack([among.kind[some], among.nugget[some]])
        _, first, which = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        beside, same = directions.beside(among.kind[some[first]], own[first])
        which = which.ravel()
        return cls._of(among, (some, log_weight), own, beside, (first, which, same[which, None]))

    @classmethod
    def _of(
        cls,
        among: Processes,
        used: tuple[IntArray, FloatArray],
        own: FloatArray,
        directions: Directions,
        sets: tuple[IntArray, IntArray, FloatArray],
    ) -> "Around":
        """Return the processes `used` with their log weights.

        The variances of independent errors at the points are `own`, (N, P), or (N, 1) if they are equal.
        `sets` has the first process of each set of directions, the number of each process's set, and the
        variances of independent errors along its directions, (N, 1).
        """
        (some, log_weight), (first, which, same) = used, sets
        points, size = directions.turns.shape[2], among.size[some, None] ** 2
        variance = size * directions.variances[which] + same
        covariance = size[..., None] * directions.covariances[which] + own[..., None] * np.eye(points)
        rows = np.linalg.solve(covariance, np.ones((points, 1)))[..., 0]
        norm = rows.sum(axis=1)
        return cls(
            some=some,
            log_weight=log_weight,
            places=[slice(*each) for each in pairwise([*first.tolist(), len(some)])],
            turns=directions.turns,
            weights=-0.5 / variance,
            factor=-0.5 * (np.log(points) + np.log(2 * np.pi * variance).sum(axis=1)),
            size=rows / norm[:, None],
            deviation=1 / np.sqrt(norm),
            widest=_widest(among.kind[some], among.size[some] ** 2 + among.nugget[some] ** 2),
        )

    def turned(self, logarithms: FloatArray) -> Turned:
        """Return the components of B vectors of logarithms, (P, B). Single precision takes a third of the
        time and suffices, because only squares are summed.
        """
        components = (self.turns @ logarithms).astype(np.float32)
        return np.ascontiguousarray(components.transpose(2, 0, 1))

    def log_likelihood(self, values: Turned, laws: Turned) -> NDArray[np.float32]:
        """Return log likelihoods of B pairs of values and laws under the N processes, plus the log weights of
        the processes, (N, B). `values` and `laws` (B, D, P - 1) are results of `turned`.
        """
        squares = values - laws
        squares *= squares
        weights = self.weights.astype(np.float32)
        found = np.empty((len(weights), len(squares)), dtype=np.float32)
        for number, place in enumerate(self.places):
            np.matmul(weights[place], squares[:, number].T, out=found[place])
        found += (self.factor + self.log_weight).astype(np.float32)[:, None]
        return found

    def widely(self, values: FloatArray, laws: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return n matrices for K values, (n, K, P + 2), and n matrices for H laws, (n, P + 2, H). Their
        products are the log likelihoods under the n widest processes, plus the log weights of the processes.
        `values` (P, K) and `laws` (P, H) are logarithms.
        """
        of_widest = np.searchsorted([place.stop for place in self.places], self.widest, side="right")
        turns, constant = self.turns[of_widest], (self.factor + self.log_weight)[self.widest]
        forms = turns.swapaxes(1, 2) @ (self.weights[self.widest, :, None] * turns)
        # The squared distance of two vectors is the sum of their squares, minus twice their product.
        products = forms @ laws
        of_laws = (products * laws).sum(axis=1, keepdims=True) + constant[:, None, None]
        of_values = ((forms @ values) * values).sum(axis=1, keepdims=True)
        copies = np.broadcast_to(values, (len(forms), *values.shape))
        left = np.concatenate([copies, np.ones_like(of_values), of_values], axis=1)
        return left.swapaxes(1, 2), np.concatenate([-2 * products, of_laws, np.ones_like(of_laws)], axis=1)


def _without_mean(points: int) -> FloatArray:
    """Return orthonormal directions in which the mean of P points stays the same, (P, P - 1)."""
    return np.asarray(np.linalg.qr(np.column_stack([np.ones(points), np.eye(points)]))[0][:, 1:])


def _widest(kind: IntArray, variance: FloatArray) -> IntArray:
    """Return the index of the process with the largest variance of each kind."""
    order = np.lexsort((variance, kind))
    return np.asarray(order[np.append(np.diff(kind[order]) != 0, True)])
