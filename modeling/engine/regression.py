"""The regression modeler: the baseline of every paper, on whole campaigns (METHODS §2.1).

It finds what Extra-P 4.2 finds (Calotoiu et al. 2013 and 2016), but for these: series that fall get powers
x^−i without an option, and lead terms are not subtracted unless asked for, so that no law turns negative
far out; a parameter whose terms are lost in the noise is left out, so that no law is wild far out; a kernel's
missing points cost only that kernel; more than three parameters get set partitions.
"""

from collections.abc import Sequence

import numpy as np

from modeling.engine.assessment import assess, holdout_error
from modeling.engine.combination import Factors, best_structures
from modeling.engine.layout import axes
from modeling.engine.models import Models
from modeling.engine.observations import Observations, observe
from modeling.engine.repetitions import AGGREGATES
from modeling.engine.single import Candidates, best_terms
from modeling.engine.terms import COMMON, EXPONENTS, FALLING, FAR, Pair, term_rows
from modeling.engine.validation import BoolArray, FloatArray, IntArray, as_floats

CACHE_FLOATS = 250_000
"""Numbers of one temporary array: few enough to stay near the processor, many enough to be worth a call."""

LOST = 3.0
"""Standard errors of a value within which all of a parameter's terms are taken for noise (ours)."""

FEW_VALUES = 3
"""So many values of a parameter tell only common terms apart, and fewer tell nothing."""


class Regression:
    """Least squares over the performance model normal form.

    Parameters
    ----------
    points : (P, m)
    aggregate : "mean", "median" or "minimum" of a point's repetitions.
    exponents : pairs (i, j) to try instead of the usual 42.
    logarithms : whether terms with a logarithm are tried.
    negative_exponents : whether series that fall may get powers x^−i.
    negative_coefficients : whether lead terms may be subtracted; then all terms are tried on all series.

    """

    def __init__(
        self,
        points: FloatArray,
        *,
        aggregate: str = "mean",
        exponents: Sequence[Pair] | None = None,
        logarithms: bool = True,
        negative_exponents: bool = True,
        negative_coefficients: bool = False,
    ) -> None:
        if aggregate not in AGGREGATES:
            raise ValueError(f"aggregate: found {aggregate!r}, expected one of {', '.join(AGGREGATES)}")
        tried = EXPONENTS if exponents is None else check_exponents(exponents)
        tried = [pair for pair in tried if logarithms or pair[1] == 0]
        tried += [pair for pair in FALLING if negative_exponents and pair not in tried]
        self.points = points
        self.aggregate = aggregate
        self.any_sign = negative_coefficients
        self.pairs = np.array([(0.0, 0.0), *tried])
        self.is_falling = np.asarray((self.pairs < 0).any(axis=1))
        self.is_common = np.array([tuple(pair) in COMMON for pair in self.pairs.tolist()])
        self.axes = axes(points)
        self.varied = [axis for axis in self.axes if len(axis.x) > 1] or self.axes
        self.tables = [term_rows(self.pairs, x) for x in points.T]
        self.far = [term_rows(self.pairs, FAR * x[-1:])[:, 0] for x in (axis.x for axis in self.axes)]
        self.candidates = [self._candidates(axis.x) for axis in self.axes]

    @property
    def kernels_at_once(self) -> int:
        """Kernels whose largest temporary array fits the cache."""
        longest = max(len(axis.x) for axis in self.axes)
        return max(16, CACHE_FLOATS // max(longest * len(self.pairs), self.points.size))

    def __call__(self, values: FloatArray) -> Models:
        """Model the kernels of `values` (K, P, R)."""
        observations = observe(self.points, values, self.aggregate)
        held_out = observations.without_largest()
        return assess(
            observations,
            self._select(observations),
            holdout_error=holdout_error(observations, held_out, self._select(held_out)),
            value_counts=np.stack([axis.value_counts(observations.w) for axis in self.varied]),
        )

    def _candidates(self, x: FloatArray) -> Candidates:
        """All terms that have finite and different values at a parameter's values x."""
        rows = term_rows(self.pairs, x)
        usable = np.isfinite(rows).all(axis=1) & (rows != rows[:, :1]).any(axis=1)
        if (x < 1).any():  # the logarithm changes its sign
            usable &= self.pairs[:, 1] == 0
        return Candidates(x, rows, np.arange(len(rows)), self.is_falling).but(usable)

    def _select(self, observations: Observations) -> FloatArray:
        """Exponents of each kernel's law, (K, m, m, 2), 0 for terms and parameters not used."""
        numbers = np.stack(
            [
                self._best_terms(candidates, *axis.average(observations.y, observations.w))
                for candidates, axis in zip(self.candidates, self.axes, strict=True)
            ]
        )
        if len(numbers) == 1:
            return np.asarray(self.pairs[numbers.T][:, None])
        masks, shares = self._join(numbers, observations)
        if not self.any_sign:
            # What is lost in the noise of the measured values may be all there is far out: no wild laws.
            lost = (numbers > 0) & (shares < LOST * observations.blur) & masks.any(axis=1)
            again = np.flatnonzero(lost.any(axis=0))
            numbers = np.where(lost, 0, numbers)
            if len(again):
                masks[again] = self._join(numbers[:, again], observations.part(again))[0]
        pairs = self.pairs[numbers.T]
        member = masks[:, :, None] >> np.arange(len(numbers)) & 1
        return np.asarray(member[:, :, :, None] * pairs[:, None])

    def _join(self, numbers: IntArray, observations: Observations) -> tuple[IntArray, FloatArray]:
        """Join each kernel's terms, numbers (m, K), to its best structure."""
        factors = Factors(
            active=numbers > 0,
            here=np.stack([table[row].T for table, row in zip(self.tables, numbers, strict=True)]),
            far=np.stack([rows[row] for rows, row in zip(self.far, numbers, strict=True)]),
        )
        return best_structures(factors, observations.y, observations.w, self.any_sign)

    def _best_terms(self, candidates: Candidates, y: FloatArray, w: FloatArray) -> IntArray:
        """Number of each kernel's best term of one parameter, (K,)."""
        best = np.zeros(y.shape[1], dtype=np.intp)
        count = np.broadcast_to(w.sum(axis=0), best.shape)
        falls = _falls(candidates.x, y, w)
        every = np.ones_like(self.is_common)
        for few, common in ((count == FEW_VALUES, self.is_common), (count > FEW_VALUES, every)):
            for direction, suited in self._directions(falls):
                kernels = np.flatnonzero(few & direction)
                tried = candidates.but((common & suited)[candidates.numbers])
                if len(kernels) and len(tried.rows):
                    part = w if w.shape[1] == 1 else w[:, kernels]
                    best[kernels] = best_terms(tried, y[:, kernels], part, self.any_sign)
        return best

    def _directions(self, falls: BoolArray) -> list[tuple[BoolArray, BoolArray]]:
        """Which kernels are tried with which terms: those that rise with those that grow."""
        if self.any_sign:
            return [(np.ones_like(falls), np.ones_like(self.is_falling))]
        return [(falls, self.is_falling), (~falls, ~self.is_falling)]


def check_exponents(exponents: Sequence[Pair]) -> list[Pair]:
    """Return a caller's pairs (i, j) as floats, without the constant."""
    array = as_floats(exponents, "exponents")
    if array.ndim != 2 or array.shape[1] != 2 or not np.isfinite(array).all():
        raise ValueError(f"exponents: found {exponents!r}, expected pairs (i, j) of finite numbers")
    return [(i, j) for i, j in array.tolist() if (i, j) != (0, 0)]


def _falls(x: FloatArray, y: FloatArray, w: FloatArray) -> BoolArray:
    """Whether series fall with the logarithm of x, (K,)."""
    position = np.log(x)[:, None] * w
    centred = position - w * (position.sum(axis=0) / np.maximum(w.sum(axis=0), 1))
    return np.asarray((centred * y).sum(axis=0) < 0)
