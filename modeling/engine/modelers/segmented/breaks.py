"""Find the values of a parameter at which the behaviour of a kernel changes, for example because of an
algorithm switch or a cache that overflows.

The method is that of exact Bayesian change points (Fearnhead 2006, Statistics and Computing 16). Every
segment, a range of values, has its own law, constant + coefficient · term. The evidence of such a law has a
closed form. Sums over all ways to cut the values into segments give the probability of each number of
segments. If there is only one segment, its law may have two terms.

Points differ from their law by the noise of their repetitions and by an independent deviation, whose size is
integrated out. Because of this deviation, series that fluctuate everywhere are not cut into segments.

For speed, neighbouring values of long series are merged into cells, and a segment consists of whole cells.
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
    two_terms,
    whole,
)
from modeling.engine.validation import FloatArray, IntArray

SHORTEST_SEGMENT = 3
"""The smallest number of values of a segment. With two values, every law would fit."""

MOST_SEGMENTS = 12
"""The largest number of segments of a series. A series with more breaks follows no law."""

MOST_VALUES = 200
"""The values of series with more values than this are merged into cells. Then a segment has at least
`SHORTEST_SEGMENT` cells. Memory grows with the square, and time with the cube, of the number of cells.
"""

FIRST_CELLS = 80
"""The number of cells into which the values of a long series are merged at first."""

CELLS_AROUND_BREAKS = 60
"""The number of cells, for all breaks together, into which the values near breaks are divided to locate the
breaks.
"""

REFINEMENTS = 2
"""The number of times that the cells near breaks are divided. After two divisions, each of these cells is a
single value if a series with one break has up to 10,000 values, with two breaks up to 4,000.
"""

BREAK_PRIOR = 0.1
"""Prior probability of each further break. With this value, series that follow one law with noise of 2 to 75
% are called segmented in 0.2 % of the cases, and breaks at which values double are found in 99 %. This holds
for five repetitions and the limit `modeler.SEGMENTED_PROBABILITY`.
"""

TWO_TERMS_PRIOR = 0.2
"""Prior probability that the law of a single segment has two terms."""

DEVIATIONS = 0.003 * 3.0 ** np.arange(6)
"""The possible sizes of the relative deviation of points from a law. Breaks that change values by less than
the smallest size do not matter. If points deviate by more than the largest size, no law holds.
"""

DEVIATION_POWER = 1.5
"""Power n of the prior ∝ size^−n of the deviation's size, if there are repetitions. Without repetitions the
deviation contains the noise, and all sizes are equally likely. With a larger power more breaks are found;
with a smaller power, large deviations hide breaks.
"""

LEAST_GAIN = 5.0
"""To save time, the evidence of breaks is computed only for series whose log likelihood increases by more
than this for each break (for the best number of breaks).
"""

NUMBERS_AT_ONCE = 100_000
"""The largest number of elements of one temporary array."""


@dataclass(frozen=True)
class Breaks:
    """The most probable ways to cut K series of X values into 1, 2, … G segments.

    `probability` (G, K) is the probability of each number of segments. With g + 1 segments, segment s begins
    at the value with the index `starts[g, s]`; `starts` is (G, G, K).
    """

    probability: FloatArray
    starts: IntArray

    def best_starts(self, kernel: int) -> IntArray:
        """Return the indices of the values at which the second and later segments of one series begin, for
        the most probable number of segments.
        """
        number = int(self.probability[:, kernel].argmax())
        return np.asarray(self.starts[number, 1 : number + 1, kernel])

    def put(self, kernel: int, other: "Breaks") -> None:
        """Replace the breaks of one series by those of the only series in `other`, as far as they fit these
        arrays.
        """
        most = min(len(self.probability), len(other.probability))
        self.probability[:, kernel], self.starts[:, :, kernel] = 0, 0
        self.probability[:most, kernel] = other.probability[:most, 0]
        self.starts[:most, :most, kernel] = other.starts[:most, :most, 0]


def find_breaks(x: FloatArray, y: FloatArray, variance: FloatArray) -> Breaks:
    """Find the breaks of positive series y (X, K) over ascending values x (X,).

    `variance` (K,) is the relative variance of the values due to noise, or 0 without repetitions. X must be
    at least 2 · `SHORTEST_SEGMENT`.
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
        part = _cut(table, variance[some])
        breaks.probability[:, some] = part.probability
        breaks.starts[:, :, some] = ranges.laws.ranges.begins[part.starts]
    return breaks


def _suspects(y: FloatArray, variance: FloatArray, one_law: "_OneLaw", ranges: "_Ranges") -> IntArray:
    """Return the indices of the series that may have breaks, because segments fit them much better than one
    law does.
    """
    least = _scales(variance)[0]
    suspects = np.arange(y.shape[1])
    misfit = np.full(len(suspects), np.inf)
    for laws, _ in one_law.kinds:
        for some in _portions(suspects, laws.size):
            misfit[some] = np.fmin(misfit[some], laws.misfit(y[:, some], least[some])[0])
        suspects = suspects[misfit[suspects] > len(y) * least[suspects]]
    worth = [
        _gain(misfit[some], ranges.misfits(y[:, some], least[some]), least[some], len(y)) > LEAST_GAIN
        for some in _portions(suspects, ranges.laws.size)
    ]
    return suspects[np.concatenate(worth)]


def _gain(whole: FloatArray, segments: FloatArray, least: FloatArray, count: int) -> FloatArray:
    """Return the increase of the log likelihood per break, (K,), for the number of breaks for which it is
    largest.

    The misfits are sums of squares: `whole` (K,) is that of one law, and `segments` (G - 1, K) are those with
    1, 2, … breaks. Each likelihood is that for the likeliest variance which is not below `least` (K,).
    """

    def log_likelihood(misfit: FloatArray) -> FloatArray:
        scale = np.maximum(misfit / count, least)
        return np.asarray(-count / 2 * np.log(scale) - misfit / scale / 2)

    breaks = np.arange(1, len(segments) + 1)[:, None]
    return np.asarray(((log_likelihood(segments) - log_likelihood(whole)) / breaks).max(axis=0))


def _portions(kernels: IntArray, size: int) -> list[IntArray]:
    """Split the kernels into portions, so that arrays with `size` elements for each kernel stay small."""
    step = max(1, NUMBERS_AT_ONCE // max(size, 1))
    return np.split(kernels, range(step, len(kernels), step))


def _most_segments(count: int) -> int:
    return min(count // SHORTEST_SEGMENT, MOST_SEGMENTS)


def _cells(count: int) -> IntArray:
    """Return the indices of the first values of the cells into which `count` values are merged."""
    cells = count if count <= MOST_VALUES else FIRST_CELLS
    return np.arange(cells) * count // cells


def _finer(cells: IntArray, starts: IntArray, count: int) -> IntArray:
    """Return cells that are narrower than `cells` near the beginnings of segments, and twice as wide
    elsewhere.

    The result is empty if the cells near the beginnings are already single values.
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
        """Fit laws of one term on all ranges of cells. The cells begin at the values with the indices
        `begins` (C,).
        """
        return cls(len(begins), one_term(basis, SEGMENT_CLASSES, Ranges(begins, SHORTEST_SEGMENT)))

    def table(self, y: FloatArray, scales: FloatArray) -> FloatArray:
        """Return the log evidence of each range, summed over its laws, (C + 1, C + 1, D, K). At [i, j] is
        that of the cells from i to j − 1, which is −∞ if they are too few for a segment.
        """
        table = np.full((self.count + 1, self.count + 1, *scales.shape), -np.inf)
        of_range = np.logaddexp.reduce(self.laws.evidence(self.laws.fit(y), scales), axis=2)
        table[self.laws.ranges.bounds] = of_range.swapaxes(0, 1)
        return table

    def misfits(self, y: FloatArray, variance: FloatArray) -> FloatArray:
        """Return the least sums of squares of all segments together with 1, 2, … breaks, (G - 1, K)."""
        table = np.full((self.count + 1, self.count + 1, y.shape[1]), np.inf)
        table[self.laws.ranges.bounds] = self.laws.misfit(y, variance)
        return _sums(table, np.minimum)[1:, self.count]


@dataclass(frozen=True)
class _OneLaw:
    """Laws for all values: those of one term and those of two terms, each with their log prior."""

    kinds: list[tuple[RangeLaws, float]]

    @classmethod
    def of(cls, basis: Basis) -> "_OneLaw":
        """Fit laws with one term of any class, and laws with two terms of some classes."""
        one = one_term(basis, np.arange(1, len(PAIRS)), whole())
        kinds = [(one, np.log(1 - TWO_TERMS_PRIOR)), (two_terms(basis), np.log(TWO_TERMS_PRIOR))]
        return cls([(laws, log_prior) for laws, log_prior in kinds if laws.size])

    def evidence(self, y: FloatArray, scales: FloatArray) -> FloatArray:
        """Return the log evidence summed over all laws, (D, K), for variances `scales` (D, K)."""
        found = [
            np.logaddexp.reduce(laws.evidence(laws.fit(y), scales)[:, 0], axis=1) + log_prior
            for laws, log_prior in self.kinds
        ]
        return np.asarray(np.logaddexp.reduce(found, axis=0))


def _cut(table: FloatArray, variance: FloatArray) -> Breaks:
    """Return the breaks, given the log evidence (C + 1, C + 1, D, K) of ranges, by sums over all ways to cut
    the cells into ranges.
    """
    forward = _sums(table, np.logaddexp)
    count, most = len(table) - 1, len(forward)
    repeated = variance > 0
    whole = forward[:, count] - np.where(repeated, DEVIATION_POWER * np.log(DEVIATIONS)[:, None], 0.0)
    breaks = np.arange(most)
    log_ways = [
        log(comb(count - (SHORTEST_SEGMENT - 1) * (number + 1) - 1, number)) for number in range(most)
    ]
    log_prior = breaks * np.log(BREAK_PRIOR) - log_ways
    total = np.logaddexp.reduce(whole, axis=1) + log_prior[:, None]
    probability = np.exp(total - np.logaddexp.reduce(total, axis=0))
    return Breaks(probability, _starts(table, forward, whole.argmax(axis=1)))


def _sums(table: FloatArray, over_ways: np.ufunc) -> FloatArray:
    """Combine the entries of the table over all ways to cut the cells before cell j into 1, 2, … ranges,
    (G, C + 1, …): entries of the same way are added, and `over_ways` reduces the sums of all ways.
    """
    count = len(table) - 1
    sums = np.full((_most_segments(count), *table.shape[1:]), table[0, 0])
    sums[0] = table[0]
    for number in range(1, len(sums)):
        sums[number] = over_ways.reduce(sums[number - 1][:, None] + table, axis=0)
    return sums


def _starts(table: FloatArray, forward: FloatArray, scale: IntArray) -> IntArray:
    """Return the cells at which the segments most probably begin, (G, G, K), see `Breaks`. `scale` (G, K) is
    the index of the most probable size of deviations for each number of segments.
    """
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
    """Return the possible variances of points around their law, (D, K): the noise (K,) plus the square of
    each deviation.
    """
    return np.asarray(variance + DEVIATIONS[:, None] ** 2)
