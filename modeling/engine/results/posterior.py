"""Draws from the posterior of each kernel's law, for predictions and intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modeling.engine.deviations.deviation import Deviation, floors, join_deviations
from modeling.engine.deviations.trend import Trend, join_trends
from modeling.engine.joining import in_turn, put_together
from modeling.engine.laws.terms import evaluate
from modeling.engine.results.medians import middle_place
from modeling.engine.validation import BoolArray, FloatArray, IntArray

SHAPES = ("uniform", "normal", "log-normal", "one-sided", "heavy-tailed", "deviating")
"""Names of the families of noise. The last one is the log-normal noise of kernels that deviate from their
laws. Stored posteriors contain indices of this tuple, so its order must not change.
"""

ONE_SIDED = SHAPES.index("one-sided")
DEVIATING = SHAPES.index("deviating")

INDEPENDENT_DRAWS = 64
"""Effective number of independent draws, which is smaller than S after resampling."""

TAIL = 0.025
"""At least this share of draws lies below a prediction. So predictions are inside the 95 % interval."""

LEAST_DRAW = 1e-12
"""Lower limit of the ratio of a draw to the largest draw, in the weights of `nearest`."""

LEAST_OF_LIMIT = 0.02
"""Smallest value of a law that rises towards a limit, as a share of the limit."""

STEEPEST_BELOW = 2.0
"""Laws that rise towards a limit continue below the measured values as powers of at most this exponent."""

_RUN_QUANTILES = (np.arange(15) + 0.5) / 15


_OF_DRAWS = ("law", "coefficients", "family", "level")
_OF_KERNELS = ("exponents", "probability", *_OF_DRAWS)


@dataclass(frozen=True)
class Posterior:
    """S equally likely draws of K kernels, from H laws with T terms of m parameters, and their noise."""

    exponents: FloatArray  # (K, H, T, m, 2) of the most probable laws, that of the formula first
    probability: FloatArray  # (K, H) probabilities of these laws
    law: IntArray  # (K, S) index of each draw's law
    coefficients: FloatArray  # (K, S, T + 1) of each draw, the constant first
    family: IntArray  # (K, S) index in `SHAPES` of each draw's family of noise
    level: FloatArray  # (K, S) scale of each draw's noise
    deviation: Deviation | None = None  # deviations from laws; None if no kernel deviates
    trend: Trend | None = None  # growth beyond the largest values; None without trends

    def part(self, kernels: IntArray) -> "Posterior":
        """Return only these kernels."""
        return Posterior(
            **{name: getattr(self, name)[kernels] for name in _OF_KERNELS},
            deviation=None if self.deviation is None else self.deviation.part(kernels),
            trend=None if self.trend is None else self.trend.part(kernels),
        )

    def every(self, step: int) -> "Posterior":
        """Return every `step`-th draw."""
        deviation = self.deviation
        if deviation is not None:
            deviation = replace(deviation, process=deviation.process[:, ::step])
        of_draws = {name: getattr(self, name)[:, ::step] for name in _OF_DRAWS}
        return replace(self, **of_draws, deviation=deviation)

    def values(self, points: FloatArray) -> FloatArray:
        """Return the draws of laws, deviations and trends at Q points (Q, m), as (K, S, Q)."""
        values = self._deviating(points)
        return values if self.trend is None else values * self.trend.drawn(points, values.shape[1])

    def _deviating(self, points: FloatArray) -> FloatArray:
        """Return the values of the draws' laws with their deviations."""
        values = self.laws(points)
        if self.deviation is None:
            return values
        for kernels, measured in self.deviation.groups():
            group = self.part(kernels)
            laws = group.laws(np.exp(measured))
            least = floors(laws)
            with np.errstate(divide="ignore"):
                logarithms = np.log(np.maximum(laws, least))
            # Along a parameter with a single measured value, deviations are assumed to be constant.
            at = np.where(np.ptp(measured, axis=0) > 0, np.log(points), measured[:1])
            factors = self.deviation.factors(kernels, measured, logarithms, at)
            own = group._continued_below(points, np.exp(measured), values[kernels])
            values[kernels] = np.maximum(own, least) * factors
        return values

    def _continued_below(self, points: FloatArray, measured: FloatArray, values: FloatArray) -> FloatArray:
        """Replace laws that rise towards a limit by powers, below all measured values of one parameter."""
        rises = np.asarray((self.coefficients[:, :, 1:] < 0).any(axis=2))
        smallest = measured.min(axis=0, keepdims=True)
        below = points < smallest
        if not (rises.any() and below.any()):
            return values
        begin, next_ = np.moveaxis(self.laws(np.concatenate([smallest, 1.01 * smallest])), 2, 0)[..., None]
        slope = np.minimum(np.log(next_ / begin) / np.log(1.01), STEEPEST_BELOW)
        continued = begin * (points[:, 0] / smallest[0, 0]) ** slope
        return np.where(rises[..., None] & below[:, 0], continued, values)

    @property
    def deviates(self) -> BoolArray | None:
        """Whether each kernel deviates from its law, (K,); None if no kernel does."""
        return None if self.deviation is None else self.deviation.there

    def laws(self, points: FloatArray) -> FloatArray:
        """Return the draws of laws at Q points (Q, m), without deviations and trends, as (K, S, Q)."""
        # Most kernels have a single law, and only as many are evaluated as a kernel's draws have.
        counts = self.law.max(axis=1, initial=0).astype(int) + 1
        drawn = np.arange(self.exponents.shape[1]) < counts[:, None]
        terms = evaluate(np.asarray(self.exponents[drawn], dtype=float), points)
        chosen = terms[(np.cumsum(counts) - counts)[:, None] + self.law]
        values = np.einsum("kst,kstq->ksq", self.coefficients[:, :, 1:], chosen)
        values += self.coefficients[:, :, :1]
        if (self.coefficients[:, :, 1:] < 0).any():
            # Far below the measured values, laws that rise towards their constant would be negative.
            values = np.maximum(values, LEAST_OF_LIMIT * self.coefficients[:, :, :1])
        return np.asarray(values)

    def with_runs(self, points: FloatArray) -> FloatArray:
        """Return the values of S draws at Q points (Q, m), and after them new repetitions: each draw with 15
        quantiles of noise, (K, S · 16, Q).
        """
        values = self.values(points)
        runs = values[:, :, None] * self._scatter[..., None]
        return np.concatenate([values, runs.reshape(len(runs), -1, runs.shape[3])], axis=1)

    @cached_property
    def _scatter(self) -> FloatArray:
        """Quantiles of the ratios of repetitions to each draw."""
        return run_factors(self.family, self.level, _RUN_QUANTILES)

    def family_probability(self) -> FloatArray:
        """Return the probability of each family of noise for each kernel, (K, number of `SHAPES`)."""
        return np.stack([(self.family == number).mean(axis=1) for number in range(len(SHAPES))], axis=1)


def nearest(draws: FloatArray, plainly: BoolArray | None = None) -> FloatArray:
    """Return the values v, (K, Q), with the least mean of |v − y| / √y over S draws y (K, S, Q).

    They are medians of the draws of K kernels at Q points with the weights 1/√y, inside the 95 % interval.
    Kernels marked in `plainly` (K,) have plain medians.

    Without weights, a slightly more probable law may make the result a hundred times too large. With the
    weights 1/y, a law with five times smaller values would prevail even at a probability of 1/6.
    """
    ordered = np.sort(draws, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        weights = 1 / np.sqrt(np.maximum(ordered / ordered[:, -1:], LEAST_DRAW))
        if plainly is not None:
            weights[plainly] = 1.0
        place = middle_place(weights, axis=1)
    place = np.maximum(place, int(TAIL * ordered.shape[1]))
    return np.asarray(np.take_along_axis(ordered, place, axis=1)[:, 0])


def between(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return bounds (K, Q) that contain a new draw with the probability `level`, from draws (K, S, Q)."""
    ordered = np.sort(draws, axis=1)
    lower, upper = (_passed(ordered, share_of_draws((1 + side * level) / 2)) for side in (-1, 1))
    return lower, upper


def _passed(ordered: FloatArray, share: float) -> FloatArray:
    """Return the value below which the given share of the ordered draws lies."""
    last = ordered.shape[1] - 1
    place = float(np.clip(share * (last + 1) - 0.5, 0, last))
    below, above = ordered[:, int(place)], ordered[:, min(int(place) + 1, last)]
    return np.asarray(below + (place - int(place)) * (above - below))


def share_of_draws(probability: float) -> float:
    """Return the share of the draws below a bound, if a new draw lies below the bound with this probability.

    A new draw lies below the r-th of n independent draws with the probability r / (n + 1).
    """
    return ((INDEPENDENT_DRAWS + 1) * probability - 0.5) / INDEPENDENT_DRAWS


def join_posteriors(parts: Sequence[Posterior], places: Sequence[IntArray] | None = None) -> Posterior:
    """Join the posteriors of several groups of kernels.

    `places` are the indices of each group's kernels among all. Without them, the groups follow each other.
    """
    if places is None:
        places = in_turn([len(part.law) for part in parts])
    return Posterior(
        **{name: put_together([getattr(part, name) for part in parts], places) for name in _OF_KERNELS},
        deviation=join_deviations([part.deviation for part in parts], places),
        trend=join_trends([part.trend for part in parts], places),
    )


def run_factors(family: IntArray, level: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Return N quantiles of the ratio of a repetition to its law, (K, S, N). The median ratio is 1.

    Args:
        family: (K, S) index in `SHAPES` of the noise of S draws of K kernels.
        level: (K, S) scale of the noise.
        probabilities: (N,) probabilities of the quantiles.
    """
    return np.asarray(np.exp(log_run_factors(family, level, probabilities)))


def log_run_factors(family: IntArray, level: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Return the logarithms of `run_factors`."""
    from scipy.special import ndtri  # noqa: PLC0415 -- a sixth of a web process's start-up time

    normal = ndtri(probabilities)
    tail = np.minimum(probabilities, 1 - probabilities)
    heavy = -np.sign(probabilities - 0.5) * np.log(2 * tail)
    shapes: tuple[Callable[[FloatArray], FloatArray], ...] = (
        lambda scale: np.log(np.maximum(1 + scale * (probabilities - 0.5), 0.0)),
        lambda scale: np.log(np.maximum(1 + scale * normal, 0.0)),
        lambda scale: scale * normal,
        lambda scale: np.log((1 - scale * np.log1p(-probabilities)) / (1 + np.log(2) * scale)),
        lambda scale: scale * heavy,
        lambda scale: scale * normal,
    )
    found = np.empty((*level.shape, len(probabilities)))
    with np.errstate(divide="ignore"):  # a repetition with normal noise may be 0
        for number in np.flatnonzero(np.bincount(family.ravel(), minlength=len(shapes))):
            some = family == number
            found[some] = shapes[number](level[some][:, None])
    return found
