"""One law for a kernel that did not change between several campaigns, from the values of all campaigns.

The values of one campaign may not distinguish p^−1 from a constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.laws import growth
from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate
from modeling.engine.validation import FloatArray, IntArray

ROUNDS = 4
"""Number of rounds in which the law and the factors of the campaigns are fitted in turn."""


@dataclass(frozen=True)
class PooledLaw:
    """The law constant + Σ coefficient · term of the last campaign, with T terms of m parameters.

    The laws of the other campaigns are multiples of this law.
    """

    constant: float
    coefficients: FloatArray  # (T,)
    exponents: FloatArray  # (T, m, 2)
    lead_exponents: FloatArray  # (m, 2) of each parameter's lead term; 0 if no term contains the parameter
    relative_error: float  # median of |value − law| / law over all campaigns


def pooled_law(
    shapes: Sequence[FloatArray], points: Sequence[FloatArray], medians: Sequence[FloatArray]
) -> PooledLaw | None:
    """Return the law that explains all campaigns best; None if no law can be fitted.

    The values of campaign v are modelled as y[v] = s[v] · (c[0] + Σ_t c[t] · term[t]), with s = 1 for the
    last campaign. All relative errors have the same variance. The chosen law minimises N · log(Σ squared
    relative errors / N) + (1 + 2 T) · log N (Schwarz 1978). N is the number of values minus the number of
    fitted factors s[v]. Each of T terms counts as two parameters: its coefficient and its exponents.

    Args:
        shapes: exponents (T, m, 2) of the laws found for single campaigns, one of which is chosen.
        points: positive points (P, m) of each campaign.
        medians: values (P,) of each campaign, NaN where missing. Only positive values are used.
    """
    used = [np.isfinite(values) & (values > 0) for values in medians]
    x = np.concatenate([at[some] for at, some in zip(points, used, strict=True)])
    y = np.concatenate([values[some] for values, some in zip(medians, used, strict=True)])
    campaign = np.repeat(np.arange(len(medians)), [int(some.sum()) for some in used])
    if not len(y) or campaign[-1] != len(medians) - 1:
        return None
    found = [_fitted(shape, x, y, campaign) for shape in _distinct(shapes)]
    best = min((each for each in found if each is not None), key=lambda each: each[0], default=None)
    return None if best is None else best[1]


def _distinct(shapes: Sequence[FloatArray]) -> list[FloatArray]:
    return list({shape.tobytes(): shape for shape in shapes}.values())


def _fitted(
    shape: FloatArray, x: FloatArray, y: FloatArray, campaign: IntArray
) -> tuple[float, PooledLaw] | None:
    """Return the criterion and the fitted law with these exponents; None if it cannot be fitted."""
    count = 1 + len(shape)
    if len(y) - campaign[-1] <= count:
        return None
    terms = np.column_stack([np.ones(len(y)), *(evaluate(term, x) for term in shape)])
    levels = np.zeros(campaign[-1] + 1)
    for _ in range(ROUNDS):
        scaled = y / np.exp(levels[campaign])
        # Terms differ by many orders of magnitude, so the columns are scaled to similar sizes.
        columns = terms / scaled[:, None]
        size = abs(columns).max(axis=0)
        coefficients = np.linalg.lstsq(columns / size, np.ones(len(y)), rcond=None)[0] / size
        law = terms @ coefficients
        if not np.isfinite(law).all() or (law <= 0).any():
            return None
        levels = _levels(np.log(y / law), campaign)
        levels -= levels[-1]
    errors = y / np.exp(levels[campaign]) / law - 1
    free = len(y) - int(campaign[-1])  # the factors of all but the last campaign are fitted, too
    squares = max(float(errors @ errors) / free, np.finfo(float).tiny)
    criterion = free * np.log(squares) + (1 + 2 * len(shape)) * np.log(free)
    leads = _leads(coefficients[1:], shape, x.max(axis=0))
    error = float(np.median(abs(errors)))
    return float(criterion), PooledLaw(float(coefficients[0]), coefficients[1:], shape, leads, error)


def _leads(coefficients: FloatArray, exponents: FloatArray, largest: FloatArray) -> FloatArray:
    """Return the lead exponents (m, 2) of a law with T terms, from the `largest` values (m,)."""
    if not len(exponents):
        return np.zeros((len(largest), 2))
    contributions = coefficients * evaluate(exponents, LEAD_MULTIPLE * largest[None])[:, 0]
    return np.asarray(growth.lead_exponents(contributions[None], exponents[None])[0])


def _levels(deviations: FloatArray, campaign: IntArray) -> FloatArray:
    """Return the mean log deviation of each campaign, 0 for a campaign without values."""
    counts = np.bincount(campaign)
    levels: FloatArray = np.bincount(campaign, deviations) / np.maximum(counts, 1)
    return levels
