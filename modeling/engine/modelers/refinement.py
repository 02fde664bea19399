"""The refinement modeler, which searches exponents instead of choosing from a list
(docs/methods.md#refinement).

Source: Reisert et al. 2017, "Following the Blind Seer". A law has a constant and one term per parameter. Its
exponents are refined as long as the error clearly decreases. A term is kept only if it halves the SMAPE of
the constant. The terms of several parameters are joined as in the regression modeler.

All terms of the paper grow. Here, falling series get x^−α and no negative constant, so laws stay positive for
large parameters.
"""

import numpy as np

from modeling.engine.modelers.slices import (
    EXACT_SMAPE,
    FALLING_SLICES,
    GROWING_SLICES,
    MOST_ITERATIONS,
    POWER_SLICE,
    Series,
    Slice,
    constant_smape,
    refine,
)
from modeling.engine.modelers.term_modeler import TermModeler, falls
from modeling.engine.validation import BoolArray, FloatArray

NON_CONSTANCY = 2.0
"""Factor by which a term must reduce the SMAPE of the constant model."""

FEW_VALUES = 3
"""The number of values of a parameter with which only integer exponents are tried (not in the paper)."""


class Refinement(TermModeler):
    """Iterative refinement of a simplified performance model normal form.

    Args:
        points: the values of m parameters at P points, (P, m).
        aggregate: "mean", "median" or "minimum" of a point's repetitions.
    """

    def __init__(self, points: FloatArray, *, aggregate: str = "mean") -> None:
        super().__init__(points, aggregate=aggregate, any_sign=False, terms_at_once=len(GROWING_SLICES))

    def _best_pairs(self, parameter: int, y: FloatArray, w: FloatArray) -> FloatArray:
        series = Series(self.axes[parameter].x, y, w)
        pairs = np.zeros((y.shape[1], 2))
        count = np.broadcast_to(w.sum(axis=0), y.shape[1])
        for iterations, enough in ((0, count == FEW_VALUES), (MOST_ITERATIONS, count > FEW_VALUES)):
            for direction, slices in _directions(series):
                kernels = np.flatnonzero(enough & direction)
                if len(kernels):
                    pairs[kernels] = _law(series.part(kernels), slices, iterations)
        return pairs


def _directions(series: Series) -> tuple[tuple[BoolArray, tuple[Slice, ...]], ...]:
    """Return groups of kernels as masks, each with the slices that are searched for the group."""
    growing = GROWING_SLICES if series.x[0] >= 1 else (POWER_SLICE,)  # logarithms are negative below 1
    fall = falls(series.x, series.y, series.w)
    return (fall, FALLING_SLICES), (~fall, growing)


def _law(series: Series, slices: tuple[Slice, ...], iterations: int) -> FloatArray:
    """Return the exponents of the refined term; (0, 0) if it is hardly better than the constant."""
    pairs, error = refine(series, slices, iterations)
    of_constant = constant_smape(series)
    is_better = (of_constant > EXACT_SMAPE) & (NON_CONSTANCY * error <= of_constant)
    return np.where(is_better[:, None], pairs, 0.0)
