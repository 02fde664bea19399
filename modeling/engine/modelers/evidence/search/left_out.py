"""Compute the evidence of laws again with each point left out in turn, in closed form. Only a pool of laws is
fitted. The pool has the likeliest laws of three searches: with all points, without the largest point, and
without the point farthest from the likeliest law. The largest point matters because it mainly determines
extrapolation.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.measured.layout import largest_point
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import EVERY_PAIR
from modeling.engine.modelers.evidence.hypotheses.gaussian import log_evidence, solve
from modeling.engine.modelers.evidence.hypotheses.laws import (
    Laws,
    Located,
    best_weights,
    canonical,
    fitted,
    log_prior,
    merged,
    scored,
)
from modeling.engine.modelers.evidence.search.extension import with_place
from modeling.engine.modelers.evidence.search.likely_laws import search
from modeling.engine.results.medians import weighted_median
from modeling.engine.validation import FloatArray, IntArray

LAWS_POOLED = {1: 32, 2: 24}
LAWS_POOLED_MANY = 12
"""The numbers of laws that each search adds to the pool: for one, for two, and for more parameters (`_MANY`).
"""

LEADLESS_SHARE = 0.01
"""Of the terms with a parameter, the lead term is the largest at `LEAD_MULTIPLE` times the largest measured
values. It must have more than `LEADLESS_SHARE` of the law's value there.
"""

NUMBERS_AT_ONCE = 200_000
"""The largest number of elements of one temporary array."""


@dataclass(frozen=True)
class LeftOut:
    """Results for K kernels on P + 1 sets of points: set i lacks point i, and the last set has all P points.

    Both fields are medians over the laws of the pool, weighted by their probability.

    Attributes:
        leads: the powers of m parameters in their lead terms, (P + 1, K, m); 0 without a lead term.
        far: the values of the laws at `LEAD_MULTIPLE` times the largest measured values, (P + 1, K).
    """

    leads: FloatArray
    far: FloatArray


def left_out(basis: Basis, located: Located, others: IntArray) -> LeftOut:
    """Return the lead powers and far values of kernels with each point left out in turn. `others` (T, m, H,
    K) are the classes of H further laws of K kernels for the pool, with T terms of m parameters. T may be one
    more than in the laws of `search`.
    """
    laws = search(basis, located)
    pool = _pooled(basis, located, laws, others)
    there = np.isfinite(located.variance)
    law = fitted(basis, laws.classes[:, :, 0], located, located.weights(located.y))
    missed = np.where(there, (located.y - law) ** 2 * located.weights(located.y), -np.inf).argmax(axis=0)
    for point in (largest_point(basis.points, there.astype(float)), missed):
        variance = located.variance.copy()
        variance[point, np.arange(variance.shape[1])] = np.inf
        pool = _pooled(basis, located, search(basis, replace(located, variance=variance)), pool.classes)
    return _weighed(basis, located, pool)


def _pooled(basis: Basis, located: Located, laws: Laws, others: IntArray) -> Laws:
    """Return the likeliest laws and the `others`, each law once, with their evidence from all points."""
    likeliest = laws.classes[:, :, : LAWS_POOLED.get(basis.parameter_count, LAWS_POOLED_MANY)]
    if len(others) > len(likeliest):
        likeliest = with_place(likeliest)
    weights = best_weights(basis, laws, located)
    one, other = (scored(basis, canonical(classes), located, weights) for classes in (likeliest, others))
    return merged(one, other, one.classes.shape[2] + other.classes.shape[2])


def _weighed(basis: Basis, located: Located, pool: Laws) -> LeftOut:
    """Compute the result of `left_out` from the laws of the pool, a few kernels at a time."""
    points, (laws, kernels) = len(basis.points), pool.log_evidence.shape
    step = max(1, NUMBERS_AT_ONCE // (points * laws))
    parts = [
        _left_out(basis, located.part(part), pool.part(part))
        for part in np.split(np.arange(kernels), range(step, kernels, step))
    ]
    return LeftOut(
        np.concatenate([part.leads for part in parts], axis=1),
        np.concatenate([part.far for part in parts], axis=1),
    )


def _left_out(basis: Basis, located: Located, pool: Laws) -> LeftOut:
    classes = pool.classes
    present = np.concatenate([np.ones((1, *classes.shape[2:])), (classes != 0).any(axis=1).astype(float)])
    columns = basis.columns(classes)
    columns = np.concatenate([np.ones((1, *columns.shape[1:])), columns])
    weights = best_weights(basis, pool, located)[:, None]
    values, y = columns * weights, located.y[:, None]
    gram = [
        [_without(one * other) for other in columns[:number]]
        + [_without(one * columns[number]) + (1 - present[number])]
        for number, one in enumerate(values)
    ]
    fit = solve(gram, [_without(one * y) for one in values], _without(weights * y * y))
    coefficients = np.maximum(np.stack(fit.coefficients), 0.0) * present[:, None]
    evidence = log_evidence(fit, list(present), independent=basis.independent) + log_prior(basis, classes)
    evidence = np.where(np.isfinite(pool.log_evidence) & ~np.isnan(evidence), evidence, -np.inf)
    probability = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    reached = coefficients[1:] * _far(basis, classes)[:, None]
    far = coefficients[0] + reached.sum(axis=0)
    leads = [
        weighted_median(_powers(classes[:, parameter], reached / far), probability, axis=1)
        for parameter in range(basis.parameter_count)
    ]
    return LeftOut(np.stack(leads, axis=2), weighted_median(far, probability, axis=1))


def _without(summands: FloatArray) -> FloatArray:
    """Sum values over the points of each set: set i lacks point i, and the last set has all points."""
    total = summands.sum(axis=0)
    return np.concatenate([total - summands, total[None]])


def _far(basis: Basis, classes: IntArray) -> FloatArray:
    """Return the values of terms at `LEAD_MULTIPLE` times the largest values, divided by `Basis.sizes`."""
    return basis.terms(classes, LEAD_MULTIPLE * basis.points.max(axis=0))


def _powers(factors: IntArray, shares: FloatArray) -> FloatArray:
    """Return the power of a parameter in its lead term. `shares` are the terms' shares of the far value."""
    contained = np.where(factors[:, None] > 0, shares, -1.0)
    lead = contained.argmax(axis=0)
    powers = np.broadcast_to(EVERY_PAIR[factors, 0][:, None], contained.shape)
    return np.where(
        contained.max(axis=0) > LEADLESS_SHARE, np.take_along_axis(powers, lead[None], axis=0)[0], 0.0
    )
