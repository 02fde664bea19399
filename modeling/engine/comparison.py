"""Two campaigns held against each other: which kernels changed, and how."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.change_evidence import (
    FACTOR_SCALE,
    PRIOR,
    UNSEEN_NOISE,
    change_columns,
    drift_of,
    log_evidence,
    point_variance,
    pooled_twice,
)
from modeling.engine.fitting import fit
from modeling.engine.models import Models
from modeling.engine.validation import (
    BoolArray,
    FloatArray,
    IntArray,
    check_evaluation_points,
    check_level,
    check_points,
    check_values,
)

FEWEST_COMMON_POINTS = 3
"""With fewer points in common a change of law cannot be told from drift. Where one of the campaigns has no
more points, nobody asks for its law: then kernels are told to be slower or faster there, or the same."""

VALUES_AT_ONCE = 1_000_000
"""Numbers of one temporary array."""

KINDS = ("same", "factor", "law")

Measured = tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True)
class Changes:
    """How K kernels differ after against before."""

    kind: NDArray[np.str_]  # (K,): "same", "factor" (same law, other constant), "law" or "unknown"
    ratio: FloatArray  # (K,) after / before at the target, NaN where it cannot be told
    ratio_interval: FloatArray  # (K, 2)
    probability: FloatArray  # (K,) that the kernel changed at all, NaN where unknown
    probabilities: FloatArray  # (K, 3) of same, factor, law


def compare(before: Measured, after: Measured, *, target: ArrayLike, level: float = 0.95) -> Changes:
    """Tell per kernel whether the law changed, or its constant, or nothing that is not noise or drift.

    The verdict rests on the ratios of the values at the points that both campaigns have; see
    `change_evidence` for the statistics. Drift of the whole campaign, which no code caused, is taken out.
    The ratio at the target is that of the two fitted laws where the law changed, else that of the levels.

    Args:
        before, after: points (P, m) and values (K, P, R) of the same kernels; points may differ.
        target: (m,) where the ratio is wanted.
        level: of the ratio's interval.

    Raises:
        ValueError: as `fit`; different numbers of kernels or parameters; a target or level out of range.
    """
    check_level(level)
    old, new = _checked(before, "before"), _checked(after, "after")
    if len(old[1]) != len(new[1]) or old[0].shape[1] != new[0].shape[1]:
        raise ValueError(
            f"after: found {len(new[1])} kernels and {new[0].shape[1]} parameters, "
            f"expected {len(old[1])} and {old[0].shape[1]} as before"
        )
    wanted = check_evaluation_points(target, old[0].shape[1])
    ratios = _common_ratios(old, new)
    common = (ratios.known | ratios.nothing).sum(axis=0)
    plain = min(len(old[0]), len(new[0])) < FEWEST_COMMON_POINTS
    enough = common > 0 if plain else common >= FEWEST_COMMON_POINTS
    probabilities, levels = _weigh(ratios, NormalDist().inv_cdf((1 + level) / 2))
    if plain:
        probabilities[:, 2] = 0.0
        probabilities /= probabilities.sum(axis=1, keepdims=True)
    idle = ratios.nothing.any(axis=0) & ~ratios.known.any(axis=0)
    probabilities[idle], levels[idle] = (1.0, 0.0, 0.0), np.nan
    kind = _kinds(probabilities, enough)
    by_models = np.flatnonzero(~np.isin(kind, KINDS[:2]))
    laws = [fit(points, values[by_models]) for points, values in (old, new)]
    levels[by_models] = _ratio_of_models(laws[0], laws[1], wanted, level)
    with np.errstate(over="ignore"):
        ratio = np.exp(levels)
    probabilities[~enough] = np.nan
    return Changes(kind, ratio[:, 0], ratio[:, 1:], 1.0 - probabilities[:, 0], probabilities)


@dataclass(frozen=True)
class _Ratios:
    """Logarithms of after / before at the C common points."""

    points: FloatArray  # (C, m)
    d: FloatArray  # (C, K), 0 where unknown
    noise: FloatArray  # (C, K) variance of d from the repetitions
    known: BoolArray  # (C, K)
    nothing: BoolArray  # (C, K) zero before and after: the same, whatever the campaign's drift
    repeated: bool  # whether any point was measured more than once


def _checked(measured: Measured, name: str) -> tuple[FloatArray, FloatArray]:
    points = check_points(measured[0], f"{name} points")
    return points, check_values(measured[1], len(points), f"{name} values")


def _common_ratios(old: tuple[FloatArray, FloatArray], new: tuple[FloatArray, FloatArray]) -> _Ratios:
    place = {tuple(point): index for index, point in enumerate(old[0].tolist())}
    pairs = [
        (place[key], index) for index, point in enumerate(new[0].tolist()) if (key := tuple(point)) in place
    ]
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    locations, noises = zip(
        *(_locations(values[:, rows[:, side]]) for side, values in enumerate((old[1], new[1]))), strict=True
    )
    before, after = locations
    known = (before > 0) & (after > 0)
    nothing = (before == 0) & (after == 0)
    usable = np.where(before > 0, before, 1.0), np.where(after > 0, after, 1.0)
    d = np.where(known, np.log(usable[1]) - np.log(usable[0]), 0.0)
    repeated = any((~np.isnan(values)).sum(axis=2).max(initial=0) > 1 for _, values in (old, new))
    return _Ratios(old[0][rows[:, 0]], d, noises[0] + noises[1], known, nothing, repeated)


def _locations(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the repetitions of values (K, C, R) lie, and the variance of its logarithm, (C, K) each.

    The location is the mean of the middle half: one bad run does not move it, and it scatters less than the
    median. The spread of a point's repetitions is pulled towards the kernel's, and that to the campaign's.
    """
    step = max(1, VALUES_AT_ONCE // max(values[:1].size, 1))
    parts = [_summed(values[start : start + step]) for start in range(0, max(len(values), 1), step)]
    location, share, squares, freedom = (np.concatenate(each) for each in zip(*parts, strict=True))
    return location.T, (pooled_twice(squares, freedom) * share).T


def _summed(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mean of the middle half of repetitions (K, C, R) and its variance in units of one repetition's, then
    the logarithms' sum of squared deviations and its degrees of freedom, (K, C) each."""
    count = (~np.isnan(values)).sum(axis=2)
    cut, share = _middle_half(values.shape[2])
    first, last = cut[count], count - cut[count]
    rank = np.arange(values.shape[2])
    kept = (rank >= first[:, :, None]) & (rank < last[:, :, None])
    ordered = np.where(kept, np.sort(values, axis=2), 0.0)  # NaN last, never kept
    location = np.where(count > 0, ordered.sum(axis=2) / np.maximum(last - first, 1), np.nan)
    logs = np.log(np.where(values > 0, values, np.nan))
    known = ~np.isnan(logs)
    shown = known.sum(axis=2)
    centre = np.where(known, logs, 0.0).sum(axis=2) / np.maximum(shown, 1)
    squares = np.where(known, logs - centre[:, :, None], 0.0) ** 2
    return location, share[count], squares.sum(axis=2), np.maximum(shown - 1.0, 0.0)


def _middle_half(most: int) -> tuple[IntArray, FloatArray]:
    """For 0 to `most` sorted repetitions: how many at either end are not averaged, and the variance of the
    average of the others in units of one's, (most + 1,) each.

    The variance is that under uniform noise; under Gaussian noise it is smaller. Order statistics i ≤ j of n
    uniform values have the covariance i (n + 1 − j) / ((n + 1)² (n + 2)) (David and Nagaraja 2003, Order
    Statistics, section 2.2), here times 12; this is its mean over all pairs of the k ranks from `first` on:
    Σ min(i, j) = k² first + (k − 1) k (2k − 1) / 6, and Σ i·j = (k (n + 1) / 2)².
    """
    count = np.arange(most + 1)
    cut = np.maximum((count - 1) // 4, np.where(count > 2, 1, 0)).clip(0)
    k = np.maximum(count - 2 * cut, 1)
    first, ends = cut + 1, count + 1
    variance = 12 * (first + (k - 1) * (2 * k - 1) / (6 * k) - ends / 4) / (ends * (ends + 1))
    return cut, np.where(count > 0, variance, 0.0)


def _weigh(ratios: _Ratios, quantile: float) -> tuple[FloatArray, FloatArray]:
    """Probabilities (K, 3) of the kinds; logarithm of the ratio of levels with its bounds, (K, 3)."""
    kernels = ratios.d.shape[1]
    if not len(ratios.points):
        return np.full((kernels, 3), np.nan), np.full((kernels, 3), np.nan)
    columns = change_columns(ratios.points)
    drift = drift_of(ratios.d, ratios.noise, ratios.known)
    unseen = 0.0 if ratios.repeated else UNSEEN_NOISE**2
    variance = point_variance(ratios.d, ratios.noise, ratios.known, columns, unseen)
    precision = ratios.known / variance
    deviation = np.where(ratios.known, ratios.d - drift.shift, 0.0)
    drifting = drift.shift_variance + drift.kernel_variance
    ones = np.ones((len(columns), 1))
    changed = np.sqrt(drifting + FACTOR_SCALE**2) * ones
    candidates = [np.sqrt(drifting) * ones, changed, np.column_stack([changed, columns])]
    evidence = np.stack([log_evidence(deviation, precision, each) for each in candidates], axis=1)
    evidence += np.log(PRIOR)
    weights = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    total = np.maximum(precision.sum(axis=0), 1e-200)
    level = (precision * ratios.d).sum(axis=0) / total
    half = quantile * np.sqrt(1.0 / total + drifting)
    return weights / weights.sum(axis=1, keepdims=True), np.stack([level, level - half, level + half], axis=1)


def _kinds(probabilities: FloatArray, enough: BoolArray) -> NDArray[np.str_]:
    changed = np.where(probabilities[:, 1] > probabilities[:, 2], KINDS[1], KINDS[2])
    kinds: NDArray[np.str_] = np.where(probabilities[:, 0] >= 0.5, KINDS[0], changed)
    return np.where(enough, kinds, "unknown")


def _ratio_of_models(old: Models, new: Models, target: FloatArray, level: float) -> FloatArray:
    """Logarithm of the ratio of two laws at the target, with its bounds, (K, 3)."""
    predicted, errors = [], []
    for models in (old, new):
        value = models.predict(target)[:, 0]
        value = np.where(np.isfinite(value) & (value > 0), value, np.nan)
        predicted.append(value)
        errors.append((models.interval(target, level)[1][:, 0] - value) / value)
    log_ratio = np.log(predicted[1]) - np.log(predicted[0])
    half = np.hypot(errors[0], errors[1])
    return np.stack([log_ratio, log_ratio - half, log_ratio + half], axis=1)
