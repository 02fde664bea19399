"""Two campaigns held against each other: which kernels changed, and how."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.change_evidence import (
    FACTOR_SCALE,
    NUMBERS_AT_ONCE,
    PRIOR,
    Directions,
    directions,
    log_evidence,
    point_variance,
)
from modeling.engine.fitting import fit
from modeling.engine.log_ratios import LogRatios, common_places, log_ratios
from modeling.engine.models import Models
from modeling.engine.shared_change import Shared, Summary, shared, summary
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

KINDS = ("same", "factor", "law")

Measured = tuple[ArrayLike, ArrayLike]
"""Points (P, m) and values (K, P, R)."""

Fitted = Callable[[IntArray], tuple[Models, Models]]
"""Models of some kernels, by their numbers, before and after."""


@dataclass(frozen=True)
class Changes:
    """How K kernels differ after against before."""

    kind: NDArray[np.str_]  # (K,): "same", "factor" (same law, other constant), "law" or "unknown"
    ratio: FloatArray  # (K,) after / before at the target, NaN where it cannot be told
    ratio_interval: FloatArray  # (K, 2)
    probability: FloatArray  # (K,) that the kernel changed at all, NaN where unknown
    probabilities: FloatArray  # (K, 3) of same, factor, law


def compare(
    before: Measured,
    after: Measured,
    *,
    target: ArrayLike,
    level: float = 0.95,
    common: Shared | None = None,
    fitted: Fitted | None = None,
) -> Changes:
    """Tell per kernel whether the law changed, or its constant, or nothing that is not noise or drift.

    The verdict rests on the ratios of the values at the points that both campaigns have; see
    `change_evidence` for the statistics. Drift of the whole campaign, which no code caused, is taken out.
    The ratio at the target is that of the two fitted laws where the law changed, else that of the levels.

    Args:
        before, after: points (P, m) and values (K, P, R) of the same kernels; points may differ.
        target: (m,) where the ratio is wanted.
        level: of the ratio's interval.
        common: what `compare_common` found where these are some of the kernels; None: they are all.
        fitted: gives the laws of kernels, (n,) numbers, before and after; None: they are fitted here.

    Raises:
        ValueError: as `fit`; different numbers of kernels or parameters; a target or level out of range.
    """
    check_level(level)
    pair = _checked(before, after)
    wanted = check_evaluation_points(target, pair.old[0].shape[1])
    known = common or compare_common([(before, after)])
    plain = min(len(pair.old[0]), len(pair.new[0])) < FEWEST_COMMON_POINTS
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    parts = [_judged(ratios, pair, known, quantile, plain=plain) for ratios in pair.ratios()]
    probabilities, levels, enough = (np.concatenate(each) for each in zip(*parts, strict=True))
    kind = _kinds(probabilities, enough)
    by_models = np.flatnonzero(~np.isin(kind, KINDS[:2]))
    if len(by_models):
        laws = (fitted or pair.fitted)(by_models)
        levels[by_models] = _ratio_of_models(*laws, wanted, level)
    with np.errstate(over="ignore"):
        ratio = np.exp(levels)
    probabilities[~enough] = np.nan
    return Changes(kind, ratio[:, 0], ratio[:, 1:], 1.0 - probabilities[:, 0], probabilities)


def compare_common(parts: Iterable[tuple[Measured, Measured]]) -> Shared:
    """What all kernels of two campaigns share, given to `compare` with some of them at a time.

    Args:
        parts: measurements of some kernels before and after, as `compare` takes them; they are looked at one
            after the other, and all kernels have to come once. How they are divided makes no difference.

    Raises:
        ValueError: as `compare`.
    """
    found: list[Summary] = []
    for before, after in parts:
        pair = _checked(before, after)
        found += [summary(ratios, pair.directions) for ratios in pair.ratios()]
    return shared(found)


@dataclass(frozen=True)
class _Pair:
    """Measurements of the same kernels before and after."""

    old: tuple[FloatArray, FloatArray]
    new: tuple[FloatArray, FloatArray]
    places: IntArray  # (C, 2) where the common points stand before and after
    directions: Directions

    def ratios(self) -> Iterator[LogRatios]:
        """Log ratios of some kernels at a time, so that nothing temporary grows large."""
        kernels, rank = len(self.old[1]), self.directions.columns.shape[1] + 1
        repetitions = max(values.shape[2] for _, values in (self.old, self.new))
        step = max(1, NUMBERS_AT_ONCE // max(len(self.places) * repetitions, rank**2))
        for start in range(0, max(kernels, 1), step):
            some = slice(start, start + step)
            yield log_ratios(self.old[1][some][:, self.places[:, 0]], self.new[1][some][:, self.places[:, 1]])

    def fitted(self, some: IntArray) -> tuple[Models, Models]:
        """Laws of some kernels, fitted to each campaign."""
        before, after = (fit(points, values[some]) for points, values in (self.old, self.new))
        return before, after


def _checked(before: Measured, after: Measured) -> _Pair:
    pairs = []
    for measured, name in ((before, "before"), (after, "after")):
        points = check_points(measured[0], f"{name} points")
        pairs.append((points, check_values(measured[1], len(points), f"{name} values")))
    old, new = pairs
    if len(old[1]) != len(new[1]) or old[0].shape[1] != new[0].shape[1]:
        raise ValueError(
            f"after: found {len(new[1])} kernels and {new[0].shape[1]} parameters, "
            f"expected {len(old[1])} and {old[0].shape[1]} as before"
        )
    places = common_places(old[0], new[0])
    points = old[0][places[:, 0]]
    none = Directions(np.zeros((0, 1)), 0)
    return _Pair(old, new, places, directions(points) if len(points) else none)


def _judged(
    ratios: LogRatios, pair: _Pair, known: Shared, quantile: float, *, plain: bool
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Probabilities (K, 3) of the kinds, logarithm of the ratio of levels with its bounds (K, 3), and whether
    the kernels' points suffice for them, (K,).

    `plain`: no campaign has enough points for a law, so that levels alone are compared.
    """
    points = (ratios.known | ratios.nothing).sum(axis=0)
    enough = points > 0 if plain else points >= FEWEST_COMMON_POINTS
    probabilities, levels = _weigh(ratios, pair.directions, known, quantile)
    if plain:
        probabilities[:, 2] = 0.0
        probabilities /= probabilities.sum(axis=1, keepdims=True)
    idle = ratios.nothing.any(axis=0) & ~ratios.known.any(axis=0)
    probabilities[idle], levels[idle] = (1.0, 0.0, 0.0), np.nan
    return probabilities, levels, enough


def _weigh(
    ratios: LogRatios, around: Directions, known: Shared, quantile: float
) -> tuple[FloatArray, FloatArray]:
    """Probabilities (K, 3) of the kinds; logarithm of the ratio of levels with its bounds, (K, 3)."""
    points, kernels = ratios.d.shape
    if not points:
        return np.full((kernels, 3), np.nan), np.full((kernels, 3), np.nan)
    noises = [side.noise(typical).T for side, typical in zip(ratios.sides, known.noise, strict=True)]
    variance = point_variance(ratios.d, noises[0] + noises[1], ratios.known, around, known.unseen)
    precision = ratios.known / variance
    deviation = np.where(ratios.known, ratios.d - known.drift.shift, 0.0)
    drifting = known.drift.shift_variance + known.drift.kernel_variance
    ones = np.ones((points, 1))
    changed = np.sqrt(drifting + FACTOR_SCALE**2) * ones
    candidates = [np.sqrt(drifting) * ones, changed, np.column_stack([changed, around.columns])]
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
