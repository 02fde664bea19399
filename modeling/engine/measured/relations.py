"""Parameters that were always varied together, such as ranks = 8 · nodes or n = 1000 · p^(1/3).

A parameter is *bound* if its value follows from the values of other parameters at all measured points. Such
points show nothing about kernels at points where the bound parameter has another value.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

ROUNDING = 0.05
"""Largest deviation, in logarithms, of a bound parameter from its relation.

Sizes are rounded to whole numbers or to multiples of a block: 100, 126, 159 for 100 · p^(1/3), or 208 instead
of 200. With a smaller limit, parameters with such values would count as varied independently. With twice this
limit, irregular sizes of inputs would count as bound, although they were varied independently.
"""

EXACT = 0.01
"""A point keeps a relation if its deviation, in logarithms, is at most this much larger than the bound of the
measured points' deviations (see `_product`). Users may therefore type values with two or three digits.
Predictions at such points are wrong by about 1 %.
"""

SAME_POWER = 1e-3
"""The powers of a relation are replaced by the nearest twelfths if its largest deviation, in logarithms,
increases by at most this much. If the values of n were rounded, n = 101 · p^0.329 becomes n = 100 · p^(1/3).
"""

_TWELFTHS = 12
_NOTHING = 1e-9


@dataclass(frozen=True)
class Relations:
    """How bound parameters follow from the others: log x = offset + power · log x for parameters x (m,).

    A parameter that was measured at a single value counts as bound, and its powers are 0. For a parameter
    that is not bound, the equation says x = x. `tolerance` is the largest deviation from a relation, in
    logarithms, of a point that keeps it.
    """

    bound: BoolArray  # (m,)
    power: FloatArray  # (m, m)
    offset: FloatArray  # (m,)
    tolerance: FloatArray  # (m,)

    @property
    def free(self) -> IntArray:
        """The indices of the parameters that are not bound, ascending."""
        return np.flatnonzero(~self.bound)

    @property
    def together(self) -> BoolArray:
        """Whether each parameter is bound and was measured at several values, (m,)."""
        return np.asarray(self.bound & self.power.any(axis=1))

    def kept(self, points: FloatArray) -> FloatArray:
        """Return the points (Q, m) with each parameter of `together` computed from the free parameters."""
        return np.where(self.together, np.exp(self._followed(points)), points)

    def broken(self, points: FloatArray) -> BoolArray:
        """Return whether each bound parameter of points (Q, m) deviates too far from its relation, (Q, m)."""
        off = np.abs(np.log(points) - self._followed(points)) > self.tolerance
        return np.asarray(self.bound & off)

    def _followed(self, points: FloatArray) -> FloatArray:
        return np.asarray(self.offset + np.log(points) @ self.power.T)

    def among(self, others: "Relations") -> "Relations":
        """Return these relations combined with `others`, which bind some parameters that are free here."""
        bound = self.bound | others.bound
        own = self.bound[:, None]
        return Relations(
            bound,
            np.where(own, self.power @ others.power, others.power),
            np.where(self.bound, self.offset + self.power @ others.offset, others.offset),
            np.where(self.bound, self.tolerance, others.tolerance),
        )


def relations(points: FloatArray, first: int = 0) -> Relations:
    """Return the relations of points (P, m) with positive coordinates.

    A parameter is bound if it is a product of powers of other parameters at all points, up to `ROUNDING`, and
    if there are more points than are needed to determine this product. The parameter with the index `first`
    is never bound to others, and parameters with few values are bound last. If ranks = nodes · tasks, for
    example, the nodes follow from the ranks and from the tasks on each node.
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
    """Return whether the `kept` parameters may determine the parameter of index `at`.

    It must have a single value for each combination of values of the kept parameters. There must also be more
    such combinations than the coefficients of a product of powers, which would otherwise always fit.
    """
    different = len(np.unique(points[:, kept], axis=0))
    return different >= len(kept) + 2 and different == len(np.unique(points[:, [*kept, at]], axis=0))


def _product(logs: FloatArray, at: int, kept: list[int]) -> tuple[FloatArray, float, float] | None:
    """Express the parameter of index `at` as a product of powers of the `kept` parameters, times a factor.

    Returns the powers, the logarithm of the factor, and a bound of the points' deviations from the product,
    in logarithms; None if no product fits. The bound is twice the largest deviation before the factor is
    rounded, because rounding changes the factor by up to this deviation. `logs` (P, m) are the logarithms of
    the points.
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
    """Round a factor, given as its logarithm `offset`, to as few digits as `error` allows; return the log."""
    rounded = [float(np.log(float(f"{np.exp(offset):.{digits}g}"))) for digits in (1, 2, 3)]
    near = [each for each in rounded if abs(each - offset) <= max(error, _NOTHING)]
    return near[0] if near else offset


def _centred(rest: FloatArray) -> tuple[float, float]:
    """Return the middle of the range of numbers (P,), and half of this range."""
    low, high = float(rest.min()), float(rest.max())
    return (low + high) / 2, (high - low) / 2
