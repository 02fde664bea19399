"""Parameters that were always varied together, such as ranks = 8 · nodes or n = 1000 · p^(1/3).

Points with such parameters lie in fewer dimensions than there are parameters. They show how a kernel behaves
along these dimensions, and nothing about points off them.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

ROUNDING = 0.05
"""Largest deviation, in logarithms, of a parameter from its relation. Sizes are whole numbers or multiples of
a block, such as 100, 126, 159 for 100 · p^(1/3), or 208 instead of 200. With a smaller limit, such points
would count as varied independently, although they differ by rounding errors only. With twice this limit,
input decks of irregular sizes, which do show their own effect, would be expressed by another parameter.
"""

EXACT = 0.01
"""A point keeps a relation if it deviates by at most this much more, in logarithms, than the measured points.
The prediction moves by about as much, so values may be typed with two or three digits.
"""

SAME_POWER = 1e-3
"""Increase of the deviation, in logarithms, up to which powers are replaced by the nearest twelfths, so that
n = 101 · p^0.329 is written as 100 · p^(1/3) if n was rounded.
"""

_TWELFTHS = 12
_NOTHING = 1e-9


@dataclass(frozen=True)
class Relations:
    """How the bound ones of m parameters follow from the others: log x = offset + power · log x.

    A parameter with a single value is bound to no other, with powers of 0. Parameters that are not bound have
    the power 1 of themselves. `tolerance` is the largest deviation, in logarithms, of a point that keeps a
    relation.
    """

    bound: BoolArray  # (m,)
    power: FloatArray  # (m, m)
    offset: FloatArray  # (m,)
    tolerance: FloatArray  # (m,)

    @property
    def free(self) -> IntArray:
        """Return the indices of parameters that were varied and are not bound, ascending."""
        return np.flatnonzero(~self.bound)

    @property
    def together(self) -> BoolArray:
        """Return whether each parameter was varied, but always followed from others, (m,)."""
        return np.asarray(self.bound & self.power.any(axis=1))

    def kept(self, points: FloatArray) -> FloatArray:
        """Return points (Q, m) whose parameters that were varied together follow from the others."""
        return np.where(self.together, np.exp(self._followed(points)), points)

    def broken(self, points: FloatArray) -> BoolArray:
        """Return which parameters of points (Q, m) break their relation, (Q, m)."""
        off = np.abs(np.log(points) - self._followed(points)) > self.tolerance
        return np.asarray(self.bound & off)

    def _followed(self, points: FloatArray) -> FloatArray:
        return np.asarray(self.offset + np.log(points) @ self.power.T)

    def among(self, others: "Relations") -> "Relations":
        """Return these relations together with `others`, which bind some of the free parameters."""
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

    A parameter is bound if it is a product of powers of others at all points, up to `ROUNDING`, and if at
    least one point more was measured than any such product fits. The parameter with the index `first` is not
    bound to others. Of all others, those with the fewest values are bound last: with ranks = nodes · tasks,
    it is the nodes that follow from the ranks and from the tasks on each node.
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
    """Return whether the parameter of index `at` has one value for each combination of the kept parameters,
    and whether these are more combinations than any product of powers fits.
    """
    different = len(np.unique(points[:, kept], axis=0))
    return different >= len(kept) + 2 and different == len(np.unique(points[:, [*kept, at]], axis=0))


def _product(logs: FloatArray, at: int, kept: list[int]) -> tuple[FloatArray, float, float] | None:
    """Return powers, logarithm of the factor and largest deviation of the product of kept parameters that is
    the parameter of index `at` at all points; None if no product is.
    """
    others, own = logs[:, kept], logs[:, at]
    powers = np.linalg.lstsq(others - others.mean(axis=0), own - own.mean(), rcond=None)[0]
    fitted = _centred(own - others @ powers)
    twelfths = np.round(powers * _TWELFTHS) / _TWELFTHS
    plain = _centred(own - others @ twelfths)
    if plain[1] <= fitted[1] + SAME_POWER:
        powers, fitted = twelfths, plain
    offset, error = fitted
    # A parameter that hardly varies follows from nothing.
    if error > min(ROUNDING, np.ptp(own) / 4) or not powers.any():
        return None
    return powers, _round(offset, error), 2 * error if error > _NOTHING else 0.0


def _round(offset: float, error: float) -> float:
    """Return the logarithm of the factor with the fewest digits that differs by at most the error."""
    rounded = [float(np.log(float(f"{np.exp(offset):.{digits}g}"))) for digits in (1, 2, 3)]
    near = [each for each in rounded if abs(each - offset) <= max(error, _NOTHING)]
    return near[0] if near else offset


def _centred(rest: FloatArray) -> tuple[float, float]:
    """Return the middle of numbers (P,), and the largest distance from it."""
    low, high = float(rest.min()), float(rest.max())
    return (low + high) / 2, (high - low) / 2
