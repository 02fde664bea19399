"""Relations between parameters that were always varied together, such as n = 1000 · p^(1/3).

A parameter is *bound* if other parameters determine its value at all measured points.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

ROUNDING = 0.05
"""Largest deviation of a bound parameter from its relation, in logarithms. Sizes are often rounded, such as
100, 126, 159 for 100 · p^(1/3). Twice this limit would treat irregular sizes as bound.
"""

EXACT = 0.01
"""A new point may deviate this much more from a relation than the measured points, in logarithms. So its
values may be rounded to two or three digits. Predictions are then wrong by about 1 %.
"""

SAME_POWER = 1e-3
"""Powers are rounded to twelfths if this raises the largest log deviation by at most this number."""

_TWELFTHS = 12
_NOTHING = 1e-9


@dataclass(frozen=True)
class Relations:
    """How bound parameters follow from the others: log x[l] = offset[l] + Σ_k power[l, k] · log x[k].

    A parameter with a single measured value counts as bound, and its powers are 0. A point keeps a relation
    if it deviates by at most `tolerance`, in logarithms.
    """

    bound: BoolArray  # (m,)
    power: FloatArray  # (m, m)
    offset: FloatArray  # (m,)
    tolerance: FloatArray  # (m,)

    @property
    def free(self) -> IntArray:
        """Ascending indices of the parameters that are not bound."""
        return np.flatnonzero(~self.bound)

    @property
    def together(self) -> BoolArray:
        """Whether each parameter is bound and was measured at several values, (m,)."""
        return np.asarray(self.bound & self.power.any(axis=1))

    def kept(self, points: FloatArray) -> FloatArray:
        """Return Q points (Q, m). Parameters marked in `together` are computed from the free parameters."""
        return np.where(self.together, np.exp(self._followed(points)), points)

    def broken(self, points: FloatArray) -> BoolArray:
        """Return which bound parameters break their relations at Q points. Argument and result are (Q, m)."""
        off = np.abs(np.log(points) - self._followed(points)) > self.tolerance
        return np.asarray(self.bound & off)

    def _followed(self, points: FloatArray) -> FloatArray:
        return np.asarray(self.offset + np.log(points) @ self.power.T)

    def among(self, others: "Relations") -> "Relations":
        """Combine these relations with `others`, which bind some parameters that are free here."""
        bound = self.bound | others.bound
        own = self.bound[:, None]
        return Relations(
            bound,
            np.where(own, self.power @ others.power, others.power),
            np.where(self.bound, self.offset + self.power @ others.offset, others.offset),
            np.where(self.bound, self.tolerance, others.tolerance),
        )


def relations(points: FloatArray, first: int = 0) -> Relations:
    """Return the relations of P points (P, m) with positive coordinates.

    A bound parameter is a product of powers of other parameters at all points, up to `ROUNDING`. There must
    be more points than the product has coefficients. The parameter with the index `first` is never bound to
    others. Parameters with few values are bound last.
    """
    logs, m = np.log(points), points.shape[1]
    single = np.asarray(np.ptp(points, axis=0) == 0)
    found = Relations(single, np.diag((~single).astype(float)), np.where(single, logs[0], 0.0), np.zeros(m))
    found.tolerance[single] = _NOTHING
    values = [len(np.unique(column)) for column in points.T]
    order = sorted(np.flatnonzero(~single).tolist(), key=lambda at: (at != first, values[at]))
    kept: list[int] = []
    for at in order:
        fitted = _product(logs, at, kept) if kept and _determine(points, kept, at) else None
        if fitted is None:
            kept.append(at)
            continue
        found.bound[at] = True
        found.power[at, at] = 0.0
        found.power[at, kept], found.offset[at], error = fitted
        found.tolerance[at] = EXACT + error
    return found


def _determine(points: FloatArray, kept: list[int], at: int) -> bool:
    """Return whether the `kept` parameters may determine the parameter with the index `at`."""
    different = len(np.unique(points[:, kept], axis=0))
    return different >= len(kept) + 2 and different == len(np.unique(points[:, [*kept, at]], axis=0))


def _product(logs: FloatArray, at: int, kept: list[int]) -> tuple[FloatArray, float, float] | None:
    """Express the parameter with the index `at` as a factor times powers of the `kept` parameters.

    Return the powers, the factor's logarithm, and an upper limit of log deviations; None if no product fits.
    """
    others, own = logs[:, kept], logs[:, at]
    powers = np.linalg.lstsq(others - others.mean(axis=0), own - own.mean(), rcond=None)[0]
    fitted = _centred(own - others @ powers)
    twelfths = np.round(powers * _TWELFTHS) / _TWELFTHS
    plain = _centred(own - others @ twelfths)
    if plain[1] <= fitted[1] + SAME_POWER:
        powers, fitted = twelfths, plain
    offset, error = fitted
    # Any product with small powers would fit a parameter that hardly varies.
    if error > min(ROUNDING, np.ptp(own) / 4) or not powers.any():
        return None
    return powers, _round(offset, error), 2 * error if error > _NOTHING else 0.0


def _round(offset: float, error: float) -> float:
    """Round the factor exp(offset) to as few digits as `error` allows, and return its logarithm."""
    rounded = [float(np.log(float(f"{np.exp(offset):.{digits}g}"))) for digits in (1, 2, 3)]
    near = [each for each in rounded if abs(each - offset) <= max(error, _NOTHING)]
    return near[0] if near else offset


def _centred(rest: FloatArray) -> tuple[float, float]:
    """Return the middle of the numbers' range, and half of its width."""
    low, high = float(rest.min()), float(rest.max())
    return (low + high) / 2, (high - low) / 2
