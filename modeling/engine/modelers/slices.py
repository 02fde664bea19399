"""Iterative refinement of the exponents of one term (Reisert et al. 2017, sections 3.2 and 3.3).

The exponents (α, β) of a term x^α·log2^β(x) are searched along slices: lines in the (α, β) plane, on which a
single number e varies. The number e starts as an integer and is refined by mediants, (n1 + n2) / (d1 + d2).
So it remains a simple fraction. Fractions are integer arrays of numerators and denominators.
"""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.modelers.leastsquares import reciprocal, smape
from modeling.engine.validation import BoolArray, FloatArray, IntArray

ACCEPTANCE = 1.5
"""Factor by which a finer exponent must reduce the SMAPE of the last accepted one. The paper says "per
iteration". So the factor does not grow after rejected iterations.
"""

TERMINATION = 2.0
"""The search ends if an iteration divides no slice's SMAPE by at least this factor."""

MOST_ITERATIONS = 10
"""The largest number of iterations (not in the paper), which limits denominators of exponents to 144. Values
without noise could be refined forever.
"""

EXACT_SMAPE = 1e-13
"""A fit with a smaller SMAPE is treated as exact up to rounding (not in the paper)."""


@dataclass(frozen=True)
class Slice:
    """A slice: exponents (α, β) = origin + direction · e. The integers e = 0..largest are tried first."""

    origin: tuple[float, float]
    direction: tuple[float, float]
    largest: int

    def pairs(self, fractions: IntArray) -> FloatArray:
        """Return the exponents of K kernels, (K, 2), at fractions e, (2, K)."""
        numerator, denominator = fractions
        return np.asarray(self.origin + (numerator / denominator)[:, None] * self.direction)


POWER_SLICE = Slice((0.0, 0.0), (1.0, 0.0), 5)
GROWING_SLICES = (
    POWER_SLICE,
    Slice((0.0, 1.0), (1.0, 0.0), 5),
    Slice((0.0, 2.0), (1.0, 0.0), 5),
    Slice((0.0, 0.0), (0.0, 1.0), 2),
)
"""The four slices of the paper, within 0 ≤ α < 6 and 0 ≤ β < 3."""

FALLING_SLICES = (Slice((0.0, 0.0), (-1.0, 0.0), 5),)
"""The mirror image of the first slice, for series that fall (not in the paper)."""


@dataclass(frozen=True)
class Series:
    """X values of K kernels, `y` (X, K), at a parameter's values `x` (X,). `y` is 0 where the 0/1 weights
    `w`, (X, K) or (X, 1), are 0.
    """

    x: FloatArray
    y: FloatArray
    w: FloatArray

    def part(self, kernels: IntArray) -> "Series":
        """Return the series of the given kernels only."""
        w = self.w if self.w.shape[1] == 1 else self.w[:, kernels]
        return Series(self.x, self.y[:, kernels], w)


@dataclass(frozen=True)
class Search:
    """The state of the search along a slice for K kernels.

    Attributes:
        low: the lower bound as a fraction, (2, K).
        best: the best fraction, (2, K).
        high: the upper bound as a fraction, (2, K).
        rss: the residual sum of squares of the law with the best fraction, (K,).
        smape: the SMAPE of this law, (K,).
    """

    low: IntArray
    best: IntArray
    high: IntArray
    rss: FloatArray
    smape: FloatArray

    def part(self, kernels: BoolArray) -> "Search":
        """Return the search for the given kernels only."""
        return Search(*(getattr(self, field.name)[..., kernels] for field in fields(Search)))


def refine(series: Series, slices: tuple[Slice, ...], iterations: int) -> tuple[FloatArray, FloatArray]:
    """Return the exponents of the best term of K kernels, (K, 2), and the SMAPE of its law, (K,). The SMAPE
    is infinite if there is no term. In each iteration, the slice with the smallest residual sum of squares
    gives the candidate.
    """
    searches = [start(series, each) for each in slices]
    pairs, error = _candidates(slices, searches)
    running = np.arange(len(error))
    for _ in range(iterations):
        before, searches = searches, [step(series, *each) for each in zip(slices, searches, strict=True)]
        finer, finer_error = _candidates(slices, searches)
        accepted = _divided(error[running], finer_error, ACCEPTANCE)
        pairs[running[accepted]], error[running[accepted]] = finer[accepted], finer_error[accepted]
        improved = np.any(
            [_divided(old.smape, new.smape, TERMINATION) for old, new in zip(before, searches, strict=True)],
            axis=0,
        )
        running, series = running[improved], series.part(np.flatnonzero(improved))
        searches = [search.part(improved) for search in searches]
        if not len(running):
            break
    return pairs, error


def start(series: Series, own: Slice) -> Search:
    """Step 1 of the paper: find the best integer, with its predecessor and its successor as bounds."""
    ones = np.ones(series.y.shape[1], dtype=int)
    integers = range(own.largest + 1)
    rss, error = np.stack([_errors(series, own.pairs(np.stack([e * ones, ones]))) for e in integers], axis=1)
    best = np.argmin(rss, axis=0)
    kernels = np.arange(len(best))
    return Search(
        low=np.stack([np.maximum(best - 1, 0), ones]),
        best=np.stack([best, ones]),
        high=np.stack([best + 1, ones]),
        rss=rss[best, kernels],
        smape=error[best, kernels],
    )


def step(series: Series, own: Slice, search: Search) -> Search:
    """Step 2 of the paper: try the mediants towards both bounds. If no mediant is better than the best
    fraction, the mediants become the bounds.
    """
    lower, upper = search.low + search.best, search.best + search.high
    so_far = np.stack([search.rss, search.smape])
    mediants = (_errors(series, own.pairs(fractions)) for fractions in (lower, upper))
    rss, error = np.stack([so_far, *mediants], axis=1)
    winner = np.argmin(rss, axis=0)  # in a tie the best fraction so far is kept
    kernels = np.arange(len(winner))
    is_lower, is_upper = winner == 1, winner == 2
    return Search(
        low=np.where(is_lower, search.low, np.where(is_upper, search.best, lower)),
        best=np.where(is_lower, lower, np.where(is_upper, upper, search.best)),
        high=np.where(is_lower, search.best, np.where(is_upper, search.high, upper)),
        rss=rss[winner, kernels],
        smape=error[winner, kernels],
    )


def constant_smape(series: Series) -> FloatArray:
    """Return the SMAPE of the mean for K kernels, (K,)."""
    mean = series.y.sum(axis=0) / series.w.sum(axis=0)
    return np.asarray(smape((series.y - mean) * series.w, series.y) / series.w.sum(axis=0))


def _divided(before: FloatArray, after: FloatArray, factor: float) -> BoolArray:
    """Return whether errors became smaller by at least a factor, apart from rounding."""
    return np.asarray((before > EXACT_SMAPE) & (after < before) & (factor * after <= before))


def _candidates(slices: tuple[Slice, ...], searches: list[Search]) -> tuple[FloatArray, FloatArray]:
    """Return the exponents and the SMAPE of each kernel's best fraction on its best slice."""
    which = np.argmin([search.rss for search in searches], axis=0)
    kernels = np.arange(len(which))
    pairs = np.stack([own.pairs(search.best) for own, search in zip(slices, searches, strict=True)])
    return pairs[which, kernels], np.stack([search.smape for search in searches])[which, kernels]


def _errors(series: Series, pairs: FloatArray) -> FloatArray:
    """Return the residual sum of squares and the SMAPE of laws. Both are infinite for refused laws."""
    y, w = series.y, series.w
    count = w.sum(axis=0)
    mean = y.sum(axis=0) / count
    term = _terms(pairs, series.x) * w
    centred = (term - term.sum(axis=0) / count) * w
    slope = (centred * y).sum(axis=0) * reciprocal((centred**2).sum(axis=0))
    residual = (y - mean) * w - slope * centred
    sinks = (pairs[:, 0] < 0) & (
        mean < slope * term.sum(axis=0) / count
    )  # the term falls, so a negative constant would dominate far from the data
    through_zero = (term * y).sum(axis=0) * reciprocal((term**2).sum(axis=0))
    residual = np.where(sinks, y - through_zero * term, residual)
    return np.where(slope <= 0, np.inf, [(residual**2).sum(axis=0), smape(residual, y) / count])


def _terms(pairs: FloatArray, x: FloatArray) -> FloatArray:
    """Return the values of terms, divided by their largest power and logarithm to avoid overflow."""
    i, j = pairs.T
    power = (x[:, None] / np.where(i < 0, x.min(), x.max())) ** i
    if not j.any():
        return np.asarray(power)
    log = np.log2(x)
    return np.asarray(power * (log / log.max())[:, None] ** j)
