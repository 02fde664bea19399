"""How probable it is that a kernel changed between two campaigns, from its log ratios at the common points.

A log ratio d of kernel k at point c is taken as

    d_kc = campaign drift + kernel drift_k + point drift_kc + noise_kc + change_kc,

every part Gaussian. The change is nothing ("same"), one number ("factor"), or a number and smooth functions
of the parameters' logarithms ("law"). All are linear, so each kind has a marginal likelihood in closed form:
that of a Gaussian whose covariance is diagonal plus a few columns (Woodbury's identity), for all kernels at
once.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray

CAMPAIGN_DRIFT, KERNEL_DRIFT, POINT_DRIFT = 0.03, 0.01, 0.01
"""Deviations that no code caused: of a whole campaign, of a kernel, of a kernel at one point."""

LARGEST_CAMPAIGN_DRIFT = 3 * CAMPAIGN_DRIFT
LARGEST_KERNEL_DRIFT = 3 * KERNEL_DRIFT
ENOUGH_KERNELS = 10
"""From so many kernels on, the campaign's drift is estimated from them."""

FACTOR_SCALE, SLOPE_SCALE, BEND_SCALE = 0.3, 0.2, 0.1
"""Expected size of a changed level, of a changed exponent, and of a bend over the measured range."""

PRIOR = np.array([0.98, 0.01, 0.01])
"""Of same, factor, law: most kernels are not touched by most versions."""

UNSEEN_NOISE = 0.1
"""Standard deviation of a log ratio where nothing shows it: one value a point, and too few points to scatter.
Single processes of one program differ by 2 to 50 % in published campaigns, so a change of less than about
40 % is not reported there; half of it would report such scatter as changes, twice it would miss doublings."""

SHRINKAGE = 8.0
"""Degrees of freedom that a pooled variance weighs beside a kernel's or a point's own."""


MOST_COLUMNS = 64
"""Directions in which a law may change: up to nine parameters have a slope, a bend and all products of two.
With more, products are left out, whose number grows with the square: a change that is one moves the slopes,
too. Work grows with the square of this number."""

NUMBERS_AT_ONCE = 2_000_000
"""Numbers of one temporary array."""


@dataclass(frozen=True)
class Directions:
    """In which ways a law's change moves the log ratios at C points."""

    columns: FloatArray  # (C, r) at prior scale
    rank: int  # of these and a constant

    @property
    def design(self) -> FloatArray:
        """A constant and the columns, (C, r + 1)."""
        return np.column_stack([np.ones(len(self.columns)), self.columns])


def shrunk(own: FloatArray, freedom: FloatArray, pooled: FloatArray | float) -> FloatArray:
    """Variances, of any shape, pulled towards a pooled one where their own degrees of freedom are few."""
    known = np.where(freedom > 0, own, 0.0)
    return (freedom * known + SHRINKAGE * pooled) / (freedom + SHRINKAGE)


def typical(variances: FloatArray, freedom: FloatArray) -> float:
    """Median of variances (K,) over kernels, corrected for the skew of χ²; 0 where there is none."""
    sure = freedom > 0
    if not sure.any():
        return 0.0
    unbiased = variances[sure] / (1 - 2 / (9 * freedom[sure])) ** 3
    return float(np.median(unbiased))


def pooled_twice(squares: FloatArray, freedom: FloatArray, campaign: float) -> FloatArray:
    """Variances (K, C) from sums of squares and degrees of freedom, shrunk to the kernels' and campaign's."""
    of_kernel = freedom.sum(axis=1)
    own = squares.sum(axis=1) / np.maximum(of_kernel, 1.0)
    kernel = shrunk(own, of_kernel, campaign)[:, None]
    return shrunk(squares / np.maximum(freedom, 1.0), freedom, kernel)


def directions(points: FloatArray) -> Directions:
    """Directions in which a law's change moves the log ratios at points (C, m)."""
    columns = change_columns(points)
    rank = np.linalg.matrix_rank(np.column_stack([np.ones(len(columns)), columns]))
    return Directions(columns, int(rank))


def change_columns(points: FloatArray) -> FloatArray:
    """Directions (C, r) in which a law's change moves the log ratios at points (C, m), at prior scale.

    Per parameter a slope and a bend, per pair of parameters their product, over centred logarithms.
    """
    logs = np.log(points)
    centred = logs - logs.mean(axis=0)
    spans = np.ptp(logs, axis=0)
    unit = centred / np.where(spans > 0, spans, 1.0)
    parameters = points.shape[1]
    products = parameters * (parameters + 3) / 2 <= MOST_COLUMNS
    columns = [SLOPE_SCALE * column for column in centred.T]
    for axis, column in enumerate(unit.T):
        columns.append(BEND_SCALE * (column**2 - (column**2).mean()) * 4)
        columns += [BEND_SCALE * 4 * column * other for other in unit.T[: axis * products]]
    return np.stack(columns, axis=1)


def log_evidence(d: FloatArray, precision: FloatArray, columns: FloatArray) -> FloatArray:
    """Log marginal likelihood (K,), up to a constant per kernel, of log ratios around 0.

    Args:
        d: (C, K), 0 where unknown.
        precision: (C, K) of the independent errors, 0 where unknown.
        columns: (C, r) directions with independent standard normal coefficients.
    """
    inner = np.eye(columns.shape[1]) + _weighted_products(precision, columns)
    projected = (precision * d).T @ columns
    explained = np.einsum("kr,kr->k", projected, np.linalg.solve(inner, projected[:, :, None])[:, :, 0])
    quadratic = np.einsum("ck,ck,ck->k", precision, d, d) - explained
    evidence: FloatArray = -0.5 * (quadratic + np.linalg.slogdet(inner)[1])
    return evidence


def point_variance(
    ratios: FloatArray, noise: FloatArray, known: BoolArray, around: Directions, unseen: float
) -> FloatArray:
    """Variance (C, K) of the independent errors: noise of the repetitions, and what these do not show.

    The rest is read from how far the log ratios (C, K) lie from any smooth change, pulled towards what is
    `unseen` in most kernels; single runs have no other measure of their noise.
    """
    own, freedom = scatter(ratios, known, around)
    repeated = (noise * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1.0)
    return noise + np.maximum(shrunk(own - repeated, freedom, unseen), POINT_DRIFT**2)


def scatter(d: FloatArray, known: BoolArray, around: Directions) -> tuple[FloatArray, FloatArray]:
    """Variance of log ratios (C, K) around any smooth change and its degrees of freedom, (K,) each."""
    weights = known.astype(np.float64)
    freedom = np.maximum(weights.sum(axis=0) - around.rank, 0.0)
    residuals = _residuals(d, weights, around.design)
    return np.einsum("ck,ck->k", residuals, residuals) / np.maximum(freedom, 1.0), freedom


def _residuals(d: FloatArray, weights: FloatArray, design: FloatArray) -> FloatArray:
    """Residuals (C, K) of least squares on a design (C, r), per kernel over its known points."""
    alike = weights.shape[1] > 0 and bool((weights == weights[:, :1]).all())
    gram = _weighted_products(weights[:, :1] if alike else weights, design)  # one for all that are alike
    inverse = np.linalg.pinv(gram, rcond=1e-10, hermitian=True)
    coefficients = np.einsum(
        "kab,kb->ka", np.broadcast_to(inverse, (d.shape[1], *inverse.shape[1:])), d.T @ design
    )
    residuals: FloatArray = (d - design @ coefficients.T) * weights
    return residuals


def _weighted_products(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Sums over C points of weights (C, K) times the products of any two columns (C, r): (K, r, r)."""
    rank = columns.shape[1]
    step = max(1, NUMBERS_AT_ONCE // rank**2)
    total = np.zeros((weights.shape[1], rank**2))
    for start in range(0, len(columns), step):
        some = columns[start : start + step]
        products = (some[:, :, None] * some[:, None, :]).reshape(len(some), -1)
        total += weights[start : start + step].T @ products
    return total.reshape(-1, rank, rank)
