"""From weighted draws to models: the formula to read, the laws' probabilities, and draws to predict with."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modeling.engine.assessment import assess
from modeling.engine.evidence.basis import PAIRS, Basis
from modeling.engine.evidence.draws import systematic
from modeling.engine.evidence.laws import names
from modeling.engine.evidence.runs import Runs
from modeling.engine.layout import axes
from modeling.engine.leastsquares import solve
from modeling.engine.models import Models
from modeling.engine.observations import Observations, observe
from modeling.engine.posterior import SHAPES, Posterior
from modeling.engine.single import NEGLIGIBLE, UNSTABLE
from modeling.engine.terms import FAR, evaluate
from modeling.engine.validation import BoolArray, FloatArray, IntArray

ONE_SIDED = SHAPES.index("one-sided")

STORED = 128
"""Draws that a model keeps."""

LAWS = 24
"""Laws that a model keeps."""

NEXT = 0.25
"""Lead exponents this far apart count as the same when none is clear."""

CLEAR = 0.6
"""A lead exponent with this probability is told, whatever lies near it."""


@dataclass(frozen=True)
class WeightedDraws:
    """Draws of K kernels: classes (T, m, S, K), coefficients (T + 1, S, K), weights and levels (S, K).

    `family` (S,) is that of the noise, by number.
    """

    classes: IntArray
    coefficients: FloatArray
    weights: FloatArray
    level: FloatArray
    family: IntArray


def summarised(
    basis: Basis, values: FloatArray, runs: Runs, known: list[tuple[IntArray, WeightedDraws]]
) -> Models:
    """Models of all kernels of `values` (K, P, R): of those with draws, and of those without any run."""
    kernels, m = len(values), basis.parameter_count
    exponents = np.zeros((kernels, m + 1, m, 2))
    coefficients = np.zeros((kernels, m + 2))
    coefficients[:, 0] = np.where((values == 0).any(axis=(1, 2)), 0.0, np.nan)
    posterior = _nothing_known(coefficients[:, 0], m)
    leads = np.zeros((kernels, m, 2))
    for those, draws in known:
        some, far = runs.part(those), _far(basis, draws)
        laws, probability, number = _laws(draws)
        exponents[those] = np.moveaxis(PAIRS[laws[:, :, 0]], 2, 0)
        mean = _mean_coefficients(basis, draws, number, laws, some.scale)
        coefficients[those] = _without_dust(mean, exponents[those], basis.points)
        leads[those] = _lead_exponents(draws, far)
        part = _posterior(basis, draws, some, (laws, probability, number), far)
        posterior = _put(posterior, those, part)
    return _models(basis, values, (coefficients, exponents, leads), posterior)


def _laws(draws: WeightedDraws) -> tuple[IntArray, FloatArray, IntArray]:
    """Distinct laws (T, m, H, K), most probable first, their probabilities (H, K); each draw's, (S, K)."""
    name = names(draws.classes)
    order = np.argsort(name, axis=0, kind="stable")
    ordered = np.take_along_axis(name, order, axis=0)
    first = np.ones(order.shape, dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    group = np.cumsum(first, axis=0) - 1
    kernels = np.arange(order.shape[1])
    count = int(group.max()) + 1
    probability = np.zeros((count, len(kernels)))
    np.add.at(probability, (group, kernels[None]), np.take_along_axis(draws.weights, order, axis=0))
    example = np.zeros((count, len(kernels)), dtype=np.int64)
    row, kernel = np.nonzero(first)
    example[group[row, kernel], kernel] = order[row, kernel]
    by_probability = np.argsort(-probability, axis=0, kind="stable")
    rank = np.argsort(by_probability, axis=0)
    number = np.empty_like(order)
    np.put_along_axis(number, order, np.take_along_axis(rank, group, axis=0), axis=0)
    best = by_probability[:LAWS]
    classes = np.take_along_axis(draws.classes, np.take_along_axis(example, best, axis=0)[None, None], axis=2)
    return classes, np.take_along_axis(probability, best, axis=0), number


def _mean_coefficients(
    basis: Basis, draws: WeightedDraws, number: IntArray, laws: IntArray, scale: FloatArray
) -> FloatArray:
    """Mean coefficients of each kernel's most probable law, (K, T + 1)."""
    weight = np.where(number == 0, draws.weights, 0.0)
    mean = np.einsum("nsk,sk->nk", draws.coefficients, weight) / weight.sum(axis=0) * scale
    mean[1:] *= (laws[:, :, 0] != 0).any(axis=1) / basis.sizes(laws[:, :, 0])
    return np.asarray(mean.T)


def _without_dust(coefficients: FloatArray, exponents: FloatArray, points: FloatArray) -> FloatArray:
    """Coefficients (K, T + 1) whose constant is 0 where it makes next to nothing of any value."""
    smallest = (evaluate(exponents, points) * coefficients[:, 1:, None]).sum(axis=1).min(axis=1)
    dust = coefficients[:, 0] < NEGLIGIBLE * smallest
    return np.where(dust[:, None] & (np.arange(coefficients.shape[1]) == 0), 0.0, coefficients)


def _lead_exponents(draws: WeightedDraws, far: FloatArray) -> FloatArray:
    """The exponents (K, m, 2) that are most probably true, or, where none is clear, near the truth."""
    powers = np.unique(PAIRS[:, 0])
    near = (np.abs(powers[:, None] - powers) <= NEXT + 1e-9).astype(float)
    m, kernels = draws.classes.shape[1], draws.weights.shape[1]
    found = np.zeros((kernels, m, 2))
    for parameter in range(m):
        factors = draws.classes[:, parameter]
        lead = np.where(factors > 0, far[1:], -1.0).argmax(axis=0)
        one = np.take_along_axis(factors, lead[None], axis=0)[0]
        place = np.searchsorted(powers, PAIRS[one, 0])
        mass = _summed(place, draws.weights, len(powers))
        best = np.where(mass.max(axis=0) >= CLEAR, mass.argmax(axis=0), (near @ mass).argmax(axis=0))
        # That a parameter has no part is told as soon as it is more likely than not.
        idle = (draws.weights * (one == 0)).sum(axis=0) > 0.5
        best[idle] = np.searchsorted(powers, 0.0)
        logarithms = _summed(PAIRS[one, 1].astype(int), draws.weights * (place == best), 3)
        found[:, parameter, 0] = powers[best]
        found[:, parameter, 1] = logarithms.argmax(axis=0)
    return found


def _summed(place: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Weights (S, K) summed by their place, (count, K)."""
    kernels = weights.shape[1]
    total = np.bincount((place * kernels + np.arange(kernels)).ravel(), weights.ravel(), count * kernels)
    return np.asarray(total.reshape(count, kernels))


def _posterior(
    basis: Basis,
    draws: WeightedDraws,
    runs: Runs,
    laws: tuple[IntArray, FloatArray, IntArray],
    far: FloatArray,
) -> Posterior:
    """Equally likely draws: evenly picked in the order of what they say far outside of the data."""
    classes, probability, number = laws
    kept = np.where(number < LAWS, draws.weights, 0.0)
    order = np.argsort(far.sum(axis=0), axis=0)
    picked = np.take_along_axis(order, systematic(np.take_along_axis(kept, order, axis=0), STORED), axis=0)
    chosen = np.take_along_axis(draws.classes, picked[None, None], axis=2)
    coefficients = np.take_along_axis(draws.coefficients, picked[None], axis=1) * runs.scale
    coefficients[1:] /= basis.sizes(chosen)
    coefficients[1:] *= (chosen != 0).any(axis=1)
    return Posterior(
        exponents=np.moveaxis(PAIRS[classes], (3, 2), (0, 1)),
        probability=np.ascontiguousarray(probability.T),
        law=np.ascontiguousarray(np.take_along_axis(number, picked, axis=0).T).astype(np.int16),
        coefficients=np.ascontiguousarray(np.moveaxis(coefficients, 0, 2).transpose(1, 0, 2)),
        family=np.ascontiguousarray(draws.family[picked].T).astype(np.int8),
        level=np.ascontiguousarray(np.take_along_axis(draws.level, picked, axis=0).T),
    )


def _far(basis: Basis, draws: WeightedDraws) -> FloatArray:
    """What the terms of the draws contribute at the point FAR beyond the largest values, (T + 1, S, K)."""
    beyond = Basis(np.concatenate([basis.points, FAR * basis.points.max(axis=0)[None]]))
    contributions = draws.coefficients.copy()
    for parameter in range(basis.parameter_count):
        raw = beyond.tables[parameter][:, -1] * beyond.scales[parameter] / basis.scales[parameter]
        contributions[1:] *= raw[draws.classes[:, parameter]]
    contributions[1:] *= (draws.classes != 0).any(axis=1)
    return contributions


def _nothing_known(constant: FloatArray, m: int) -> Posterior:
    kernels = len(constant)
    coefficients = np.zeros((kernels, STORED, m + 2))
    coefficients[:, :, 0] = constant[:, None]
    probability = np.zeros((kernels, LAWS))
    probability[:, 0] = 1
    return Posterior(
        exponents=np.zeros((kernels, LAWS, m + 1, m, 2)),
        probability=probability,
        law=np.zeros((kernels, STORED), dtype=np.int16),
        coefficients=coefficients,
        family=np.zeros((kernels, STORED), dtype=np.int8),
        level=np.zeros((kernels, STORED)),
    )


def _put(whole: Posterior, kernels: IntArray, part: Posterior) -> Posterior:
    """The whole with the part's kernels replaced."""
    laws = part.exponents.shape[1]
    whole.exponents[kernels, :laws] = part.exponents
    whole.probability[kernels] = 0
    whole.probability[kernels, :laws] = part.probability
    for name in ("law", "coefficients", "family", "level"):
        getattr(whole, name)[kernels] = getattr(part, name)
    return whole


def _models(
    basis: Basis, values: FloatArray, formula: tuple[FloatArray, FloatArray, FloatArray], posterior: Posterior
) -> Models:
    """Models whose formula is the most probable law, with that formula's errors."""
    coefficients, exponents, leads = formula
    observations = observe(basis.points, values, "median")
    lines = axes(basis.points)
    varied = [axis for axis in lines if len(axis.x) > 1] or lines
    models = assess(
        observations,
        exponents,
        holdout_error=np.full(len(values), np.nan),
        value_counts=np.stack([axis.value_counts(observations.w) for axis in varied]),
    )
    return replace(
        models,
        constant=coefficients[:, 0],
        coefficients=coefficients[:, 1:],
        exponents=exponents,
        posterior=posterior,
        leads=leads,
        **_errors(observations, coefficients, exponents, posterior),
    )


def _errors(
    observations: Observations, coefficients: FloatArray, exponents: FloatArray, posterior: Posterior
) -> dict[str, Any]:
    """How the formula describes the points' medians, (K,) each; NaN where there is nothing to measure.

    A law is what a run takes without noise; where noise only slows, the median run takes longer than that.
    """
    y = observations.y * observations.scale
    there = np.broadcast_to(observations.w > 0, y.shape) & (y > 0)
    slower = np.where(posterior.family == ONE_SIDED, 1 + np.log(2) * posterior.level, 1.0).mean(axis=1)
    terms = np.moveaxis(evaluate(exponents, observations.points), 0, 2) * coefficients.T[1:, None]
    law = (coefficients[:, 0] + terms.sum(axis=0)) * slower
    columns = np.where(there, np.concatenate([np.ones((1, *law.shape)), terms]) / law, 0.0)
    relative = solve(columns, np.where(there, y / law, 0.0))
    spare = 1 - relative.leverages
    left_out = y - law * np.where(spare > UNSTABLE, relative.residuals / spare, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        count = there.sum(axis=0)
        total = (np.where(there, y - np.where(there, y, 0).sum(axis=0) / count, 0.0) ** 2).sum(axis=0)
        rss = (np.where(there, y - law, 0.0) ** 2).sum(axis=0)
        return {
            "smape": _mean(2 * np.abs(y - law) / (y + law), there),
            "relative_error": _mean(np.abs(y - law) / y, there),
            "r_squared": np.where(total > 0, 1 - rss / total, np.nan),
            "rss": np.where(count > 0, rss, np.nan),
            "cv_smape": _mean(2 * np.abs(y - left_out) / (y + np.abs(left_out)), there),
        }


def _mean(values: FloatArray, there: BoolArray) -> FloatArray:
    return np.asarray(np.where(there, values, 0.0).sum(axis=0) / there.sum(axis=0))
