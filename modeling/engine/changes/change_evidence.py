"""The evidence of a kernel's log ratios with and without a change of its law.

A log ratio d of kernel k at the common point c is modelled as

    d[k, c] = level[k] + change of law[k, c] + scatter[k, c] + noise[k, c].

The variance of the noise is estimated from the repetitions. The scatter of a kernel has one of the standard
deviations `SCATTERS`, and a larger one at odd points. Otherwise one bad point would be mistaken for a
change of law.

A change of law is a sum of smooth functions of the log parameters, with unknown coefficients. The values of
one function at the common points are a *direction*.

An *explanation* is `PLAIN` (no change of law) or `LAW`. All summands are Gaussian. So the marginal likelihood
of an explanation has a closed form (Woodbury's identity), which is Gaussian in the level.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.changes.locations import NUMBERS_AT_ONCE
from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.modelers.evidence.hypotheses.gaussian import triangles
from modeling.engine.validation import BoolArray, FloatArray, IntArray

SCATTERS = 0.002 * 2.0 ** np.arange(9)
"""Standard deviations of a kernel's scatter, from 0.2 % to 51 %. Mixtures represent other values."""

ODD_SCALES = (4.0, 16.0)
"""Standard deviations added at an odd point, relative to that of the point's noise and scatter."""

POINTS_PER_ODD = 8
"""At most one in this number of points is odd, but one is always allowed."""

ONE_MORE_PRIOR = 0.2
"""Prior probability of each further odd point after the first."""

ODD_LOG_EVIDENCE = 2.0
"""Further odd points are searched for if the first one adds more than this to the log evidence."""

LAW_POINTS = 3
"""Fewest common points with which a change of law can be distinguished from scatter."""

SLOPE_SCALE, CURVE_SCALE = 0.12, 0.1
"""Prior standard deviations of a change of law: of an exponent, and of squares, cubes and products of
logarithms. With half of `CURVE_SCALE`, 2 % more changes of an exponent by 1/4 are missed if drift is 3 %.
"""

STEEPER, LARGE_DEVIATION = 5.0, 0.2
"""For large changes of a law, the prior standard deviations are multiplied by `STEEPER`. To save time,
large changes are tried only if a kernel's log ratios have a standard deviation above `LARGE_DEVIATION`.
"""

MOST_COLUMNS = 64
"""Largest number of directions. With more than nine parameters, products of two logarithms are left out."""

NO_PRECISION = 1e-200
"""The precision (1 / variance) of an unknown level."""

RATIOS_AT_ONCE = 12_500
"""Number of log ratios computed together. Temporary arrays then fit into the processor's cache."""

ELEMENTWISE_RANK = 18
"""Largest number of directions with which all matrices are inverted together, to save time."""

PLAIN, LAW = 0, 1

Solved = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Results of `_solved` for log ratios d of K kernels at C points with the covariance Σ: Σ⁻¹ d, Σ⁻¹ 1 and the
diagonal of Σ⁻¹, (C, K) each; and log det Σ minus log det of Σ's diagonal summand, (K,).
"""


@dataclass(frozen=True)
class Levels:
    """Likelihoods of the levels of K kernels under two explanations and J classes of scatter.

    The likelihood of a level is exp(`evidence`) times a Gaussian density with `mean` and `variance`. The
    classes are `SCATTERS` without odd points, then `SCATTERS` with odd points.
    """

    evidence: FloatArray  # (K, 2, J)
    mean: FloatArray  # (K, 2, J)
    variance: FloatArray  # (K, 2, J)
    known: BoolArray  # (K,) whether there is any log ratio

    def part(self, kernels: IntArray) -> "Levels":
        """Return the levels of these kernels."""
        return Levels(*(getattr(self, field.name)[kernels] for field in fields(self)))


def join_levels(parts: list[Levels]) -> Levels:
    """Join the levels of several groups of kernels."""
    return Levels(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Levels)))


def change_columns(points: FloatArray) -> FloatArray:
    """Return the r directions (C, r) in which a change of law moves the log ratios at C points (C, m).

    The directions of each of m parameters are its centred logarithm, the square of this logarithm minus the
    mean of the squares, and its cube minus the cube's slope. Each pair of parameters has the product of the
    logarithms. Directions are multiplied by their prior standard deviations.
    """
    logs = np.log(points)
    centred = logs - logs.mean(axis=0)
    spans = np.ptp(logs, axis=0)
    unit = 2 * centred / np.where(spans > 0, spans, 1.0)
    square, fourth = (unit**2).mean(axis=0), (unit**4).mean(axis=0)
    bends = unit**2 - square
    twists = unit**3 - fourth / np.where(square > 0, square, 1.0) * unit
    columns = [SLOPE_SCALE * centred, CURVE_SCALE * bends, CURVE_SCALE * twists]
    parameters = points.shape[1]
    if parameters * (parameters + 5) / 2 <= MOST_COLUMNS:
        one, other = np.triu_indices(parameters, 1)
        columns.append(CURVE_SCALE * unit[:, one] * unit[:, other])
    return np.concatenate(columns, axis=1)


def levels(ratios: LogRatios, columns: FloatArray) -> Levels:
    """Return the levels under both explanations. `columns` are those of `change_columns`."""
    points, kernels = ratios.d.shape
    step = max(1, RATIOS_AT_ONCE // max(points, 1))
    if kernels <= step:
        return _levels(ratios, columns)
    every = np.arange(kernels)
    return join_levels([_levels(ratios.part(some), columns) for some in np.split(every, every[step::step])])


def _levels(ratios: LogRatios, columns: FloatArray) -> Levels:
    known = ratios.known
    some = np.asarray(known.any(axis=0))
    if not some.any():
        shape = (known.shape[1], 2, 2 * len(SCATTERS))
        return Levels(np.zeros(shape), np.zeros(shape), np.full(shape, 1 / NO_PRECISION), some)
    parts = _all_explained(ratios, columns, 1)
    plain, odd = parts[0, :, :, 0].max(axis=(1, 2)), parts[0, :, :, 1].max(axis=(1, 2))
    several = np.flatnonzero((odd > plain + ODD_LOG_EVIDENCE) & (known.sum(axis=0) >= 2 * POINTS_PER_ODD))
    if len(several):
        count = len(known) // POINTS_PER_ODD
        parts[:, several] = _all_explained(ratios.part(several), columns, count)
    large = np.flatnonzero(_deviation(ratios) > LARGE_DEVIATION)
    if len(large):
        steeper = _explained_by(ratios.part(large), STEEPER * columns, 1)
        both = np.stack([parts[:, large, LAW], steeper])
        both[:, 0] -= np.log(2)
        parts[:, large, LAW] = merge(both.swapaxes(0, 1), axis=1)
    evidence, mean, variance = parts.reshape(3, len(plain), 2, -1)
    evidence[known.sum(axis=0) < LAW_POINTS, LAW] = -np.inf
    return Levels(evidence, mean, variance, some)


def _deviation(ratios: LogRatios) -> FloatArray:
    """Return the standard deviation of each kernel's known log ratios."""
    count = np.maximum(ratios.known.sum(axis=0), 1)
    centred = np.where(ratios.known, ratios.d - ratios.d.sum(axis=0) / count, 0.0)
    return np.asarray(np.sqrt((centred**2).sum(axis=0) / count))


def _all_explained(ratios: LogRatios, columns: FloatArray, odd: int) -> FloatArray:
    """Return the log evidence, mean and variance of the levels, with at most `odd` odd points.

    The axes are: these three quantities, kernels, explanations, without or with odd points, and `SCATTERS`.
    """
    return np.stack([_explained_by(ratios, moved, odd) for moved in (columns[:, :0], columns)], axis=2)


def _explained_by(ratios: LogRatios, columns: FloatArray, odd: int) -> FloatArray:
    """Return the results of `_all_explained` for one explanation. Without columns, it is `PLAIN`."""
    found = [_explained(ratios, ratios.noise + scatter**2, columns, odd) for scatter in SCATTERS]
    return np.array(found).transpose(1, 3, 2, 0)


def _explained(ratios: LogRatios, variance: FloatArray, columns: FloatArray, odd: int) -> FloatArray:
    """Return the log evidence, mean and variance of the level: without odd points, and with 1 to `odd`.

    The result is (3, 2, kernels). Let Σ = diag(variance) + columns · columnsᵀ, a = Σ⁻¹ d and b = Σ⁻¹ 1, and
    let q be the diagonal of Σ⁻¹. As a function of the level, the density of d is proportional to a Gaussian
    with the mean 1ᵀa / 1ᵀb and the variance 1 / 1ᵀb.

    Adding τ to the variance of point c subtracts t b_c² from 1ᵀb, t a_c b_c from 1ᵀa and t a_c² from dᵀa,
    with t = τ / (1 + τ q_c) (the Sherman–Morrison formula). Odd points are found one after the other, the
    likeliest first.
    """
    d, known = ratios.d, ratios.known
    count = known.sum(axis=0)
    prior = np.where(known & (count >= LAW_POINTS), -np.log(np.maximum(count, 1) * len(ODD_SCALES)), -np.inf)
    variance, kernels = variance.copy(), np.arange(d.shape[1])
    found: list[FloatArray] = []
    for _ in range(odd):
        solved = _solved(d, known / variance, columns)
        start = -0.5 * ((known * np.log(2 * np.pi * variance)).sum(axis=0) + solved[3])
        if not found:
            found.append(level_evidence(start, *_sums(d, *solved[:2])))
        each = _with_odd_point(d, solved, start + prior, variance)
        found.append(merge(each, axis=1))
        place, scale = np.divmod(each[0].argmax(axis=0), len(ODD_SCALES))
        variance[place, kernels] *= 1 + np.array(ODD_SCALES)[scale] ** 2
        prior = prior + np.log(ONE_MORE_PRIOR)
        prior[place, kernels] = -np.inf
    several = merge(np.stack(found[1:], axis=1), axis=1)
    return np.stack([found[0], several], axis=1)


def _with_odd_point(d: FloatArray, solved: Solved, start: FloatArray, variance: FloatArray) -> FloatArray:
    """Return log evidence, mean and variance of the level with each odd point and scale, (3, N, kernels)."""
    a, b, q, _ = solved
    sums = _sums(d, a, b)
    scales = np.array(ODD_SCALES)[:, None]
    added = scales**2 * variance[:, None]
    inner = 1 + added * q[:, None]
    t = added / inner
    a, b = a[:, None], b[:, None]
    moved = (sums[0] - t * b**2, sums[1] - t * a * b, sums[2] - t * a**2)
    found = level_evidence(start[:, None], *moved, inner)
    return found.reshape(3, -1, d.shape[1])


def _sums(d: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return 1ᵀΣ⁻¹1, 1ᵀΣ⁻¹d and dᵀΣ⁻¹d, given a = Σ⁻¹ d and b = Σ⁻¹ 1."""
    return b.sum(axis=0), a.sum(axis=0), (d * a).sum(axis=0)


def _solved(d: FloatArray, precision: FloatArray, columns: FloatArray) -> Solved:
    """Solve linear systems with Σ = diag(1 / precision) + columns · columnsᵀ; see `Solved`."""
    a, b, q = precision * d, precision, precision
    rank = columns.shape[1]
    if not rank:
        return a, b, q, np.zeros(d.shape[1])
    number = _numbers_of_pairs(rank)
    inner = _weighted_products(precision, columns)
    inner[np.diag(number)] += 1.0
    inverse, log_determinant = _inverted(inner, number)
    matrices = inverse[number]
    a, b = (
        np.asarray(each - precision * (columns @ np.einsum("ijk,jk->ik", matrices, columns.T @ each)))
        for each in (a, b)
    )
    q = np.maximum(q - np.square(precision) * _quadratic(columns, inverse), 0.0)
    return a, b, q, log_determinant


def _numbers_of_pairs(rank: int) -> IntArray:
    """Return the position of each element of a symmetric matrix in the list of its upper triangle."""
    row, column = np.triu_indices(rank)
    number = np.empty((rank, rank), dtype=np.int64)
    number[row, column] = number[column, row] = np.arange(len(row))
    return number


def _inverted(matrices: FloatArray, number: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the inverses of positive definite matrices, and the logarithms of their determinants."""
    rank = len(number)
    if rank > ELEMENTWISE_RANK:
        whole = matrices[number].transpose(2, 0, 1)
        solved = np.asarray(np.linalg.inv(whole), dtype=float).transpose(1, 2, 0)
        return solved[np.triu_indices(rank)], np.linalg.slogdet(whole)[1]
    lower, inverse = triangles([[matrices[number[i, j]] for j in range(i + 1)] for i in range(rank)])
    # The inverse of L · Lᵀ is L⁻ᵀ · L⁻¹.
    found = np.empty_like(matrices)
    for i, j in zip(*np.triu_indices(rank), strict=True):
        found[number[i, j]] = sum(inverse[k][i] * inverse[k][j] for k in range(j, rank))
    return found, 2 * np.log([lower[i][i] for i in range(rank)]).sum(axis=0)


def _quadratic(columns: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return xᵀ M⁻¹ x for each row x of `columns`, given the upper triangles of the inverses M⁻¹."""
    row, column = np.triu_indices(columns.shape[1])
    flat = inverse * np.where(row == column, 1.0, 2.0)[:, None]
    return np.concatenate([some @ flat for _, some in _products(columns)])


def _weighted_products(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the sums over points of weights times the products of any two columns."""
    return np.asarray(sum(some.T @ weights[places] for places, some in _products(columns)))


def _products(columns: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield slices of points with the products of any two columns, to limit memory."""
    row, column = np.triu_indices(columns.shape[1])
    step = max(1, NUMBERS_AT_ONCE // max(len(row), 1))
    for start in range(0, len(columns), step):
        some = columns[start : start + step]
        yield slice(start, start + step), some[:, row] * some[:, column]


def level_evidence(
    start: FloatArray,
    b: FloatArray,
    a: FloatArray,
    quadratic: FloatArray,
    determinant: FloatArray | float = 1.0,
) -> FloatArray:
    """Return the log evidence, mean and variance of a level, (3, …).

    Args:
        start: −log(det 2πΣ) / 2 for the covariance Σ of the log ratios d, plus the logarithm of a prior.
        b, a, quadratic: 1ᵀΣ⁻¹1, 1ᵀΣ⁻¹d and dᵀΣ⁻¹d.
        determinant: a factor of det Σ that is missing in `start`.
    """
    b = np.maximum(b, NO_PRECISION)
    mean = a / b
    evidence = start - 0.5 * (quadratic - a * mean) + 0.5 * np.log(2 * np.pi / (b * determinant))
    return np.stack([evidence, mean, 1 / b])


def merge(gaussians: FloatArray, axis: int) -> FloatArray:
    """Merge Gaussians along an axis into one with the same weight, mean and variance, (3, …)."""
    evidence, mean, variance = gaussians
    axis -= 1
    largest = evidence.max(axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    weights = np.exp(evidence - largest)
    total = weights.sum(axis=axis, keepdims=True)
    weights = weights / np.maximum(total, NO_PRECISION)
    centre = (weights * mean).sum(axis=axis, keepdims=True)
    spread = (weights * (variance + (mean - centre) ** 2)).sum(axis=axis)
    with np.errstate(divide="ignore"):
        joined = np.log(total) + largest
    return np.stack([joined.squeeze(axis), centre.squeeze(axis), np.maximum(spread, NO_PRECISION)])
