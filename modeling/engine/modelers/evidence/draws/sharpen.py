"""Find the maximum of the likelihood under noise with an edge, and how fast the likelihood falls around it.

Uniform noise bounds a law at every point from both sides, and one-sided noise from above. The likelihood is
largest in a corner of the region within these bounds. An interior-point method moves towards this corner. Its
*barriers* are weighted logarithms of the distances from the bounds. They keep the law within the bounds while
their weight shrinks.
"""

import numpy as np

from modeling.engine.modelers.evidence.draws.coefficients import Centres
from modeling.engine.modelers.evidence.hypotheses.gaussian import solve
from modeling.engine.modelers.evidence.noise.runs import RESOLUTION, Runs
from modeling.engine.validation import BoolArray, FloatArray

NUMBERS_AT_ONCE = 40_000
"""The largest number of elements of one temporary array. Many such arrays fit into the processor's cache."""

LEAST_BARRIER = 0.1
"""Smallest final weight of the barriers. With a smaller weight, more draws violate the bounds. With a larger
weight, the centre of the draws moves to less likely laws.
"""

DRAW_PRECISION = 1.8
"""The precision of the draws is this factor times Σ 1 / distance² over all bounds, divided by the number of
coefficients.
"""

UNNOTICED_SHARE = 1e-3
"""A term that least squares leave out starts with at most this share of the value at any point."""

NEWTON_STEPS = 5
BARRIER_SHRINK = 0.15
STEP_TO_BOUND = 0.9
"""`NEWTON_STEPS` is the number of steps. `BARRIER_SHRINK` multiplies the weight of the barriers after a long
step. `STEP_TO_BOUND` is the largest part of the way to the nearest bound in one step.
"""


State = tuple[FloatArray, FloatArray, FloatArray]
"""Coefficients (n, B) of B laws, half the noise level (B,), and the values of the laws at P points, (P,
B).
"""


def sharpen(columns: FloatArray, start: FloatArray, runs: Runs, *, one_sided: bool) -> Centres:
    """Return likely coefficients of B laws, near the largest likelihood, and their precision.

    Args:
        columns: the values of n columns, the constant 1 and the terms, at P points, (n, P, B). Absent columns
            are 0.
        start: the coefficients to start from, (n, B).
        runs: the repetitions of each law's kernel.
        one_sided: whether noise can only delay; otherwise it is uniform.
    """
    step = max(16, NUMBERS_AT_ONCE // columns.shape[1])
    parts = [
        _sharpened(columns[..., part], start[:, part], runs.part(part), Below if one_sided else Between)
        for part in (slice(first, first + step) for first in range(0, columns.shape[2], step))
    ]
    return Centres(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))


def _sharpened(
    columns: FloatArray, start: FloatArray, runs: Runs, bounds: "type[Below | Between]"
) -> tuple[FloatArray, FloatArray]:
    problem = bounds(columns, runs)
    state = problem.begin(start)
    weight = problem.total / (2.0 * problem.point_count)
    least = np.maximum((len(columns) + 1) / problem.point_count, LEAST_BARRIER)
    for _ in range(NEWTON_STEPS):
        state, far = problem.step(state, weight)
        weight = np.maximum(weight * np.where(far, BARRIER_SHRINK, 0.7), least)
    return problem.centres(state, weight)


class Bounds:
    """B laws with n columns at P points, (n, P, B), bounded by the repetitions of their kernels."""

    def __init__(self, columns: FloatArray, runs: Runs) -> None:
        self.columns = columns
        self.there = (runs.count > 0).astype(float)
        self.count = runs.count
        self.high = np.where(runs.count > 0, runs.high, 0.0)
        self.low = np.where(runs.count > 0, runs.low, 0.0)
        self.mean = runs.mean
        self.total = runs.total
        self.point_count = self.there.sum(axis=0)
        self.absent = np.asarray(~columns.any(axis=1))

    def positive(self, start: FloatArray) -> FloatArray:
        """Return the coefficients, raised above 0 where necessary (see `UNNOTICED_SHARE`)."""
        middle = np.where(self.there > 0, np.sqrt(self.high * self.low), np.inf)
        room = [(middle / np.maximum(column, 1e-300)).min(axis=0) for column in self.columns]
        return np.where(self.absent, 1.0, np.maximum(start, UNNOTICED_SHARE * np.stack(room)))

    def law(self, coefficients: FloatArray) -> FloatArray:
        """Return the values of B laws at P points, (P, B). Values are divisors, so they are 1 at unmeasured
        points.
        """
        law = coefficients[0] * self.columns[0]
        for c, column in zip(coefficients[1:], self.columns[1:], strict=True):
            law = law + c * column
        return np.where(self.there > 0, law, 1.0)

    def slopes(self, slope_law: FloatArray, coefficients: FloatArray, weight: FloatArray) -> list[FloatArray]:
        """Return the derivative, with respect to each coefficient, of a function plus the barriers that keep
        coefficients above 0. `slope_law` (P, B) has the function's derivatives with respect to the values of
        B laws at P points.
        """
        rows = zip(self.columns, self.absent, coefficients, strict=True)
        return [
            (slope_law * column).sum(axis=0) - weight * np.where(gone, 0, 1 / c) for column, gone, c in rows
        ]

    def curvature(
        self, curve_law: FloatArray, coefficients: FloatArray, weight: FloatArray
    ) -> list[list[FloatArray]]:
        """Return the second derivatives of the same sum as in `slopes`, as a lower triangle. `curve_law`
        (P, B) has the function's second derivatives with respect to the values of B laws at P points.
        """
        curve: list[list[FloatArray]] = []
        for i, column in enumerate(self.columns):
            weighted = curve_law * column
            row = [(weighted * other).sum(axis=0) for other in self.columns[: i + 1]]
            row[i] = row[i] + weight / coefficients[i] ** 2
            curve.append(row)
        return curve

    def precision(self, curve_law: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the n coefficients of B laws, 0 for absent terms, and their precision, (n, n, B)."""
        n = len(self.columns)
        precision = np.empty((n, n, curve_law.shape[1]))
        for i in range(n):
            for j in range(i + 1):
                precision[i, j] = precision[j, i] = (curve_law * self.columns[i] * self.columns[j]).sum(
                    axis=0
                )
        return np.where(self.absent, 0, coefficients), precision * DRAW_PRECISION / n


class Below(Bounds):
    """Laws that do not exceed the smallest repetition at any point. Delays are exponentially distributed."""

    def begin(self, start: FloatArray) -> State:
        """Return a state to start from, with a law below all repetitions."""
        coefficients = self.positive(start)
        law = self.law(coefficients)
        room = np.where(self.there > 0, self.low / law, np.inf).min(axis=0)
        shrunk = coefficients * np.where(self.absent, 1.0, np.minimum(0.99 * room, 1.0))
        return shrunk, np.ones_like(room), self.law(shrunk)

    def step(self, state: State, weight: FloatArray) -> tuple[State, BoolArray]:
        """Take one step of Newton's method, and return whether each law took more than half of the full
        step.
        """
        coefficients, unused, law = state
        slack = self._slack(law)
        rate = self.total / self._delays(law)
        pull = self.count * self.mean / law**2
        press = weight * self.there / slack
        slope = self.slopes(self.count / law - rate * pull + press, coefficients, weight)
        curve = self.curvature(2 * rate * pull / law + press / slack, coefficients, weight)
        change = np.where(self.absent, 0, -_solve(curve, slope))
        law_change = self.law(change)
        worst = np.maximum(
            (law_change * self.there / slack).max(axis=0), (-change / coefficients).max(axis=0)
        )
        length = np.minimum(1.0, STEP_TO_BOUND / np.maximum(worst, 1e-12))
        return (coefficients + length * change, unused, law + length * law_change), length > 0.5

    def centres(self, state: State, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients, and their precision."""
        coefficients, _, law = state
        # The farther the law is below the bound, the longer and less likely are the delays. `soft` is the
        # distance over which the likelihood falls notably.
        soft = law * self._delays(law) / self.total**2 * len(coefficients)
        return self.precision(self.there / (self._slack(law) + soft) ** 2, coefficients)

    def _slack(self, law: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(self.low - law, 1e-300) * self.there + 1 - self.there)

    def _delays(self, law: FloatArray) -> FloatArray:
        delays = (self.count * (self.mean / law - 1)).sum(axis=0)
        return np.asarray(np.hypot(delays, self.total * RESOLUTION))


class Between(Bounds):
    """Laws between the bounds of uniform noise at every point. Here `half` is half the noise level."""

    def begin(self, start: FloatArray) -> State:
        """Return a state to start from, with a law inside all bounds."""
        coefficients = self.positive(start)
        law = self.law(coefficients)
        return coefficients, 1.1 * self._half(law) + 10 * RESOLUTION, law

    def step(self, state: State, weight: FloatArray) -> tuple[State, BoolArray]:
        """Take one step of Newton's method, and return whether each law took more than half of the full
        step.
        """
        coefficients, half, law = state
        over, under = self._slacks(half, law)
        grip_over, grip_under = self.there * (1 + half) / over, self.there * (1 - half) / under
        pull_over, pull_under = self.there * law / over, self.there * law / under
        slope = self.slopes(self.count / law - weight * (grip_over - grip_under), coefficients, weight)
        slope.append(self.total / half - weight * (pull_over + pull_under).sum(axis=0))
        curve = self.curvature(weight * (grip_over**2 + grip_under**2), coefficients, weight)
        cross = weight * (grip_over * pull_over - grip_under * pull_under)
        last = [(cross * column).sum(axis=0) for column in self.columns]
        last.append(weight * (pull_over**2 + pull_under**2).sum(axis=0) + weight / half**2)
        move = _solve([*curve, last], slope)
        change, wider = np.where(self.absent, 0, -move[:-1]), -move[-1]
        law_change = self.law(change)
        length = self._length(state, (change, wider, law_change), (over, under))
        moved = (coefficients + length * change, half + length * wider, law + length * law_change)
        inside = np.minimum(*(slack.min(axis=0) for slack in self._slacks(*moved[1:]))) > 0
        kept = [np.where(inside, new, old) for new, old in zip(moved, state, strict=True)]
        return (kept[0], kept[1], kept[2]), (length > 0.5) & inside

    def centres(self, state: State, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients, and their precision."""
        coefficients, half, law = state
        over, under = self._slacks(half, law)
        # A law beyond a bound is possible with a larger noise level, which lowers the likelihood. `soft` is
        # the distance beyond the bound over which the likelihood falls.
        soft = law * half * len(coefficients) / self.total
        curve = ((1 + half) / (over + soft)) ** 2 + ((1 - half) / (under + soft)) ** 2
        return self.precision(self.there * curve, coefficients)

    def _half(self, law: FloatArray) -> FloatArray:
        above = (self.high / law - 1).max(axis=0)
        below = np.where(self.there > 0, 1 - self.low / law, 0).max(axis=0)
        return np.asarray(np.maximum(above, below))

    def _slacks(self, half: FloatArray, law: FloatArray) -> tuple[FloatArray, FloatArray]:
        gone = 1 - self.there
        return (1 + half) * law - self.high + gone, self.low - (1 - half) * law + gone * (1 + law)

    def _length(self, state: State, change: State, slacks: tuple[FloatArray, FloatArray]) -> FloatArray:
        coefficients, half, law = state
        by, wider, law_change = change
        over = (1 + half) * law_change + wider * law
        under = wider * law - (1 - half) * law_change
        worst = np.maximum.reduce(
            [
                (-self.there * over / slacks[0]).max(axis=0),
                (-self.there * under / slacks[1]).max(axis=0),
                (-by / coefficients).max(axis=0),
                -wider / half,
            ]
        )
        return np.asarray(np.minimum(1.0, STEP_TO_BOUND / np.maximum(worst, 1e-12)))


def _solve(matrix: list[list[FloatArray]], right: list[FloatArray]) -> FloatArray:
    """Solve symmetric positive definite systems elementwise."""
    unit = [1 / np.sqrt(row[-1]) for row in matrix]
    scaled = [
        [part * u * unit[i] for part, u in zip(row, unit, strict=False)] for i, row in enumerate(matrix)
    ]
    found = solve(scaled, [each * u for each, u in zip(right, unit, strict=True)], np.zeros(1)).coefficients
    return np.stack([each * u for each, u in zip(found, unit, strict=True)])
