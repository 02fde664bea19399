"""The shapes of laws of one parameter, and their prior probabilities.

A *shape* is a law without its size. It states the shares of the constant and of each term in the law's value
at the largest point.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from modeling.engine.deviations.deviation import floors
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    DIVIDED,
    FALLING_CLASSES,
    PAIRS,
    SLOWLY,
    classes_of,
)
from modeling.engine.modelers.evidence.hypotheses.growths import frequencies_of, growths, reweighted
from modeling.engine.validation import BoolArray, FloatArray, IntArray

IDLE, RISES, POWERS, FALLS, RISES_AGAIN = 0.08, 0.5, 0.12, 0.08, 0.30
"""Prior weights of five kinds of kernels: no dependence on the parameter, growth, a plain power without a
constant, a fall, and a fall with a growing term.

These weights and the next four constants are rounded values of a mixture of all shapes, fitted to the series
of 22 public campaigns. The first kind has more weight than in the fit, because few such kernels are
published. With 0.22 for the last kind, errors at the second value beyond the data of these campaigns are 10.1
instead of 9.5 %.
"""

MIDDLE_POWER, SPREAD_OF_POWERS = 0.9, 0.5
"""Mean and standard deviation of the exponents of plain powers without a constant."""

COMMON_WEIGHT = 4.0
"""Prior weight of n, n², n·log n, log n and √n, relative to any other growing class."""

RARE_WEIGHT = 0.4
"""Prior weight of classes with a squared logarithm or a power above `STEEP_POWER`."""

STEEP_POWER = 2.0

SHARES: FloatArray = np.array([0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.997, 1.0])
SHARE_WEIGHTS: FloatArray = np.array([0.4, 0.6, 1.0, 0.8, 0.7, 1.2, 0.8, 0.5, 0.3, 2.4]) / 8.7
"""The possible shares of a growing term in the law's value at the largest point, with their prior weights.

A constant of 1 % at the largest point changes values at a 64th of it by two thirds. Without the shares 0.99
and 0.997, kernels 20 + 0.05·n that were measured once up to n = 32,768, with noise of 2 %, are predicted 12
instead of 2 % wrong at four times the largest n, with intervals of a factor of 2.9 instead of 1.6.
"""

REMAINDERS: FloatArray = np.array([0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
"""The possible ratios of the constant to a falling term at the largest point."""

DIVIDED_WEIGHT = 4.0
"""Prior weight of 1/p, relative to any other falling term."""

LEAST_FALL = 0.5
"""Smallest share of a falling term in the sum of the constant and the largest values of all terms."""

SATURATES = 0.05
"""Prior weight of kernels that rise towards a limit, such as bandwidths. Without it, intervals of such
kernels at 16 times the largest value are about ten times as wide. Weights from 0.02 to 0.1 change errors at
the second value beyond the data of 22 public campaigns by at most 0.6 percentage points.
"""

DEFICITS: FloatArray = np.array([0.3, 0.5, 0.7, 0.85, 0.95, 0.98])
"""The possible deficits of laws that rise towards a limit: shares of the limit that the law lacks at the
smallest used point. Deficits are reduced where the law would not be positive at smaller measured points.
"""

LEAST_DEFICIT = 0.2
"""The smallest reduced deficit. Laws with a smaller one hardly differ from a constant, and are left out."""

UNUSED_DEFICIT = 0.9
"""Largest deficit at a measured but unused point (`near_points`). Larger ones cause steps in predictions."""

CONSTANTS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)
"""The possible ratios of the constant to divided work at the largest point, in laws that fall and rise."""
GROWING = (0.03, 0.1, 0.2, 0.4, 0.7, 1.2, 2.0, 4.0, 10.0, 30.0, 100.0)
"""The possible ratios of a growing term to divided work at the largest point, in laws that fall and rise."""

_IS_COMMON: BoolArray = np.isin(np.arange(len(PAIRS)), classes_of((0, 1), (1 / 2, 0), (1, 0), (1, 1), (2, 0)))

_APPROACHING = classes_of((-1 / 4, 0), (-1 / 2, 0), (-3 / 4, 0), (-1, 0), (-3 / 2, 0), (-2, 0))
"""The falling terms of laws that rise towards a limit. Other falling powers hardly change forecasts."""


@dataclass(frozen=True)
class Shapes:
    """H shapes of laws at P points.

    Attributes:
        classes: the classes of the two terms, (2, H).
        coefficients: the coefficients in units of the basis, (3, H), the constant first.
        logarithms: the logarithms of the values, (H, P).
        log_prior: the log prior probabilities, (H,).
    """

    classes: IntArray
    coefficients: FloatArray
    logarithms: FloatArray
    log_prior: FloatArray

    @cached_property
    def growth(self) -> IntArray:
        """Return the class of growth of each of H shapes, (H,)."""
        return growths(self.classes, self.coefficients[1] < 0)

    @property
    def frequencies(self) -> FloatArray:
        """Return the prior frequency of each class of growth, (GROWTHS,)."""
        return frequencies_of(self.growth, self.log_prior)

    def where(self, frequencies: FloatArray | None) -> "Shapes":
        """Return the same shapes with these prior frequencies of the classes of growth, (GROWTHS,)."""
        if frequencies is None:
            return self
        return replace(self, log_prior=reweighted(self.growth, self.log_prior, frequencies))

    @classmethod
    def at(cls, basis: Basis, rows: IntArray, measured: IntArray | slice = slice(None)) -> "Shapes":
        """Return all usable shapes at the used points `rows` (`near_points`). `measured` has all measured
        points.
        """
        table = basis.tables[0][:, rows]
        usable = basis.usable[0] & (table > 0).any(axis=1)  # log2(1) = 0, and all points may be at 1
        classes, parts, prior = _shapes(usable.tobytes())
        largest, anywhere = table.max(axis=1), basis.tables[0][:, measured].max(axis=1)
        classes, parts, prior = _positive(classes, parts, prior, largest[classes[0]], anywhere[classes[0]])
        classes, parts, prior = _falling(classes, parts, prior, largest / table.min(axis=1))
        coefficients = parts / np.stack([np.ones(classes.shape[1]), *largest[classes]])
        values = coefficients[0] + (coefficients[1:, None] * np.moveaxis(table[classes], 2, 1)).sum(axis=0)
        logarithms = np.log(np.maximum(values.T, floors(values.T)))
        return cls(classes, coefficients, logarithms, np.log(prior / prior.sum()))


def _positive(
    classes: IntArray, parts: FloatArray, prior: FloatArray, largest: FloatArray, anywhere: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the classes, parts and weights of shapes that are positive at all measured points. Deficits of
    laws that rise towards a limit are reduced where necessary. A shape is left out if its deficit would not
    stay above the next smaller possible one.
    """
    most = np.where(largest < anywhere, UNUSED_DEFICIT * largest / anywhere, DEFICITS.max())
    subtracted = parts[1] < 0
    smaller = np.append(LEAST_DEFICIT, DEFICITS)[np.searchsorted(DEFICITS, -parts[1])]
    distinct = ~subtracted | (smaller < most)
    left = prior[subtracted & distinct].sum()
    prior = np.where(subtracted, prior * prior[subtracted].sum() / left if left else 0.0, prior)
    parts = np.stack([parts[0], np.maximum(parts[1], -most), parts[2]])
    return classes[:, distinct], parts[:, distinct], prior[distinct]


def _falling(
    classes: IntArray, parts: FloatArray, prior: FloatArray, fall: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Leave out shapes that hardly fall. The parts of falling terms become those at the smallest point."""
    falls = FALLING_CLASSES[classes[0]] & (parts[1] > 0)
    larger = np.where(falls, parts[1] * fall[classes[0]], parts[1])
    distinct = ~falls | (larger >= LEAST_FALL * (parts[0] + larger + parts[2]))
    parts = np.stack([parts[0], larger, parts[2]])
    return classes[:, distinct], parts[:, distinct], prior[distinct]


@lru_cache(maxsize=64)  # nearly all campaigns have the same usable classes, so a few entries suffice
def _shapes(usable_classes: bytes) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the classes, parts and prior weights of all shapes with usable classes. The parts are the
    constant and the terms at the largest point. The part of a subtracted term is minus its value at the
    smallest point. `usable_classes` has one flag for each class, as bytes so that results can be cached.
    """
    usable = np.frombuffer(usable_classes, dtype=bool)
    falls = FALLING_CLASSES[: len(PAIRS)]
    found = [_rows((0, 0), np.ones((1, 2)) * [1.0, 0.0], IDLE)]
    rising = np.flatnonzero(usable & ~falls & (np.arange(len(PAIRS)) > 0))
    rare = (PAIRS[rising, 1] == 2) | (PAIRS[rising, 0] > STEEP_POWER)
    weight = np.where(_IS_COMMON[rising], COMMON_WEIGHT, 1.0) * np.where(rare, RARE_WEIGHT, 1.0)
    shares = np.column_stack([1 - SHARES, SHARES])
    for one, share in zip(rising.tolist(), RISES * weight / weight.sum(), strict=True):
        found.append(_rows((one, 0), shares, share * SHARE_WEIGHTS))
    powers = np.flatnonzero(usable & (PAIRS[:, 0] > 0) & (PAIRS[:, 1] == 0))
    powers = powers[np.argsort(PAIRS[powers, 0])]
    for one, share in zip(powers.tolist(), POWERS * _of_powers(PAIRS[powers, 0]), strict=True):
        found.append(_rows((one, 0), np.array([[0.0, 1.0]]), share))
    falling = np.flatnonzero(usable & falls)
    ratios = np.column_stack([REMAINDERS, np.ones(len(REMAINDERS))])
    weight = np.where(falling == DIVIDED, DIVIDED_WEIGHT, 1.0)
    for one, share in zip(falling.tolist(), FALLS * weight / weight.sum(), strict=True):
        found.append(_rows((one, 0), ratios, share))
    missing = np.column_stack([np.ones(len(DEFICITS)), -DEFICITS])
    approaching = [one for one in _APPROACHING if usable[one]]
    found += [_rows((one, 0), missing, SATURATES / len(approaching)) for one in approaching]
    again = [(DIVIDED, grow) for grow in SLOWLY if usable[DIVIDED] and usable[grow]]
    both = np.array([(c, 1.0, g) for c in CONSTANTS for g in GROWING])
    found += [_rows(pair, both, RISES_AGAIN / len(again)) for pair in again]
    classes, parts, weights = (np.concatenate(each, axis=-1) for each in zip(*found, strict=True))
    return classes, parts, weights


def _of_powers(exponents: FloatArray) -> FloatArray:
    """Return the prior probability of each rising power, by a normal distribution over exponents."""
    if len(exponents) < 2:
        return np.ones(len(exponents))
    weight = np.gradient(exponents) * np.exp(-(((exponents - MIDDLE_POWER) / SPREAD_OF_POWERS) ** 2) / 2)
    return np.asarray(weight / weight.sum())


def _rows(
    pair: tuple[int, int], shares: FloatArray, weight: FloatArray | float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return shapes with one pair of classes. `shares` has one row of parts for each shape."""
    count = len(shares)
    parts = np.zeros((3, count))
    parts[: shares.shape[1]] = shares.T
    weights = np.broadcast_to(np.asarray(weight, dtype=float), (count,)) / (
        count if np.ndim(weight) == 0 else 1
    )
    return np.repeat(np.array(pair)[:, None], count, axis=1), parts, weights
