"""Choose for each kernel the structure that joins the terms of its parameters: a sum of products of these
terms (docs/methods.md#joining-parameters).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.measured.observations import Observations
from modeling.engine.modelers.leastsquares import TINY, LeastSquares, reciprocal, smape, solve_above_zero
from modeling.engine.modelers.single import NEGLIGIBLE_SHARE
from modeling.engine.modelers.structures import (
    MOST_IN_TABLE,
    MOST_PARTITIONED,
    Structure,
    allowed,
    plain,
    structures,
    term_masks,
)
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LOST_ERRORS = 3.0
"""A parameter is left out if its part of every value is below this many standard errors (our own rule)."""


@dataclass(frozen=True)
class BestTerms:
    """The best term of m parameters for each of K kernels. The term is 1 for parameters without one.

    Attributes:
        active: whether each parameter has a term, (m, K).
        falls: whether this term falls, (m, K).
        here: the values of the terms at P points, (m, P, K).
        far: the values of the terms at `LEAD_MULTIPLE` times the largest parameter values, (m, K).
    """

    active: BoolArray
    falls: BoolArray
    here: FloatArray
    far: FloatArray

    def part(self, kernels: IntArray) -> "BestTerms":
        """Return the terms of the given kernels only."""
        return BestTerms(
            self.active[:, kernels], self.falls[:, kernels], self.here[:, :, kernels], self.far[:, kernels]
        )

    def only(self, parameters: IntArray, kernels: IntArray) -> "BestTerms":
        """Return the terms of k of the kernels for N of their parameters each. `parameters` (N, k) has the
        indices of the kept parameters.
        """
        here = np.moveaxis(self.here[parameters, :, kernels], 2, 1)
        active, falls = self.active[parameters, kernels], self.falls[parameters, kernels]
        return BestTerms(active, falls, here, self.far[parameters, kernels])

    def without(self, lost: BoolArray) -> "BestTerms":
        """Return the terms without the ones that `lost` marks for m parameters and K kernels, (m, K)."""
        here = np.where(lost[:, None], 1.0, self.here)
        return BestTerms(self.active & ~lost, self.falls & ~lost, here, np.where(lost, 1.0, self.far))


@dataclass(frozen=True)
class Product:
    """A product of terms for each of K kernels.

    Attributes:
        here: the values of the product at P points, divided by `size`, (P, K).
        far: the value at `LEAD_MULTIPLE` times the largest parameter values, divided by `size`, (K,).
        size: the largest absolute value at the points, (K,).
        falls: whether the product contains a falling term, (K,).
    """

    here: FloatArray
    far: FloatArray
    size: FloatArray
    falls: BoolArray

    def part(self, kernels: IntArray) -> "Product":
        """Return the products of the given kernels only."""
        return Product(self.here[:, kernels], self.far[kernels], self.size[kernels], self.falls[kernels])


def joined_exponents(
    factors: BestTerms, pairs: FloatArray, observations: Observations, any_sign: bool
) -> FloatArray:
    """Join the terms of m parameters and K kernels, with the exponents `pairs` (m, K, 2), to each kernel's
    best structure.

    Return the exponents of m terms, (K, m, m, 2), 0 for unused terms and parameters. Unless `any_sign`, a
    parameter is left out if its terms are smaller than the noise. Such terms may dominate far from the data.
    """
    masks, shares = best_structures(factors, observations.y, observations.w, any_sign)
    kept = factors.active
    if not any_sign:
        lost = kept & (shares < LOST_ERRORS * observations.blur) & masks.any(axis=1)
        kept = kept & ~lost
        again = np.flatnonzero(lost.any(axis=0))
        if len(again):
            part = observations.part(again)
            masks[again] = best_structures(factors.without(lost).part(again), part.y, part.w, any_sign)[0]
    member = (masks[:, :, None] >> np.arange(len(pairs)) & 1) * kept.T[:, None]  # (K, m, m)
    return np.where(member[..., None], pairs.swapaxes(0, 1)[:, None], 0.0)


def best_structures(
    factors: BestTerms, y: FloatArray, w: FloatArray, any_sign: bool
) -> tuple[IntArray, FloatArray]:
    """Return the best structure of K kernels with m parameters, and the shares of the parameters, (m, K).

    A structure has the bit masks of the parameters in each term, (K, m), 0 for no term. The share of a
    parameter is the largest share of any value that comes from one of its terms. The best structure has the
    smallest SMAPE at the points. A structure is refused if a term contributes next to nothing at every point.
    Unless `any_sign`, it is also refused if the coefficient of a lead term is negative.
    """
    m = len(factors.active)
    if m <= MOST_IN_TABLE:
        possible = allowed(m)[:, (1 << np.arange(m)) @ factors.active]
        return _best_of(possible, factors, y, w, any_sign)
    return _best_of_many(factors, y, w, any_sign)


def _best_of_many(
    factors: BestTerms, y: FloatArray, w: FloatArray, any_sign: bool
) -> tuple[IntArray, FloatArray]:
    """Compute `best_structures` for many parameters. Kernels with equally many terms are treated together."""
    m, K = factors.active.shape
    masks, shares = np.zeros((K, m), dtype=np.intp), np.zeros((m, K))
    order = _strongest_first(factors, y, w)
    counts = factors.active.sum(axis=0)
    for count in range(1, int(counts.max(initial=0)) + 1):
        kernels = np.flatnonzero(counts == count)
        if not len(kernels):
            continue
        chosen = (
            order[:count, kernels] if count > MOST_PARTITIONED else np.sort(order[:count, kernels], axis=0)
        )
        part, weights = factors.only(chosen, kernels), np.broadcast_to(w, y.shape)[:, kernels]
        possible = np.repeat(plain(count)[:, None], len(kernels), axis=1)
        own, shares[chosen, kernels] = _best_of(possible, part, y[:, kernels], weights, any_sign)
        bits = own[:, :, None] >> np.arange(count) & 1  # (kernels, terms, chosen)
        masks[kernels, :count] = (bits << chosen.T[:, None]).sum(axis=2)
    return masks, shares


def _strongest_first(factors: BestTerms, y: FloatArray, w: FloatArray) -> IntArray:
    """Return the indices of each kernel's parameters. Terms that explain more of the values come first."""
    merit = np.where(factors.active, _explained(factors.here, y, w), -1.0)
    return np.argsort(-merit, axis=0, kind="stable")


def _explained(here: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    """Return the share of the values' variation around their mean that each term alone explains."""
    count = np.maximum(w.sum(axis=0), 1)
    rows = (here - (here * w).sum(axis=1, keepdims=True) / count) * w
    deviation = (y - y.sum(axis=0) / count) * w
    along = np.einsum("mpk,pk->mk", rows, deviation)
    share: FloatArray = along**2 * reciprocal((rows**2).sum(axis=1) * (deviation**2).sum(axis=0))
    return share


def _best_of(
    possible: BoolArray, factors: BestTerms, y: FloatArray, w: FloatArray, any_sign: bool
) -> tuple[IntArray, FloatArray]:
    """Compute `best_structures` among the structures that are `possible`."""
    m, K = factors.active.shape
    masks = term_masks(m)
    products = _products(factors, w)
    error = np.full((len(masks), K), np.inf)
    shares = np.zeros((len(masks), m, K))
    for row, structure in enumerate(structures(m)):
        kernels = np.flatnonzero(possible[row])
        if len(kernels):
            terms = [products[mask].part(kernels) for mask in structure]
            values = y[:, kernels]
            found, own = _fit(terms, np.broadcast_to(w, y.shape)[:, kernels], values)
            refused = (own < NEGLIGIBLE_SHARE).any(axis=0)
            if not any_sign:
                far = np.stack([term.far for term in terms])
                refused |= _subtracts_lead(structure, found.coefficients[1:] * far)
            error[row, kernels] = np.where(refused, np.inf, smape(found.residuals, values))
            for parameter in range(m):
                of_parameter = [
                    share for mask, share in zip(structure, own, strict=True) if mask >> parameter & 1
                ]
                shares[row, parameter, kernels] = np.max(of_parameter, axis=0) if of_parameter else 0.0
    best = np.argmin(error, axis=0)
    each = np.arange(K)
    return np.where(np.isfinite(error[best, each])[:, None], masks[best], 0), shares[best, :, each].T


def _products(factors: BestTerms, w: FloatArray) -> dict[int, Product]:
    """Return the products of terms by the bit mask of their parameters, for all terms of all structures."""
    products = {}
    m = len(factors.active)
    for mask in {mask for structure in structures(m) for mask in structure}:
        members = [parameter for parameter in range(m) if mask >> parameter & 1]
        here = np.prod(factors.here[members], axis=0)
        size = np.abs(here).max(axis=0)
        far = np.prod(factors.far[members], axis=0)
        falls = np.asarray(factors.falls[members].any(axis=0))
        products[mask] = Product(here * (w / size), far / size, size, falls)
    return products


def _fit(terms: Sequence[Product], constant: FloatArray, y: FloatArray) -> tuple[LeastSquares, FloatArray]:
    """Fit a constant and terms. Return the fit, and the largest share of each term in a value."""
    columns = np.stack([constant, *(term.here for term in terms)])
    size = np.stack([np.ones(y.shape[1]), *(term.size for term in terms)])
    falls = np.any([term.falls for term in terms], axis=0)
    fit = solve_above_zero(columns, size, y, falls)
    share = np.abs(columns[1:] / np.where(y == 0, TINY, y)).max(axis=1) * np.abs(fit.coefficients[1:])
    return fit, np.asarray(share)


def _subtracts_lead(structure: Structure, contributions: FloatArray) -> BoolArray:
    """Return which kernels have a subtracted lead term."""
    negative = np.zeros(contributions.shape[1], dtype=bool)
    for bit in {1 << place for mask in structure for place in range(mask.bit_length()) if mask >> place & 1}:
        of_parameter = contributions[[bool(mask & bit) for mask in structure]]
        negative |= -of_parameter.min(axis=0) > of_parameter.max(axis=0)
    return negative
