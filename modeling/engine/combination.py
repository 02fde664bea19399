"""Which structure joins the parameters' terms, for many kernels at once (METHODS §2.1)."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.leastsquares import LeastSquares, solve
from modeling.engine.single import NEGLIGIBLE, TINY
from modeling.engine.structures import Structure, allowed, structures, term_masks
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Factors:
    """The best term of each parameter for K kernels, 1 for a parameter without one.

    `active` (m, K) tells which have one; `here` (m, P, K) are its values at the points, `far` (m, K) its
    value where lead terms are told.
    """

    active: BoolArray
    here: FloatArray
    far: FloatArray


def best_structures(
    factors: Factors, y: FloatArray, w: FloatArray, any_sign: bool
) -> tuple[IntArray, FloatArray]:
    """Each kernel's best structure: bit masks of its terms (K, m), 0 for no term, and its shares (m, K).

    A parameter's share is the largest part that any of its terms makes of a value.

    The smallest in-sample SMAPE wins; structures with a term that contributes nothing, or, unless
    `any_sign`, with a parameter whose lead term is subtracted, are refused.
    """
    m, K = factors.active.shape
    masks = term_masks(m)
    possible = allowed(m)[:, (1 << np.arange(m)) @ factors.active]
    products = _products(factors, w)
    constant = np.broadcast_to(w, y.shape)
    smape = np.full((len(masks), K), np.inf)
    shares = np.zeros((len(masks), m, K))
    for row, structure in enumerate(structures(m)):
        kernels = np.flatnonzero(possible[row])
        if len(kernels):
            columns = np.stack([constant, *(products[mask][0] for mask in structure)])[:, :, kernels]
            values = y[:, kernels]
            found = solve(columns, values)
            own = _shares(found, columns, values)
            refused = (own < NEGLIGIBLE).any(axis=0)
            if not any_sign:
                far = np.stack([products[mask][1] for mask in structure])[:, kernels]
                refused |= _subtracts_lead(structure, found.coefficients[1:] * far)
            smape[row, kernels] = np.where(refused, np.inf, _smape(found.residuals, values))
            for parameter in range(m):
                its = [share for mask, share in zip(structure, own, strict=True) if mask >> parameter & 1]
                shares[row, parameter, kernels] = np.max(its, axis=0) if its else 0.0
    best = np.argmin(smape, axis=0)
    each = np.arange(K)
    return np.where(np.isfinite(smape[best, each])[:, None], masks[best], 0), shares[best, :, each].T


def _products(factors: Factors, w: FloatArray) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Products of the terms of every set of parameters that some structure multiplies: here and far.

    Both are divided by the largest value here.
    """
    products = {}
    m = len(factors.active)
    for mask in {mask for structure in structures(m) for mask in structure}:
        members = [parameter for parameter in range(m) if mask >> parameter & 1]
        here = np.prod(factors.here[members], axis=0)
        size = np.abs(here).max(axis=0)
        products[mask] = (here * (w / size), np.prod(factors.far[members], axis=0) / size)
    return products


def _smape(residuals: FloatArray, y: FloatArray) -> FloatArray:
    """In-sample SMAPE up to a factor that all structures share, (K,)."""
    error = np.abs(residuals) / (np.abs(y) + np.abs(y - residuals) + TINY)
    return np.asarray(error.sum(axis=0))


def _subtracts_lead(structure: Structure, contributions: FloatArray) -> BoolArray:
    """Whether far out the largest of some parameter's contributions (terms, K) is negative, (K,)."""
    negative = np.zeros(contributions.shape[1], dtype=bool)
    for bit in {1 << place for mask in structure for place in range(mask.bit_length()) if mask >> place & 1}:
        own = contributions[[bool(mask & bit) for mask in structure]]
        negative |= -own.min(axis=0) > own.max(axis=0)
    return negative


def _shares(found: LeastSquares, columns: FloatArray, y: FloatArray) -> FloatArray:
    """The largest part that each term makes of a value, (terms, K)."""
    share = np.abs(columns[1:] / np.where(y == 0, TINY, y)).max(axis=1) * np.abs(found.coefficients[1:])
    return np.asarray(share)
