"""What the draws of a posterior say of laws: their coefficients, and what grows fastest in each of them."""

import numpy as np

from modeling.engine.posterior import Posterior
from modeling.engine.terms import FAR, evaluate
from modeling.engine.validation import BoolArray, FloatArray


def mean_coefficients(posterior: Posterior) -> FloatArray:
    """Mean coefficients of every law over its draws, (K, H, T + 1), the constant first.

    NaN for laws too improbable to have a draw.
    """
    drawn = draws_of(posterior).astype(float)
    with np.errstate(invalid="ignore"):
        return np.asarray((drawn @ posterior.coefficients) / drawn.sum(axis=2)[..., None])


def draws_of(posterior: Posterior) -> BoolArray:
    """Which draws each law has, (K, H, S)."""
    return np.asarray(posterior.law[:, None, :] == np.arange(posterior.probability.shape[1])[:, None])


def lead_draws(posterior: Posterior, upper: FloatArray) -> FloatArray:
    """Exponents (i, j) of every parameter's lead term in every draw, (K, S, m, 2), 0 where it has none.

    `upper` (m,) are the largest measured values: the lead term contributes most at four times of them
    (Reisert et al. 2017, section 4.1).
    """
    terms = evaluate(posterior.exponents, FAR * upper[None])[..., 0]
    kernel = np.arange(len(terms))[:, None]
    contributions = posterior.coefficients[:, :, 1:] * terms[kernel, posterior.law]
    factors = posterior.exponents[kernel, posterior.law]  # (K, S, T, m, 2)
    used = (factors != 0).any(axis=4) & (contributions != 0)[..., None]
    size = np.where(used, np.abs(contributions)[..., None], -1.0)  # (K, S, T, m)
    lead = size.argmax(axis=2)[:, :, None, :, None]
    found = np.take_along_axis(factors, lead, axis=2)[:, :, 0]
    return np.asarray(np.where(used.any(axis=2)[..., None], found, 0.0))
