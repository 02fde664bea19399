"""Coefficients and lead terms of rival laws, from the draws of a posterior."""

import numpy as np

from modeling.engine.laws.growth import as_leads, lead_exponents
from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import BoolArray, FloatArray


def middle_coefficients(posterior: Posterior, upper: FloatArray) -> FloatArray:
    """Return average coefficients of the draws of H laws of K kernels, (K, H, T + 1), the constant first.

    Draws of a law differ mainly by a factor. So the T + 1 coefficients of each draw are divided by the draw's
    value at the largest measured values `upper` (m,). The mean quotients are multiplied by one factor for
    each law.
    """
    drawn = draws_of(posterior).astype(float)
    level = np.maximum(posterior.laws(upper[None])[:, :, 0], np.finfo(float).tiny)
    with np.errstate(invalid="ignore"):
        drawn /= drawn.sum(axis=2, keepdims=True)
    log_level = (drawn @ np.log(level)[:, :, None])[:, :, 0]
    shape = drawn @ (posterior.coefficients / level[:, :, None])
    return np.asarray(shape * np.exp(_amid_points(posterior, shape, log_level))[:, :, None])


def _amid_points(posterior: Posterior, shape: FloatArray, log_level: FloatArray) -> FloatArray:
    """Return the logarithm of the factor for each law in `middle_coefficients`, (K, H).

    If a kernel deviates from its laws, the factor puts half of its measured points above the law. For other
    kernels, the factor is the geometric mean of the draws' values.
    """
    deviation, levels = posterior.deviation, log_level.copy()
    if deviation is None:
        return levels
    for those, points in deviation.groups():
        kernels = those[deviation.there[those]]
        terms = evaluate(np.asarray(posterior.exponents[kernels], dtype=float), np.exp(points))
        laws = shape[kernels, :, :1] + np.einsum("kht,khtn->khn", shape[kernels, :, 1:], terms)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = deviation.values[kernels][:, None, : len(points)] - np.log(laws)
        levels[kernels] = np.median(needed, axis=2)
    return levels


def draws_of(posterior: Posterior) -> BoolArray:
    """Return whether each of S draws belongs to each of H laws of K kernels, (K, H, S)."""
    return np.asarray(posterior.law[:, None, :] == np.arange(posterior.probability.shape[1])[:, None])


def lead_draws(posterior: Posterior, upper: FloatArray) -> FloatArray:
    """Return lead exponents (i, j) of S draws far beyond the values `upper` (m,), as (K, S, m, 2). Powers are
    rounded to `growth.LEADS`.
    """
    terms = evaluate(posterior.exponents, LEAD_MULTIPLE * upper[None])[..., 0]
    kernel = np.arange(len(terms))[:, None]
    contributions = posterior.coefficients[:, :, 1:] * terms[kernel, posterior.law]
    exponents = posterior.exponents[kernel, posterior.law]  # (kernels, draws, terms, parameters, 2)
    draws, shape = exponents.shape[:2], exponents.shape[2:]
    leads = lead_exponents(contributions.reshape(-1, shape[0]), exponents.reshape(-1, *shape))
    leads[..., 0] = as_leads(leads[..., 0])
    return leads.reshape(*draws, *shape[1:])
