"""The regression modeler: the baseline of every paper, on whole campaigns (docs/methods.md#regression).

It finds the same laws as Extra-P 4.2 (Calotoiu et al. 2013 and 2016), with four exceptions:

- Falling series get powers x^−i by default, and lead terms are subtracted only on request. So no law becomes
  negative far from the data.
- A parameter is left out if its terms are smaller than the noise.
- Missing points of a kernel affect only this kernel.
- With more than three parameters, set partitions are tried.
"""

from collections.abc import Sequence

import numpy as np

from modeling.engine.laws.terms import COMMON_PAIRS, EXPONENTS, FALLING_PAIRS, Pair, term_rows
from modeling.engine.modelers.single import CandidateTerms, best_terms
from modeling.engine.modelers.term_modeler import TermModeler, falls
from modeling.engine.validation import BoolArray, FloatArray, as_floats

FEW_VALUES = 3
"""The number of values of a parameter with which only the terms in `COMMON_PAIRS` are tried."""


class Regression(TermModeler):
    """Least squares over the performance model normal form.

    Args:
        points: the values of m parameters at P points, (P, m).
        aggregate: "mean", "median" or "minimum" of a point's repetitions.
        exponents: pairs (i, j) to try instead of the usual 42.
        negative_exponents: whether series that fall may get powers x^−i.
        negative_coefficients: whether lead terms may be subtracted. If so, all terms are tried for all
            series.
    """

    def __init__(
        self,
        points: FloatArray,
        *,
        aggregate: str = "mean",
        exponents: Sequence[Pair] | None = None,
        negative_exponents: bool = True,
        negative_coefficients: bool = False,
    ) -> None:
        tried = EXPONENTS if exponents is None else check_exponents(exponents)
        tried = [*tried, *(pair for pair in FALLING_PAIRS if negative_exponents and pair not in tried)]
        super().__init__(
            points, aggregate=aggregate, any_sign=negative_coefficients, terms_at_once=len(tried) + 1
        )
        self.pairs = np.array([(0.0, 0.0), *tried])
        self.is_falling = np.asarray((self.pairs < 0).any(axis=1))
        self.is_common = np.array([tuple(pair) in COMMON_PAIRS for pair in self.pairs.tolist()])
        self.candidates = [self._candidates(axis.x) for axis in self.axes]

    def _candidates(self, x: FloatArray) -> CandidateTerms:
        """Return the terms that are finite and not constant over a parameter's values."""
        rows = term_rows(self.pairs, x)
        usable = np.isfinite(rows).all(axis=1) & (rows != rows[:, :1]).any(axis=1)
        if (x < 1).any():  # because logarithms are negative below 1
            usable &= self.pairs[:, 1] == 0
        return CandidateTerms(x, rows, np.arange(len(rows)), self.is_falling).but(usable)

    def _best_pairs(self, parameter: int, y: FloatArray, w: FloatArray) -> FloatArray:
        candidates = self.candidates[parameter]
        best = np.zeros(y.shape[1], dtype=np.intp)
        count = np.broadcast_to(w.sum(axis=0), best.shape)
        every = np.ones_like(self.is_common)
        for few, common in ((count == FEW_VALUES, self.is_common), (count > FEW_VALUES, every)):
            for direction, suited in self._directions(falls(candidates.x, y, w)):
                kernels = np.flatnonzero(few & direction)
                tried = candidates.but((common & suited)[candidates.numbers])
                if len(kernels) and len(tried.rows):
                    part = w if w.shape[1] == 1 else w[:, kernels]
                    best[kernels] = best_terms(tried, y[:, kernels], part, self.any_sign)
        return np.asarray(self.pairs[best])

    def _directions(self, fall: BoolArray) -> list[tuple[BoolArray, BoolArray]]:
        """Return groups of kernels as masks, each with a mask of the terms that are tried for the group."""
        if self.any_sign:
            return [(np.ones_like(fall), np.ones_like(self.is_falling))]
        return [(fall, self.is_falling), (~fall, ~self.is_falling)]


def check_exponents(exponents: Sequence[Pair]) -> list[Pair]:
    """Return a caller's pairs (i, j) as floats, without the pair (0, 0) of the constant.

    Raises:
        ValueError: these are not pairs of finite numbers.
    """
    array = as_floats(exponents, "exponents")
    if array.ndim != 2 or array.shape[1] != 2 or not np.isfinite(array).all():
        raise ValueError(f"exponents: found {exponents!r}, expected pairs (i, j) of finite numbers")
    return [(i, j) for i, j in array.tolist() if (i, j) != (0, 0)]
