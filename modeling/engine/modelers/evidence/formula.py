"""The formula that a page shows: the middle of the draws of one law.

In this module, the *level* of a draw is not that of noise, but the mean ratio of its law to the measured
values. Draws of a law differ much more in level than in shape. The level varies by a log-normal factor, so
the mean of the coefficients would lie above most draws. Therefore all draws are scaled to the same level
before their coefficients are averaged, and the levels are averaged in the logarithm.

If a kernel deviates by a smooth Gaussian process, the draws do not determine the level, because the process
may raise all points alike. Predictions of such kernels pass through the points, so the formula is multiplied
by the factor that leaves as many points above it as below it.
"""

import numpy as np

from modeling.engine.laws.terms import evaluate
from modeling.engine.modelers.evidence.draws.coefficients import WeightedDraws
from modeling.engine.modelers.evidence.draws.deviations import Deviating
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.noise.runs import Runs
from modeling.engine.modelers.single import NEGLIGIBLE_SHARE
from modeling.engine.results.posterior import DEVIATING
from modeling.engine.validation import BoolArray, FloatArray, IntArray

AMID = 0.25
"""The smallest share of the points above a formula, and below it, if the kernel does not deviate from its
law.

Otherwise this share is 1/2. The bound seldom has an effect. If it were 1/2 for all kernels, the formula would
follow the noise in the medians of a few points, and ignore what the draws learned from all repetitions. If it
were 0, the formula could pass above all points.
"""


def formula(basis: Basis, runs: Runs, draws: WeightedDraws, law: IntArray) -> FloatArray:
    """Return coefficients (T + 1, K), the constant first, in the middle of the draws of one law of each
    kernel.

    `law` (K,) has the index of that law. Coefficients are in the units of the draws: those of the basis,
    after division by the kernel's scale. Only points near the largest values are used (`near_points`).
    """
    weights = np.where(draws.law == law, draws.weights, 0.0)
    weights /= weights.sum(axis=0)
    near = Deviating(basis.points).near(runs)
    constant = np.ones((1, *near.shape))
    columns = np.concatenate([constant, basis.columns(draws.classes[:, :, law])]) / np.exp(runs.log_median)
    # A draw's level, the mean ratio of its law to the points' medians, is linear in the coefficients.
    means = np.where(near, columns, 0.0).sum(axis=1) / near.sum(axis=0)
    level = np.maximum(np.einsum("tsk,tk->sk", draws.coefficients, means), np.finfo(float).tiny)
    shape = np.einsum("sk,tsk->tk", weights / level, draws.coefficients)
    log_level = np.einsum("sk,sk->k", weights, np.log(level))
    deviating = weights[draws.family == DEVIATING].sum(axis=0) > 0.5
    said = np.einsum("tk,tpk->pk", shape, columns)
    needed = np.where(near & (said > 0), -np.log(np.maximum(said, np.finfo(float).tiny)), np.nan)
    lower, upper = amid(needed, np.where(deviating, 0.5, AMID))
    return np.asarray(shape * np.exp(np.clip(log_level, lower, upper)))


def amid(values: FloatArray, share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two bounds, (K,) each: the given share (K,) of the values (P, K) lies below the lower one, and
    the same share above the upper one.

    The bounds are quantiles of the values that are not NaN, or −∞ and ∞ if all are NaN.
    """
    count = (~np.isnan(values)).sum(axis=0)
    ordered = np.sort(values, axis=0)  # NaN last
    lower, upper = (_at(ordered, place * np.maximum(count - 1, 0)) for place in (share, 1 - share))
    return np.where(count > 0, lower, -np.inf), np.where(count > 0, upper, np.inf)


def _at(ordered: FloatArray, place: FloatArray) -> FloatArray:
    """Interpolate ordered values (P, K) at fractional indices `place` (K,)."""
    first = place.astype(int)
    below, above = (
        np.take_along_axis(ordered, row[None], axis=0)[0] for row in (first, np.ceil(place).astype(int))
    )
    return np.asarray(below + (place - first) * (above - below))


def without_dust(
    coefficients: FloatArray, exponents: FloatArray, points: FloatArray, there: BoolArray
) -> FloatArray:
    """Return coefficients (K, T + 1) with the constant set to 0 if it is negligible (`NEGLIGIBLE_SHARE`)
    compared with the sum of the terms at all points. `there` (K, P) marks the measured points.
    """
    terms = (evaluate(exponents, points) * coefficients[:, 1:, None]).sum(axis=1)
    smallest = np.where(there, terms, np.inf).min(axis=1)
    dust = coefficients[:, 0] < NEGLIGIBLE_SHARE * smallest
    return np.where(dust[:, None] & (np.arange(coefficients.shape[1]) == 0), 0.0, coefficients)
