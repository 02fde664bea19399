"""Properties of the laws of a posterior that are computed from its draws: coefficients, and the term that
grows fastest.
"""

import numpy as np

from modeling.engine.laws.growth import lead_exponents
from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import BoolArray, FloatArray


def middle_coefficients(posterior: Posterior, upper: FloatArray) -> FloatArray:
    """Return the coefficients of every law in the middle of its draws, (K, H, T + 1), the constant first, as
    in `evidence.formula`.

    Draws are scaled to the same level at the largest measured values `upper` (m,). The coefficients are NaN
    for laws so improbable that they have no draw.
    """
    drawn = draws_of(posterior).astype(float)
    level = np.maximum(posterior.laws(upper[None])[:, :, 0], np.finfo(float).tiny)
    with np.errstate(invalid="ignore"):
        drawn /= drawn.sum(axis=2, keepdims=True)
    log_level = (drawn @ np.log(level)[:, :, None])[:, :, 0]
    shape = drawn @ (posterior.coefficients / level[:, :, None])
    return np.asarray(shape * np.exp(_amid_points(posterior, shape, log_level))[:, :, None])


def _amid_points(posterior: Posterior, shape: FloatArray, log_level: FloatArray) -> FloatArray:
    """Return the log levels (K, H) of laws with shapes (K, H, T + 1), for which laws lie in the middle of the
    measured points.

    Levels change only for kernels that deviate from their laws.
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
    """Return exponents (i, j) of every parameter's lead term in every draw, (K, S, m, 2). They are 0 for a
    parameter without a term, and `growth.TOWARDS_LIMIT` for a falling term that is subtracted.

    `upper` (m,) are the largest measured values. The lead term contributes most at four times these (Reisert
    et al. 2017, section 4.1).
    """
    terms = evaluate(posterior.exponents, LEAD_MULTIPLE * upper[None])[..., 0]
    kernel = np.arange(len(terms))[:, None]
    contributions = posterior.coefficients[:, :, 1:] * terms[kernel, posterior.law]
    exponents = posterior.exponents[kernel, posterior.law]  # (K, S, T, m, 2)
    draws, shape = exponents.shape[:2], exponents.shape[2:]
    leads = lead_exponents(contributions.reshape(-1, shape[0]), exponents.reshape(-1, *shape))
    return leads.reshape(*draws, *shape[1:])
