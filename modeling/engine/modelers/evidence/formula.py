"""The formula that a page shows: the middle of the draws of one law.

In this module, the *level* of a draw is the mean ratio of its law to the measured values. Draws differ much
more in level than in shape. Levels vary log-normally, so a law with mean coefficients would lie above most
draws. Therefore all draws are scaled to their geometric mean level before coefficients are averaged.

A smooth Gaussian process may raise all points of a deviating kernel alike, so the draws do not determine the
level. The formula of a deviating kernel has as many points above it as below it.
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
"""If a kernel follows its law, at least this share of its points lies above the formula, and at least this
share below. With 1/2, formulas would follow the noise in the medians of a few points. With 0, a formula could
pass above all points. The bound seldom has an effect.
"""


def formula(basis: Basis, runs: Runs, draws: WeightedDraws, law: IntArray) -> FloatArray:
    """Return the coefficients of K kernels' formulas, (T + 1, K): the constant and T terms. The coefficients
    of kernel k lie in the middle of the draws of the law `law[k]`, and have the units of the draws. Only
    points near the largest values are used (`near_points`).
    """
    weights = draws.weights * (draws.law == law)
    weights /= weights.sum(axis=0)
    near = Deviating(basis.points).near(runs)
    constant = np.ones((1, *near.shape))
    columns = np.concatenate([constant, basis.columns(draws.classes[:, :, law])]) / np.exp(runs.log_median)
    # The level of a draw is linear in the coefficients.
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
    """Return two quantiles of the values of each of K kernels, at `share` (K,) and at 1 − `share`, (K,) each.
    NaN among the P `values` (P, K) are ignored. Kernels with only NaN have the quantiles −∞ and ∞.
    """
    count = (~np.isnan(values)).sum(axis=0)
    ordered = np.sort(values, axis=0)  # NaN last
    lower, upper = (_at(ordered, place * np.maximum(count - 1, 0)) for place in (share, 1 - share))
    return np.where(count > 0, lower, -np.inf), np.where(count > 0, upper, np.inf)


def _at(ordered: FloatArray, place: FloatArray) -> FloatArray:
    """Interpolate ordered values at a fractional index for each kernel."""
    first = place.astype(int)
    below, above = (
        np.take_along_axis(ordered, row[None], axis=0)[0] for row in (first, np.ceil(place).astype(int))
    )
    return np.asarray(below + (place - first) * (above - below))


def without_dust(
    coefficients: FloatArray, exponents: FloatArray, points: FloatArray, there: BoolArray
) -> FloatArray:
    """Return T + 1 coefficients of K kernels, (K, T + 1), with a negligible constant set to 0. A constant is
    negligible if, at every measured point, it is below `NEGLIGIBLE_SHARE` times the sum of the terms. `there`
    (K, P) marks which of P points were measured.
    """
    terms = (evaluate(exponents, points) * coefficients[:, 1:, None]).sum(axis=1)
    smallest = np.where(there, terms, np.inf).min(axis=1)
    dust = coefficients[:, 0] < NEGLIGIBLE_SHARE * smallest
    return np.where(dust[:, None] & (np.arange(coefficients.shape[1]) == 0), 0.0, coefficients)
