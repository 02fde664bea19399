"""Where a series changes its behaviour: an algorithm switch, a cache that overflows, a second network level.

Exact Bayesian change points (Fearnhead 2006, Statistics and Computing 16): every range of values may have a
law of its own, constant + coefficient · term, whose evidence has a closed form; sums over all ways to cut the
values into ranges tell how probable each number of segments is. One law for all values may have two terms.
Points lie around the laws with their repetitions' noise and a deviation of their own, which is integrated
out: what wiggles everywhere is no break.
"""

from dataclasses import dataclass
from math import comb, log

import numpy as np

from modeling.engine.modelers.evidence.basis import PAIRS, Basis
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
"""Values that a segment has at least: two are met by any law."""

MOST_SEGMENTS = 12
"""Segments of a series at most: one that changes more often follows no law."""

MOST_VALUES = 200
"""With more values than this, neighbouring ones are merged into cells, and a segment has at least
`SHORTEST_SEGMENT` cells: memory grows with the square and time with the cube of their number."""

FIRST_CELLS = 80
"""How many cells they are taken together in."""

CELLS_AROUND_BREAKS = 60
"""Parts that the cells around all breaks are divided into, where these are looked for once more."""

REFINEMENTS = 2
"""How often that is done: then 10,000 values are told apart one by one."""

BREAK_PRIOR = 0.1
"""Prior probability of one break more."""

TWO_TERMS_PRIOR = 0.2
"""Prior probability that a law for all values has two terms."""

DEVIATIONS = 0.003 * 3.0 ** np.arange(6)
"""Relative deviations of points from any law: less is nobody's concern, more is no law."""

DEVIATION_POWER = 1.5
"""Where repetitions tell the noise, deviations are beforehand that power less likely the larger they are.

Where there are none, the noise is among the deviations, and all are equally likely.
"""

LEAST_GAIN = 5.0
"""Logarithm by which a break has at least to raise the likelihood for its evidence to be looked at."""

NUMBERS_AT_ONCE = 100_000
"""Numbers of one temporary array."""


@dataclass(frozen=True)
class Breaks:
    """How K series of X values, in C cells, may be cut into 1, 2, … S segments.

    `probability` (S, K) of so many; if there are s + 1, segment r begins at value number `starts[s, r]`, of
    (S, S, K).
    """

    probability: FloatArray
    starts: IntArray

    def best_starts(self, kernel: int) -> IntArray:
        """Where the segments of one series begin but for the first, in their most probable number."""
        number = int(self.probability[:, kernel].argmax())
        return np.asarray(self.starts[number, 1 : number + 1, kernel])

    def put(self, kernel: int, other: "Breaks") -> None:
        """Replace the breaks of one series, as far as there is room."""
        most = min(len(self.probability), len(other.probability))
        self.probability[:, kernel], self.starts[:, :, kernel] = 0, 0
        self.probability[:most, kernel] = other.probability[:most, 0]
        self.starts[:most, :most, kernel] = other.starts[:most, :most, 0]


def find_breaks(x: FloatArray, y: FloatArray, variance: FloatArray) -> Breaks:
    """Find the breaks of series y (X, K), positive, over ascending values x (X,).

    `variance` (K,) is the relative variance that repetitions leave in the values; 0 without any. At least
    2 · `SHORTEST_SEGMENT` values are needed.
    """
    basis, cells = Basis(x[:, None]), _cells(len(x))
    one_law = _OneLaw.of(basis)
    found = _between(one_law, _Ranges.of(basis, cells), y, variance)
    for kernel in np.flatnonzero(found.probability[0] < 0.5).tolist():
        finer = cells
        for _ in range(REFINEMENTS):
            finer = _finer(finer, found.best_starts(kernel), len(x))
            if not len(finer):
                break
            part = _between(one_law, _Ranges.of(basis, finer), y[:, [kernel]], variance[[kernel]])
            found.put(kernel, part)
    return found


def _between(one_law: "_OneLaw", ranges: "_Ranges", y: FloatArray, variance: FloatArray) -> Breaks:
    """The breaks of series between the cells of these ranges."""
    most = _most_segments(ranges.count)
    found = Breaks(np.zeros((most, y.shape[1])), np.zeros((most, most, y.shape[1]), int))
    found.probability[0] = 1
    for some in _portions(_suspects(y, variance, one_law, ranges), ranges.laws.size):
        scales = _scales(variance[some])
        table = ranges.table(y[:, some], scales)
        table[0, ranges.count] = one_law.evidence(y[:, some], scales)
        part = _cut(table, variance[some])
        found.probability[:, some] = part.probability
        found.starts[:, :, some] = ranges.laws.ranges.begins[part.starts]
    return found


def _suspects(y: FloatArray, variance: FloatArray, one_law: "_OneLaw", ranges: "_Ranges") -> IntArray:
    """Numbers of the series that one law misses, and segments meet so much better that they may win."""
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
    """By how much each break of (S, K) misfits raises the likelihood above that of one law's (K,), (K,).

    The variance is what makes either most likely, but not less than `least`; the best number of breaks.
    """

    def log_likelihood(misfit: FloatArray) -> FloatArray:
        scale = np.maximum(misfit / count, least)
        return np.asarray(-count / 2 * np.log(scale) - misfit / scale / 2)

    breaks = np.arange(1, len(segments) + 1)[:, None]
    return np.asarray(((log_likelihood(segments) - log_likelihood(whole)) / breaks).max(axis=0))


def _portions(kernels: IntArray, size: int) -> list[IntArray]:
    """Some kernels after the other, few enough that arrays of `size` numbers for each are small."""
    step = max(1, NUMBERS_AT_ONCE // max(size, 1))
    return np.split(kernels, range(step, len(kernels), step))


def _most_segments(count: int) -> int:
    return min(count // SHORTEST_SEGMENT, MOST_SEGMENTS)


def _cells(count: int) -> IntArray:
    """Numbers of the first values of the cells that so many values are divided into."""
    cells = count if count <= MOST_VALUES else FIRST_CELLS
    return np.arange(cells) * count // cells


def _finer(cells: IntArray, starts: IntArray, count: int) -> IntArray:
    """Cells that are narrower around where segments begin, and twice as wide elsewhere; none where those are
    single values already."""
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
    """All ranges of `count` cells that may be a segment."""

    count: int
    laws: RangeLaws

    @classmethod
    def of(cls, basis: Basis, begins: IntArray) -> "_Ranges":
        """Laws of one term on all ranges of cells that begin at these values."""
        return cls(len(begins), one_term(basis, SEGMENT_CLASSES, Ranges(begins, SHORTEST_SEGMENT)))

    def table(self, y: FloatArray, scales: FloatArray) -> FloatArray:
        """Logarithm of the evidence of ranges from i up to before j, (X + 1, X + 1, D, K)."""
        fit = self.laws.fit(y)
        table = np.full((self.count + 1, self.count + 1, *scales.shape), -np.inf)
        for number, scale in enumerate(scales):
            of_range = np.logaddexp.reduce(self.laws.evidence(fit, scale), axis=1)
            table[(*self.laws.ranges.bounds, number)] = of_range
        return table

    def misfits(self, y: FloatArray, variance: FloatArray) -> FloatArray:
        """Least sum of squares with 1, 2, … breaks, (S - 1, K)."""
        table = np.full((self.count + 1, self.count + 1, y.shape[1]), np.inf)
        table[self.laws.ranges.bounds] = self.laws.misfit(y, variance)
        return _sums(table, np.minimum)[1:, self.count]


@dataclass(frozen=True)
class _OneLaw:
    """Laws for all values, of one and of two terms, with the logarithmic prior of either."""

    kinds: list[tuple[RangeLaws, float]]

    @classmethod
    def of(cls, basis: Basis) -> "_OneLaw":
        """All classes alone, and pairs of some."""
        one = one_term(basis, np.arange(1, len(PAIRS)), whole())
        kinds = [(one, np.log(1 - TWO_TERMS_PRIOR)), (two_terms(basis), np.log(TWO_TERMS_PRIOR))]
        return cls([(laws, log_prior) for laws, log_prior in kinds if laws.size])

    def evidence(self, y: FloatArray, scales: FloatArray) -> FloatArray:
        """Logarithm of the evidence summed over all laws, (D, K), at scales (D, K)."""
        found = [
            [np.logaddexp.reduce(laws.evidence(fit, scale)[0], axis=0) + log_prior for scale in scales]
            for laws, fit, log_prior in ((laws, laws.fit(y), log_prior) for laws, log_prior in self.kinds)
        ]
        return np.asarray(np.logaddexp.reduce(found, axis=0))


def _cut(table: FloatArray, variance: FloatArray) -> Breaks:
    """Sum over all ways to cut the values into ranges with this evidence (X + 1, X + 1, D, K)."""
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
    """Sums of s + 1 ranges up to before value j, reduced over the ways to cut, (S, X + 1, …)."""
    count = len(table) - 1
    sums = np.full((_most_segments(count), *table.shape[1:]), table[0, 0])
    sums[0] = table[0]
    for number in range(1, len(sums)):
        sums[number] = over_ways.reduce(sums[number - 1][:, None] + table, axis=0)
    return sums


def _starts(table: FloatArray, forward: FloatArray, scale: IntArray) -> IntArray:
    """Where the segments most probably begin, from the last to the first, given the scale's number (S, K)."""
    most, kernels = scale.shape
    starts = np.zeros((most, most, kernels), dtype=np.int64)
    each = np.arange(kernels)
    for number in range(1, most):
        end = np.full(kernels, len(table) - 1)
        for segment in range(number, 0, -1):
            before = forward[segment - 1][:, scale[number], each]
            end = (before + table[:, end, scale[number], each]).argmax(axis=0)
            starts[number, segment] = end
    return starts


def _scales(variance: FloatArray) -> FloatArray:
    """Variances (D, K) that points may have around their law, from those of their noise (K,)."""
    return np.asarray(variance + DEVIATIONS[:, None] ** 2)
