"""One law for a kernel that several campaigns measured and that did not change between them.

The few values of one campaign may be explained equally well by p^−1 and by a constant, so the laws of single
campaigns may differ although the kernel did not change. Therefore one law is chosen by the values of all
campaigns together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.laws.terms import evaluate
from modeling.engine.validation import FloatArray, IntArray

ROUNDS = 4
"""The number of rounds in which the law and the campaigns' levels are fitted in turn. Levels that differ
by some percent converge after two rounds.
"""


@dataclass(frozen=True)
class PooledLaw:
    """The law constant + Σ coefficient · term of the last campaign. The laws of the other campaigns are
    multiples of it.

    `relative_error` is the median of |value − law| / law over all values, each with its campaign's multiple.
    """

    constant: float
    coefficients: FloatArray  # (T,)
    exponents: FloatArray  # (T, m, 2)
    relative_error: float


def pooled_law(
    shapes: Sequence[FloatArray], points: Sequence[FloatArray], medians: Sequence[FloatArray]
) -> PooledLaw | None:
    """Return the shape that explains all campaigns best, fitted to them together; None if none can be
    fitted.

    Each campaign v may be slower or faster as a whole: y_v = s_v · (c_0 + Σ c_t · term_t), with s = 1 for the
    last one. Relative errors are assumed to be equally large. The chosen shape minimises n · log(Σ squared
    relative errors / n) + (1 + 2 T) · log n (Schwarz 1978), where n is the number of values minus the number
    of fitted factors s. A term counts as two parameters, because its coefficient and its exponents were both
    chosen.

    Args:
        shapes: exponents (T, m, 2) of the laws that were found for single campaigns.
        points: (P, m) of each campaign, positive.
        medians: (P,) of each campaign, NaN where a point is missing; only positive ones are used.
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
    """Return the criterion of one shape, and the law with its coefficients; None if it cannot be fitted."""
    count = 1 + len(shape)
    if len(y) - campaign[-1] <= count:
        return None
    terms = np.column_stack([np.ones(len(y)), *(evaluate(term, x) for term in shape)])
    levels = np.zeros(campaign[-1] + 1)
    for _ in range(ROUNDS):
        scaled = y / np.exp(levels[campaign])
        # The columns are scaled to similar sizes, because powers of p differ by many orders of magnitude.
        columns = terms / scaled[:, None]
        size = abs(columns).max(axis=0)
        coefficients = np.linalg.lstsq(columns / size, np.ones(len(y)), rcond=None)[0] / size
        law = terms @ coefficients
        if not np.isfinite(law).all() or (law <= 0).any():
            return None
        levels = _levels(np.log(y / law), campaign)
        levels -= levels[-1]
    errors = y / np.exp(levels[campaign]) / law - 1
    free = len(y) - int(campaign[-1])  # the levels of the other campaigns are fitted as well
    squares = max(float(errors @ errors) / free, np.finfo(float).tiny)
    criterion = free * np.log(squares) + (1 + 2 * len(shape)) * np.log(free)
    pooled = PooledLaw(float(coefficients[0]), coefficients[1:], shape, float(np.median(abs(errors))))
    return float(criterion), pooled


def _levels(deviations: FloatArray, campaign: IntArray) -> FloatArray:
    """Return the mean deviation of each campaign, 0 for a campaign without values.

    Medians are not used, because the criteria of two shapes are comparable only for least squares.
    """
    counts = np.bincount(campaign)
    levels: FloatArray = np.bincount(campaign, deviations) / np.maximum(counts, 1)
    return levels
