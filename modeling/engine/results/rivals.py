"""Properties of rival laws, computed from the draws of a posterior: their coefficients and lead terms."""

import numpy as np

from modeling.engine.laws.growth import lead_exponents
from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import BoolArray, FloatArray


def middle_coefficients(posterior: Posterior, upper: FloatArray) -> FloatArray:
    """Return the average coefficients of each law's draws, (K, H, T + 1), the constant first.

    Draws of a law differ mainly by a factor. So the draws of a law are divided by their values at the largest
    measured parameter values `upper` (m,), averaged, and multiplied by the factors that `_amid_points`
    returns. Coefficients are NaN for laws that have no draw.
    """
    drawn = draws_of(posterior).astype(float)
    level = np.maximum(posterior.laws(upper[None])[:, :, 0], np.finfo(float).tiny)
    with np.errstate(invalid="ignore"):
        drawn /= drawn.sum(axis=2, keepdims=True)
    log_level = (drawn @ np.log(level)[:, :, None])[:, :, 0]
    shape = drawn @ (posterior.coefficients / level[:, :, None])
    return np.asarray(shape * np.exp(_amid_points(posterior, shape, log_level))[:, :, None])


def _amid_points(posterior: Posterior, shape: FloatArray, log_level: FloatArray) -> FloatArray:
    """Return the logarithms (K, H) of the factors with which `middle_coefficients` multiplies average draws.

    If a kernel deviates from its laws, the factor of each law is such that half of the measured points lie
    above the law. For other kernels, it is the geometric mean of the values by which the draws were divided.

    Args:
        posterior: the draws.
        shape: (K, H, T + 1), the average coefficients of the draws after their division.
        log_level: (K, H), the logarithms of the geometric means of the draws' values.
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
    """Return whether each draw belongs to each law, (K, H, S)."""
    return np.asarray(posterior.law[:, None, :] == np.arange(posterior.probability.shape[1])[:, None])


def lead_draws(posterior: Posterior, upper: FloatArray) -> FloatArray:
    """Return the `lead_exponents` (i, j) of each parameter in each draw, (K, S, m, 2).

    `upper` (m,) are the largest measured values. Lead terms are determined at `LEAD_MULTIPLE` times these.
    """
    terms = evaluate(posterior.exponents, LEAD_MULTIPLE * upper[None])[..., 0]
    kernel = np.arange(len(terms))[:, None]
    contributions = posterior.coefficients[:, :, 1:] * terms[kernel, posterior.law]
    exponents = posterior.exponents[kernel, posterior.law]  # (K, S, T, m, 2)
    draws, shape = exponents.shape[:2], exponents.shape[2:]
    leads = lead_exponents(contributions.reshape(-1, shape[0]), exponents.reshape(-1, *shape))
    return leads.reshape(*draws, *shape[1:])
