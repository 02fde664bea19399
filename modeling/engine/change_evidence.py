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


@dataclass(frozen=True)
class Drift:
    """What all kernels of a campaign share: its shift, and the variances of that estimate and of kernels."""

    shift: float
    shift_variance: float
    kernel_variance: float


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


def pooled_twice(squares: FloatArray, freedom: FloatArray) -> FloatArray:
    """Variances (K, C) from sums of squares and degrees of freedom, shrunk to the kernels' and campaign's."""
    of_kernel = freedom.sum(axis=1)
    own = squares.sum(axis=1) / np.maximum(of_kernel, 1.0)
    kernel = shrunk(own, of_kernel, typical(own, of_kernel))[:, None]
    return shrunk(squares / np.maximum(freedom, 1.0), freedom, kernel)


def change_columns(points: FloatArray) -> FloatArray:
    """Directions (C, r) in which a law's change moves the log ratios at points (C, m), at prior scale.

    Per parameter a slope and a bend, per pair of parameters their product, over centred logarithms.
    """
    logs = np.log(points)
    centred = logs - logs.mean(axis=0)
    spans = np.ptp(logs, axis=0)
    unit = centred / np.where(spans > 0, spans, 1.0)
    columns = [SLOPE_SCALE * column for column in centred.T]
    for axis, column in enumerate(unit.T):
        columns.append(BEND_SCALE * (column**2 - (column**2).mean()) * 4)
        columns += [BEND_SCALE * 4 * column * other for other in unit.T[:axis]]
    return np.stack(columns, axis=1)


def log_evidence(d: FloatArray, precision: FloatArray, columns: FloatArray) -> FloatArray:
    """Log marginal likelihood (K,), up to a constant per kernel, of log ratios around 0.

    Args:
        d: (C, K), 0 where unknown.
        precision: (C, K) of the independent errors, 0 where unknown.
        columns: (C, r) directions with independent standard normal coefficients.
    """
    rank = columns.shape[1]
    products = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), -1)
    inner = np.eye(rank) + (precision.T @ products).reshape(-1, rank, rank)
    projected = (precision * d).T @ columns
    explained = np.einsum("kr,kr->k", projected, np.linalg.solve(inner, projected[:, :, None])[:, :, 0])
    quadratic = np.einsum("ck,ck,ck->k", precision, d, d) - explained
    evidence: FloatArray = -0.5 * (quadratic + np.linalg.slogdet(inner)[1])
    return evidence


def drift_of(d: FloatArray, noise: FloatArray, known: BoolArray) -> Drift:
    """Estimate what moved a whole campaign, by the kernels' median: most kernels did not change.

    Args:
        d: (C, K) log ratios, 0 where unknown.
        noise: (C, K) their variances from repetitions.
        known: (C, K).
    """
    usable = known.any(axis=0)
    if usable.sum() < ENOUGH_KERNELS:
        return Drift(0.0, CAMPAIGN_DRIFT**2, KERNEL_DRIFT**2)
    count = known.sum(axis=0)[usable]
    means = d.sum(axis=0)[usable] / count
    centre = float(np.median(means))
    spread = (1.4826 * float(np.median(np.abs(means - centre)))) ** 2
    sampling = float(np.median((noise * known).sum(axis=0)[usable] / count**2 + POINT_DRIFT**2 / count))
    kernel_variance = float(np.clip(spread - sampling, KERNEL_DRIFT**2, LARGEST_KERNEL_DRIFT**2))
    shift = float(np.clip(centre, -LARGEST_CAMPAIGN_DRIFT, LARGEST_CAMPAIGN_DRIFT))
    return Drift(shift, np.pi / 2 * (kernel_variance + sampling) / len(means), kernel_variance)


def point_variance(
    d: FloatArray, noise: FloatArray, known: BoolArray, columns: FloatArray, unseen: float = 0.0
) -> FloatArray:
    """Variance (C, K) of the independent errors: noise of the repetitions, and what these do not show.

    The rest is read from how far the log ratios lie from any smooth change, pooled over kernels; single
    runs have no other measure of their noise. Where no kernel has enough points for that either, it is
    `unseen`.
    """
    design = np.column_stack([np.ones(len(d)), columns])
    weights = known.astype(np.float64)
    rank = np.linalg.matrix_rank(design)
    freedom = np.maximum(weights.sum(axis=0) - rank, 0.0)
    residuals = _residuals(d, weights, design)
    repeated = (noise * known).sum(axis=0) / np.maximum(weights.sum(axis=0), 1.0)
    own = np.einsum("ck,ck->k", residuals, residuals) / np.maximum(freedom, 1.0)
    told = typical(own, freedom) if freedom.any() else unseen
    pooled = max(told - float(np.median(repeated)), POINT_DRIFT**2)
    return noise + np.maximum(shrunk(own - repeated, freedom, pooled), POINT_DRIFT**2)


def _residuals(d: FloatArray, weights: FloatArray, design: FloatArray) -> FloatArray:
    """Residuals (C, K) of least squares on a design (C, r), per kernel over its known points."""
    rank = design.shape[1]
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
    gram = (weights.T @ products).reshape(-1, rank, rank)
    inverse = np.linalg.pinv(gram, rcond=1e-10, hermitian=True)
    coefficients = np.einsum("kab,kb->ka", inverse, d.T @ design)
    residuals: FloatArray = (d - design @ coefficients.T) * weights
    return residuals
