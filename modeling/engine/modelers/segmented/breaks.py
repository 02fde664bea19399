"""Find the values of a parameter at which the behaviour of a kernel changes, for example by an algorithm
switch.

The method is exact Bayesian inference of change points (Fearnhead 2006, Statistics and Computing 16). Every
segment has its own law, constant + coefficient · term. The evidence of such a law has a closed form. Sums
over all ways to cut the values give the probability of each number of segments. A single segment may have a
law of two terms.

Points differ from their law by the noise of repetitions and by an independent deviation. All segments of a
series have deviations of the same size, or each segment has a size of its own, with equal prior
probabilities. Message times, for example, scatter where protocols change, and are straight lines beyond.
Sizes are integrated out, so series that fluctuate everywhere are not cut. For speed, neighbouring values
of long series are merged into cells, and a segment consists of whole cells.
"""

from dataclasses import dataclass
from math import comb, log

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.segmented.range_laws import (
    SEGMENT_CLASSES,
    RangeLaws,
    Ranges,
    one_term,
    towards_a_limit,
    two_terms,
    whole,
)
from modeling.engine.validation import FloatArray, IntArray

SHORTEST_SEGMENT = 3
"""The smallest number of values of a segment. With two values, every law would fit."""

MOST_SEGMENTS = 12
"""The largest number of segments of a series. A series with more breaks follows no law."""

MOST_VALUES = 200
"""The number of values above which the values of a series are merged into cells. Memory grows with the
square, and time with the cube, of the number of cells.
"""

FIRST_CELLS = 80
"""The number of cells into which the values of a long series are merged at first."""

CELLS_AROUND_BREAKS = 60
"""The number of cells into which the values near all breaks are divided to locate the breaks."""

REFINEMENTS = 2
"""The number of times that the cells near breaks are divided. Two divisions reach single values for one break
in up to 10,000 values, or two breaks in up to 4,000.
"""

BREAK_PRIOR = 0.1
"""Prior probability of each further break. With five repetitions, series of one law with noise of 2 to 75 %
are called segmented in 0.2 % of the cases. Breaks at which values double are found in 99 %.
"""

TWO_TERMS_PRIOR = 0.2
"""Prior probability that the law of a single segment has two terms."""

LIMIT_PRIOR = 0.05
"""Prior probability that the law of a single segment rises towards a limit, as in `exact.SATURATES`."""

DEVIATIONS = 0.003 * 3.0 ** np.arange(6)
"""The possible sizes of the relative deviation of points from a law. Smaller changes do not matter. With
larger deviations, no law holds.
"""

DEVIATION_POWER = 1.5
"""Power n of the prior ∝ size^−n of the deviation's size, if there are repetitions. Otherwise all sizes are
equally likely. With a larger power more breaks are found. With a smaller power, large deviations hide breaks.
"""

LEAST_GAIN = 5.0
"""To save time, breaks are weighed only if the log likelihood increases by more than this for each break."""

NUMBERS_AT_ONCE = 100_000
"""The largest number of elements of one temporary array."""


@dataclass(frozen=True)
class Breaks:
    """The most probable ways to cut K series of values into 1, 2, … G segments.

    Attributes:
        probability: the probability of each number of segments, (G, K).
        starts: the index of the value at which segment s of g + 1 segments begins, `starts[g, s]`, (G, G, K).
    """

    probability: FloatArray
    starts: IntArray

    def best_starts(self, kernel: int) -> IntArray:
        """Return the indices at which the second and later segments of one series begin, for the most
        probable number of segments.
        """
        number = int(self.probability[:, kernel].argmax())
        return np.asarray(self.starts[number, 1 : number + 1, kernel])

    def put(self, kernel: int, other: "Breaks") -> None:
        """Replace the breaks of one series by those of the only series in `other`, for as many segments as
        both allow.
        """
        most = min(len(self.probability), len(other.probability))
        self.probability[:, kernel], self.starts[:, :, kernel] = 0, 0
        self.probability[:most, kernel] = other.probability[:most, 0]
        self.starts[:most, :most, kernel] = other.starts[:most, :most, 0]


def find_breaks(x: FloatArray, y: FloatArray, variance: FloatArray) -> Breaks:
    """Find the breaks of K positive series `y` (X, K) over X ascending values. X is at least 2 ·
    `SHORTEST_SEGMENT`. `variance` (K,) is the relative variance due to noise, or 0 without repetitions.
    """
    basis, cells = Basis(x[:, None]), _cells(len(x))
    one_law = _OneLaw.of(basis)
    breaks = _between(one_law, _Ranges.of(basis, cells), y, variance)
    for kernel in np.flatnonzero(breaks.probability[0] < 0.5).tolist():
        finer = cells
        for _ in range(REFINEMENTS):
            finer = _finer(finer, breaks.best_starts(kernel), len(x))
            if not len(finer):
                break
            part = _between(one_law, _Ranges.of(basis, finer), y[:, [kernel]], variance[[kernel]])
            breaks.put(kernel, part)
    return breaks


def _between(one_law: "_OneLaw", ranges: "_Ranges", y: FloatArray, variance: FloatArray) -> Breaks:
    """Find the breaks of series. Breaks may only be at the first values of cells."""
    most = _most_segments(ranges.count)
    breaks = Breaks(np.zeros((most, y.shape[1])), np.zeros((most, most, y.shape[1]), int))
    breaks.probability[0] = 1
    for some in _portions(_suspects(y, variance, one_law, ranges), ranges.laws.size):
        scales = _scales(variance[some])
        table = ranges.table(y[:, some], scales)
        table[0, ranges.count] = one_law.evidence(y[:, some], scales)
        part = _cut(table, _log_sizes(variance[some]))
        breaks.probability[:, some] = part.probability
        breaks.starts[:, :, some] = ranges.laws.ranges.begins[part.starts]
    return breaks


def _suspects(y: FloatArray, variance: FloatArray, one_law: "_OneLaw", ranges: "_Ranges") -> IntArray:
    """Return the indices of the series that segments fit much better than one law does."""
    least = _scales(variance)[0]
    suspects = np.arange(y.shape[1])
    misfit = np.full(len(suspects), np.inf)
    for laws, _ in one_law.kinds:
        for some in _portions(suspects, laws.size):
            misfit[some] = np.fmin(misfit[some], laws.misfit(y[:, some], least[some])[0])
        suspects = suspects[misfit[suspects] > len(y) * least[suspects]]
    gain = [
        _gain(misfit[some], ranges.misfits(y[:, some], least[some]), least[some], len(y))
        for some in _portions(suspects, ranges.laws.size)
    ]
    return suspects[np.concatenate(gain) > LEAST_GAIN] if gain else suspects


def _gain(whole: FloatArray, segments: FloatArray, least: FloatArray, count: int) -> FloatArray:
    """Return the largest increase of the log likelihood per break, for any number of breaks."""

    def log_likelihood(misfit: FloatArray) -> FloatArray:
        scale = np.maximum(misfit / count, least)
        return np.asarray(-count / 2 * np.log(scale) - misfit / scale / 2)

    breaks = np.arange(1, len(segments) + 1)[:, None]
    return np.asarray(((log_likelihood(segments) - log_likelihood(whole)) / breaks).max(axis=0))


def _portions(kernels: IntArray, size: int) -> list[IntArray]:
    """Split the kernels into portions, so that arrays with `size` elements for each kernel stay small."""
    step = max(1, NUMBERS_AT_ONCE // max(size, 1))
    return np.split(kernels, range(step, len(kernels), step)) if len(kernels) else []


def _most_segments(count: int) -> int:
    return min(count // SHORTEST_SEGMENT, MOST_SEGMENTS)


def _cells(count: int) -> IntArray:
    """Return the indices of the first values of the cells into which `count` values are merged."""
    cells = count if count <= MOST_VALUES else FIRST_CELLS
    return np.arange(cells) * count // cells


def _finer(cells: IntArray, starts: IntArray, count: int) -> IntArray:
    """Return cells that are narrower near the starts of segments. The result is empty if the cells there
    are single values already.
    """
    place = np.searchsorted(cells, starts)
    ends = np.append(cells, count)
    begin, end = ends[np.maximum(place - 2, 0)], ends[np.minimum(place + 2, len(cells))]
    if (end - begin <= 4).all():
        return cells[:0]
    parts = np.minimum(end - begin, CELLS_AROUND_BREAKS // len(starts))
    near = [
        first + np.arange(number) * (last - first) // number
        for first, last, number in zip(begin, end, parts, strict=True)
    ]
    return np.unique(np.concatenate([cells[::2], *near]))


@dataclass(frozen=True)
class _Ranges:
    """Laws on all ranges of cells that may be a segment. `count` is the number of all cells."""

    count: int
    laws: RangeLaws

    @classmethod
    def of(cls, basis: Basis, begins: IntArray) -> "_Ranges":
        """Fit laws of one term on all ranges of cells. `begins` has the index of each cell's first value."""
        return cls(len(begins), one_term(basis, SEGMENT_CLASSES, Ranges(begins, SHORTEST_SEGMENT)))

    def table(self, y: FloatArray, scales: FloatArray) -> FloatArray:
        """Return the log evidence of the cells from i to j − 1 at [i, j], for each size of deviations and
        each series. It is −∞ if the cells are too few for a segment.
        """
        table = np.full((self.count + 1, self.count + 1, *scales.shape), -np.inf)
        of_range = np.logaddexp.reduce(self.laws.evidence(self.laws.fit(y), scales), axis=2)
        table[self.laws.ranges.bounds] = of_range.swapaxes(0, 1)
        return table

    def misfits(self, y: FloatArray, variance: FloatArray) -> FloatArray:
        """Return the least sums of squares of all segments together with 1, 2, … breaks."""
        table = np.full((self.count + 1, self.count + 1, y.shape[1]), np.inf)
        table[self.laws.ranges.bounds] = self.laws.misfit(y, variance)
        return _sums(table, np.minimum)[1:, self.count]


@dataclass(frozen=True)
class _OneLaw:
    """Laws of one term and laws of two terms for all values, each kind with its log prior."""

    kinds: list[tuple[RangeLaws, float]]

    @classmethod
    def of(cls, basis: Basis) -> "_OneLaw":
        """Fit laws with one term of any class, laws with two terms of some classes, and laws that rise
        towards a limit.
        """
        one = one_term(basis, np.arange(1, len(PAIRS)), whole())
        kinds = [
            (one, np.log(1 - TWO_TERMS_PRIOR - LIMIT_PRIOR)),
            (two_terms(basis), np.log(TWO_TERMS_PRIOR)),
            (towards_a_limit(basis), np.log(LIMIT_PRIOR)),
        ]
        return cls([(laws, log_prior) for laws, log_prior in kinds if laws.size])

    def evidence(self, y: FloatArray, scales: FloatArray) -> FloatArray:
        """Return the log evidence for these variances, summed over all laws."""
        found = [
            np.logaddexp.reduce(laws.evidence(laws.fit(y), scales)[:, 0], axis=1) + log_prior
            for laws, log_prior in self.kinds
        ]
        return np.asarray(np.logaddexp.reduce(found, axis=0))


def _log_sizes(variance: FloatArray) -> FloatArray:
    """Return the log prior probabilities of the sizes of deviations, (D, K), for K series."""
    log_prior = np.where(variance > 0, -DEVIATION_POWER * np.log(DEVIATIONS)[:, None], 0.0)
    return np.asarray(log_prior - np.logaddexp.reduce(log_prior, axis=0))


def _cut(of_size: FloatArray, log_sizes: FloatArray) -> Breaks:
    """Return the breaks from the log evidence of ranges, (C + 1, C + 1, D, K), for each of D sizes of
    deviations with the log prior probabilities `log_sizes` (D, K). All ways to cut the cells are summed.
    """
    of_any_size = np.logaddexp.reduce(of_size + log_sizes, axis=2, keepdims=True)
    table = np.concatenate([of_size, of_any_size], axis=2)
    forward = _sums(table, np.logaddexp)
    count, most = len(table) - 1, len(forward)
    whole = forward[:, count] + np.concatenate([log_sizes, np.zeros_like(log_sizes[:1])])
    breaks = np.arange(most)
    log_ways = [
        log(comb(count - (SHORTEST_SEGMENT - 1) * (number + 1) - 1, number)) for number in range(most)
    ]
    log_prior = breaks * np.log(BREAK_PRIOR) - log_ways
    total = np.logaddexp.reduce(whole, axis=1) + log_prior[:, None]
    probability = np.exp(total - np.logaddexp.reduce(total, axis=0))
    return Breaks(probability, _starts(table, forward, whole.argmax(axis=1)))


def _sums(table: FloatArray, over_ways: np.ufunc) -> FloatArray:
    """For each cell j, combine all ways to cut the cells before j into 1, 2, … ranges. The entries of one way
    are added, and `over_ways` reduces the sums.
    """
    count = len(table) - 1
    sums = np.full((_most_segments(count), *table.shape[1:]), table[0, 0])
    sums[0] = table[0]
    for number in range(1, len(sums)):
        sums[number] = over_ways.reduce(sums[number - 1][:, None] + table, axis=0)
    return sums


def _starts(table: FloatArray, forward: FloatArray, scale: IntArray) -> IntArray:
    """Return the cells at which the segments most probably begin (see `Breaks`)."""
    most, kernels = scale.shape
    starts = np.zeros((most, most, kernels), dtype=np.int64)
    kernel = np.arange(kernels)
    for number in range(1, most):
        end = np.full(kernels, len(table) - 1)
        for segment in range(number, 0, -1):
            before = forward[segment - 1][:, scale[number], kernel]
            end = (before + table[:, end, scale[number], kernel]).argmax(axis=0)
            starts[number, segment] = end
    return starts


def _scales(variance: FloatArray) -> FloatArray:
    """Return the possible variances of points: the noise plus the square of each deviation."""
    return np.asarray(variance + DEVIATIONS[:, None] ** 2)
