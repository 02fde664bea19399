"""Exclude products of parameters that never meet in a kernel from its laws, unless measurements contradict.

The effects of two parameters that never meet in a loop add up (Schmid et al., Performance-Detective, ICS
2022, section 3). The posterior keeps only the draws of laws without their product.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.laws import growth
from modeling.engine.laws.terms import evaluate
from modeling.engine.measured.observations import observe
from modeling.engine.modelers.assessment import assess
from modeling.engine.modelers.evidence.summary import formula_errors
from modeling.engine.results.models import Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FEWEST_DRAWS = 16
"""With fewer of 128 draws from laws without excluded products, a kernel keeps all its laws."""


@dataclass(frozen=True)
class Added:
    """Models of K kernels after products were excluded.

    `agreement` (K,) is the total probability of the laws that agree with the profile. `changed` (K,) marks
    the kernels that keep only these laws.
    """

    models: Models
    agreement: FloatArray
    changed: BoolArray


def without_products(
    models: Models, points: FloatArray, values: FloatArray, meet: BoolArray, least: float
) -> Added:
    """Return models of K kernels whose laws multiply only parameters that `meet` (K, m, m) marks.

    A kernel keeps all its laws if those that agree with `meet` have a total probability below `least`. The
    modelled data are `points` (P, m) and `values` (K, P, R).
    """
    posterior = models.posterior
    if posterior is None or meet.all():
        return Added(models, np.ones(len(models)), np.zeros(len(models), dtype=bool))
    agrees = ~_products(posterior, meet)
    agreement = (posterior.probability * agrees).sum(axis=1) / posterior.probability.sum(axis=1)
    kept = np.take_along_axis(agrees, posterior.law.astype(np.int64), axis=1)
    changed = (agreement < 1) & (agreement >= least) & (kept.sum(axis=1) >= FEWEST_DRAWS)
    if not changed.any():
        return Added(models, agreement, changed)
    some = np.flatnonzero(changed)
    narrowed = _narrowed(posterior.part(some), agrees[some], kept[some])
    whole = replace(models, posterior=_put(posterior, some, narrowed))
    other = some[~agrees[some, 0]]  # kernels whose formula has an excluded product
    return Added(_with_formulas(whole, other, points, values), agreement, changed)


def _products(posterior: Posterior, meet: BoolArray) -> BoolArray:
    """Return which laws of each kernel multiply parameters that never meet."""
    used = (posterior.exponents != 0).any(axis=4)
    count = used.shape[3]
    pairs = [(one, other) for one in range(count) for other in range(one)]
    found = np.zeros(used.shape[:2], dtype=bool)
    for one, other in pairs:
        together = (used[..., one] & used[..., other]).any(axis=2)
        found |= together & ~meet[:, one, other, None]
    return found


def _narrowed(posterior: Posterior, agrees: BoolArray, kept: BoolArray) -> Posterior:
    """Return the posterior of the laws that `agrees` marks, with the draws that `kept` marks."""
    probability = np.where(agrees, posterior.probability, 0.0)
    probability *= (posterior.probability.sum(axis=1) / probability.sum(axis=1))[:, None]
    first = probability.copy()
    first[:, 0] = np.where(agrees[:, 0], np.inf, 0.0)  # the law of the formula remains the first one
    order = np.argsort(-first, axis=1, kind="stable")
    number = np.argsort(order, axis=1)
    draws = np.stack([_evenly(row) for row in kept])
    law = np.take_along_axis(posterior.law.astype(np.int64), draws, axis=1)
    deviation = posterior.deviation
    if deviation is not None:
        deviation = replace(deviation, process=np.take_along_axis(deviation.process, draws, axis=1))
    return replace(
        posterior,
        exponents=np.take_along_axis(posterior.exponents, order[:, :, None, None, None], axis=1),
        probability=np.take_along_axis(probability, order, axis=1),
        law=np.take_along_axis(number, law, axis=1).astype(posterior.law.dtype),
        coefficients=np.take_along_axis(posterior.coefficients, draws[:, :, None], axis=1),
        family=np.take_along_axis(posterior.family, draws, axis=1),
        level=np.take_along_axis(posterior.level, draws, axis=1),
        deviation=deviation,
    )


def _evenly(kept: BoolArray) -> IntArray:
    """Return the index of a kept draw for each draw. Kept draws are repeated about equally often."""
    places = np.flatnonzero(kept)
    return places[np.arange(len(kept)) * len(places) // len(kept)]


def _put(posterior: Posterior, kernels: IntArray, part: Posterior) -> Posterior:
    """Return the posterior with these kernels replaced by `part`."""
    fields = {}
    for name in ("exponents", "probability", "law", "coefficients", "family", "level"):
        whole = getattr(posterior, name).copy()
        whole[kernels] = getattr(part, name)
        fields[name] = whole
    deviation = posterior.deviation
    if deviation is not None and part.deviation is not None:
        process = deviation.process.copy()
        process[kernels] = part.deviation.process
        deviation = replace(deviation, process=process)
    return replace(posterior, **fields, deviation=deviation)


def _with_formulas(models: Models, kernels: IntArray, points: FloatArray, values: FloatArray) -> Models:
    """Return models in which these kernels have the formula and the errors of their first law."""
    if models.posterior is None or not len(kernels):
        return models
    part = models.posterior.part(kernels)
    exponents = np.asarray(part.exponents[:, 0], dtype=float)
    terms = evaluate(exponents, points).mean(axis=2)
    means = np.concatenate([np.ones((len(kernels), 1)), terms], axis=1)
    level = np.maximum(np.einsum("kst,kt->ks", part.coefficients, means), np.finfo(float).tiny)
    weights = (part.law == 0) / np.maximum((part.law == 0).sum(axis=1), 1)[:, None]
    shape = np.einsum("ks,kst->kt", weights / level, part.coefficients)
    shown = shape * np.exp((weights * np.log(level)).sum(axis=1))[:, None]
    observations = observe(points, values[kernels], "median")
    fitted = assess(
        observations, exponents, holdout_error=models.holdout_error[kernels],
        value_counts=np.array([[len(np.unique(column))] for column in points.T]),
    )  # fmt: skip
    errors = formula_errors(observations, shown, exponents)
    new = {
        "constant": shown[:, 0], "coefficients": shown[:, 1:], "exponents": exponents,
        "covariance": fitted.covariance, "degrees_of_freedom": fitted.degrees_of_freedom, **errors,
    }  # fmt: skip
    if models.leads is not None:
        far = shown[:, 1:] * evaluate(exponents, 4 * models.upper[None])[:, :, 0]
        new["leads"] = growth.lead_exponents(far, exponents)
    changed = {}
    for name, rows in new.items():
        changed[name] = getattr(models, name).copy()
        changed[name][kernels] = rows
    return replace(models, **changed)
