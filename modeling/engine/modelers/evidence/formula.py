"""The formula that a kernel shows: the middle of its most probable law's draws, amid the kernel's points.

Draws of a law agree on its shape far better than on its level, which lies above or below the middle by a
log-normal factor: means of their coefficients would lie above most of them. So levels are averaged by their
logarithms, and coefficients of draws that were brought to the same level. Where kernels deviate by a smooth
process, draws leave the level open, as it may lift all points alike. Predictions go through the points
then, and the formula, which is read beside them, has as many points above it as below.
"""

import numpy as np

from modeling.engine.laws.terms import evaluate
from modeling.engine.modelers.evidence.basis import Basis
from modeling.engine.modelers.evidence.deviations import Deviating
from modeling.engine.modelers.evidence.draws import WeightedDraws
from modeling.engine.modelers.evidence.runs import Runs
from modeling.engine.modelers.single import NEGLIGIBLE_SHARE
from modeling.engine.results.posterior import DEVIATING
from modeling.engine.validation import BoolArray, FloatArray, IntArray

AMID = 0.25
"""Share of the points that lie above a formula at least, and below, where noise explains them.

This seldom acts, as the draws lie amid the points by themselves. With 1/2 formulas would follow the chance in
a few points' medians, where draws weigh all runs; with 0 they could pass above all points.
"""


def formula(basis: Basis, runs: Runs, draws: WeightedDraws, law: IntArray) -> FloatArray:
    """Coefficients (T + 1, K), the constant first, that stand for the draws of one law of each kernel.

    Laws are numbered, (K,); coefficients are in the draws' units, those of the basis and of the runs' scale.
    Only points count that tell how a kernel goes on.
    """
    weights = np.where(draws.law == law, draws.weights, 0.0)
    weights /= weights.sum(axis=0)
    near = Deviating(basis.points).near(runs)
    constant = np.ones((1, *near.shape))
    columns = np.concatenate([constant, basis.columns(draws.classes[:, :, law])]) / np.exp(runs.log_median)
    # A draw's level, the mean of its law over what was measured, is linear in the coefficients.
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
    """Bounds that leave this share (K,) of values (P, K) below the lower one, and above the upper one.

    They are quantiles, without NaN; −∞ and ∞ where there is nothing else.
    """
    count = (~np.isnan(values)).sum(axis=0)
    ordered = np.sort(values, axis=0)  # NaN last
    lower, upper = (_at(ordered, place * np.maximum(count - 1, 0)) for place in (share, 1 - share))
    return np.where(count > 0, lower, -np.inf), np.where(count > 0, upper, np.inf)


def _at(ordered: FloatArray, place: FloatArray) -> FloatArray:
    """Values (P, K) at a place (K,) among them, between two of them."""
    first = place.astype(int)
    below, above = (
        np.take_along_axis(ordered, row[None], axis=0)[0] for row in (first, np.ceil(place).astype(int))
    )
    return np.asarray(below + (place - first) * (above - below))


def without_dust(
    coefficients: FloatArray, exponents: FloatArray, points: FloatArray, there: BoolArray
) -> FloatArray:
    """Coefficients (K, T + 1) whose constant is 0 where it makes next to nothing of any value that is there,
    (K, P)."""
    terms = (evaluate(exponents, points) * coefficients[:, 1:, None]).sum(axis=1)
    smallest = np.where(there, terms, np.inf).min(axis=1)
    dust = coefficients[:, 0] < NEGLIGIBLE_SHARE * smallest
    return np.where(dust[:, None] & (np.arange(coefficients.shape[1]) == 0), 0.0, coefficients)
