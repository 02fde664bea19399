"""Joint draws of many kernels: their sum, and each kernel's share of it.

A kernel's value y at a point has a two-piece log-normal distribution. Its median is the prediction. Its 2.5 %
and 97.5 % quantiles are the ends of the 95 % interval:

    y = prediction · (upper / prediction)^(z / 1.96)   if z > 0,
    y = prediction · (prediction / lower)^(z / 1.96)   if z < 0.

The standard normal variables of different kernels are correlated, z = √ρ·c + √(1 − ρ)·e (a Gaussian copula
with one factor). In each draw, c is common to all kernels, and e belongs to one kernel. The draw's ρ comes
from its posterior (see `correlation`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.correlation import SharedDeviation
from modeling.engine.validation import BoolArray, FloatArray, IntArray

JOINT_DRAWS = 1024
"""Number of joint draws. The ends of an interval are then uncertain by 4 % of its half width."""

NUMBERS_AT_ONCE = 1_000_000
"""Largest number of elements of a temporary array."""

DRAWN_ALONE, DRAWN_IN_GROUPS = 2000, 500
"""Numbers of kernels drawn one by one for a sum (those with the widest intervals) and of groups of others."""

LEAST_LOWER_END = 1e-3
"""Smallest ratio of an interval's lower end to the prediction, because 0 has no logarithm."""

TAIL = 0.025
"""Probability below the lower end of an interval, and above the upper end."""

MOST_UNKNOWN = 0.05
"""Kernels of unknown growth are treated as constant if their share of the total is at most this. Otherwise
one small kernel could make the interval of the total useless.
"""

_END = 1.959963984540054
_NORMALS = 1 << 12
"""Number of quantiles of the normal distribution from which a kernel's own variable is drawn."""


def numbers(paths: Sequence[str]) -> IntArray:
    """Return a number for each of K call paths, (K,). Equal paths have equal draws in every database."""
    digests = b"".join(blake2b(path.encode(), digest_size=8).digest() for path in paths)
    return np.frombuffer(digests, "<i8").astype(np.int64)


@dataclass(frozen=True)
class Joint:
    """Predictions of K kernels at one point. If an end is NaN, draws on its side equal the prediction."""

    kernels: IntArray  # (K,) the `numbers` of the kernels
    predicted: FloatArray  # (K,) predictions, NaN if unknown
    lower: FloatArray  # (K,) lower ends of the 95 % intervals
    upper: FloatArray  # (K,) upper ends of the 95 % intervals
    shared: SharedDeviation  # statistics for the correlation of kernels

    def part(self, rows: IntArray) -> "Joint":
        """Return these kernels."""
        return Joint(
            self.kernels[rows], self.predicted[rows], self.lower[rows], self.upper[rows], self.shared
        )

    def with_constant(self, unknown: BoolArray) -> "Joint":
        """Treat `unknown` kernels (K,) as constant if their share of the total is at most `MOST_UNKNOWN`."""
        held = np.nansum(self.predicted[unknown])
        if unknown.all() or held > MOST_UNKNOWN * np.nansum(self.predicted):
            return self
        lower, upper = (np.where(unknown, self.predicted, end) for end in (self.lower, self.upper))
        return replace(self, lower=lower, upper=upper)

    def draws(self) -> FloatArray:
        """Return joint draws of K kernels, (K, JOINT_DRAWS); 0 for kernels without a prediction."""
        return _two_piece(self.predicted, self.lower, self.upper, self._chance())

    def portions(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the indices and draws of some kernels at a time, to limit memory."""
        step = max(1, NUMBERS_AT_ONCE // JOINT_DRAWS)
        rows = np.arange(len(self.kernels))
        for some in np.split(rows, range(step, len(rows), step)):
            yield some, self.part(some).draws()

    @cached_property
    def sums(self) -> FloatArray:
        """Draws of the sum of the kernels, (JOINT_DRAWS,)."""
        portions = self._condensed().portions()
        return np.asarray(sum((draws.sum(axis=0) for _, draws in portions), np.zeros(JOINT_DRAWS)))

    @property
    def total(self) -> tuple[float, float, float]:
        """Sum of the predictions, and the lower and upper end of its 95 % interval; NaN if unknown."""
        known = np.flatnonzero(~np.isnan(self.predicted))
        if not len(known):
            return np.nan, np.nan, np.nan
        middle = float(self.predicted[known].sum())
        if len(known) == 1:
            return middle, float(self.lower[known[0]]), float(self.upper[known[0]])
        if np.isnan(self.lower[known]).all() and np.isnan(self.upper[known]).all():
            return middle, np.nan, np.nan
        lower, upper = np.quantile(self.sums, [TAIL, 1 - TAIL]).tolist()
        return middle, max(min(lower, middle), 0.0), max(upper, middle)

    def shares(self, program: "Joint", counted: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper ends of the 95 % intervals of K kernels' shares, (K,) each.

        Args:
            program: the kernels whose sum is the whole.
            counted: (K,) whether each kernel is also in `program`. Others are parts of kernels in `program`.
        """
        ends = np.full((2, len(self.kernels)), np.nan)
        whole = np.nansum(program.predicted)
        if not whole > 0:
            return ends[0], ends[1]
        beside = np.maximum(1 - np.nan_to_num(self.predicted) / whole, 0.0)
        for some, draws in self.portions():
            nested = draws + beside[some, None] * program.sums
            with np.errstate(divide="ignore", invalid="ignore"):
                ends[:, some] = _ends(draws / np.where(counted[some, None], program.sums, nested))
        ends[:, np.isnan(self.predicted)] = np.nan
        return ends[0], ends[1]

    def _condensed(self) -> "Joint":
        """Return fewer kernels with nearly the same sum: those with narrow intervals are merged."""
        middle = np.nan_to_num(self.predicted)
        low, high = (np.where(np.isnan(end), middle, end) for end in (self.lower, self.upper))
        if len(middle) <= DRAWN_ALONE + DRAWN_IN_GROUPS:
            return self
        order = np.argsort(low - high, kind="stable")
        begins = np.concatenate(
            [
                np.arange(DRAWN_ALONE),
                np.linspace(DRAWN_ALONE, len(order), DRAWN_IN_GROUPS, endpoint=False).astype(int),
            ]
        )
        middle, low, high = (np.add.reduceat(column[order], begins) for column in (middle, low, high))
        return Joint(self.kernels[order][begins], middle, low, high, self.shared)

    def _chance(self) -> FloatArray:
        """Return the normal variables z of the module's docstring, (kernels, draws)."""
        common, correlation = _common(), _shuffled(self.shared)
        return np.asarray(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * _own(self.kernels))


def _two_piece(predicted: FloatArray, lower: FloatArray, upper: FloatArray, chance: FloatArray) -> FloatArray:
    """Turn the normal variables z in `chance` into draws of values. For predictions up to 0, these are
    two-piece normal.
    """
    middle = np.nan_to_num(predicted)
    low = np.minimum(np.where(np.isnan(lower), middle, lower), middle)
    high = np.maximum(np.where(np.isnan(upper), middle, upper), middle)
    base = np.where(middle > 0, middle, 1.0)
    ratios = (base / np.clip(low, LEAST_LOWER_END * base, base), np.maximum(high, base) / base)
    down, up = (np.log(ratio)[:, None] / _END for ratio in ratios)
    above = chance > 0
    with np.errstate(over="ignore"):
        found = base[:, None] * np.exp(np.where(above, up, down) * chance)
    flat = middle <= 0
    if flat.any():
        halves = np.where(above[flat], (high - middle)[flat, None], (middle - low)[flat, None])
        found[flat] = middle[flat, None] + halves * chance[flat] / _END
    return found


def _ends(draws: FloatArray) -> FloatArray:
    """Return the ends of the 95 % intervals of each kernel's draws."""
    places = (np.array([TAIL, 1 - TAIL]) * draws.shape[1]).astype(int)
    return np.asarray(np.partition(draws, places, axis=1)[:, places].T)


@cache
def _quantiles(count: int) -> FloatArray:
    """Return `count` evenly spread quantiles of the standard normal distribution."""
    from scipy.special import ndtri  # noqa: PLC0415 -- a sixth of a web process's start-up time

    return np.asarray(ndtri((np.arange(count) + 0.5) / count))


@cache
def _common() -> FloatArray:
    """Return the common variable c of each draw."""
    return np.asarray(np.random.default_rng(1).permutation(_quantiles(JOINT_DRAWS)))


def _shuffled(shared: SharedDeviation) -> FloatArray:
    """Return the correlation ρ of each draw."""
    return np.asarray(np.random.default_rng(2).permutation(shared.draws(JOINT_DRAWS)))


def _own(kernels: NDArray[np.integer]) -> FloatArray:
    """Return each kernel's own variable e in each draw: a hash (SplitMix64; Steele, Lea and Flood 2014)."""
    mixed = kernels.astype(np.uint64)[:, None] << np.uint64(20) | np.arange(JOINT_DRAWS, dtype=np.uint64)
    mixed = mixed * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return _quantiles(_NORMALS)[(mixed >> np.uint64(52)).astype(np.intp)]
