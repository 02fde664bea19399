"""Where the likelihood of uniform noise has its top, and how fast it falls: a corner, not a hill.

Given its level, uniform noise bounds a law at every point from both sides. The level that is just possible
is found by an interior-point method: the logarithm of the level is brought down while logarithmic barriers
keep the law inside of the bounds.
"""

import numpy as np

from modeling.engine.evidence.draws import Centres
from modeling.engine.evidence.runs import RESOLUTION, Runs
from modeling.engine.validation import FloatArray

AT_ONCE = 20_000
"""Numbers of one temporary array, so that all of them stay near the processor."""

STEPS = 14
SHRINK = 0.25
TO_THE_WALL = 0.9
"""How much of the way to the nearest bound one step may go."""


def sharpen(columns: FloatArray, start: FloatArray, runs: Runs) -> Centres:
    """Find the coefficients that need the least level, and their precision.

    `columns` (n, P, B), the first being 1, and 0 for absent terms; `start` (n, B); `runs` of each law's kernel.
    """
    step = max(16, AT_ONCE // columns.shape[1])
    parts = [
        _sharpened(columns[..., part], start[:, part], runs.part(part))
        for part in np.split(np.arange(columns.shape[2]), range(step, columns.shape[2], step))
    ]
    return Centres(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))


def _sharpened(columns: FloatArray, start: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
    problem = _Problem(columns, runs)
    state = problem.begin(start)
    weight = problem.total / (2.0 * problem.point_count)
    least = (len(columns) + 1) / problem.point_count
    for _ in range(STEPS):
        state, far = problem.step(state, weight)
        weight = np.maximum(weight * np.where(far, SHRINK, 0.7), least)
    return problem.centres(state, weight)


State = tuple[FloatArray, FloatArray, FloatArray]
"""Coefficients (n, B), half the level (B,), and the law's values (P, B)."""


class _Problem:
    """Bounds high ≤ (1 + half)·law and (1 − half)·law ≤ low at every point with runs."""

    def __init__(self, columns: FloatArray, runs: Runs) -> None:
        self.columns = columns
        self.there = (runs.count > 0).astype(float)
        self.count = runs.count
        self.high = np.where(runs.count > 0, runs.high, 0.0)
        self.low = np.where(runs.count > 0, runs.low, 0.0)
        self.total = runs.total
        self.point_count = self.there.sum(axis=0)
        self.absent = ~columns.any(axis=1)

    def begin(self, start: FloatArray) -> State:
        middle = np.sqrt(self.high * self.low).sum(axis=0) / self.point_count
        size = np.maximum(self.columns.mean(axis=1), 1e-300)
        coefficients = np.where(self.absent, 1.0, np.maximum(start, 1e-4 * middle / size))
        law = self._law(coefficients)
        half = 1.1 * self._half(law) + 10 * RESOLUTION
        return coefficients, half, law

    def step(self, state: State, weight: FloatArray) -> tuple[State, np.ndarray]:
        coefficients, half, law = state
        over, under = self._slacks(half, law)
        grip_over, grip_under = self.there * (1 + half) / over, self.there * (1 - half) / under
        pull_over, pull_under = self.there * law / over, self.there * law / under
        slope_law = self.count / law - weight * (grip_over - grip_under)
        slope = [
            (slope_law * column).sum(axis=0) - weight * np.where(gone, 0, 1 / c)
            for column, gone, c in zip(self.columns, self.absent, coefficients, strict=True)
        ]
        slope.append(self.total / half - weight * (pull_over + pull_under).sum(axis=0))
        curve = self._curvature(coefficients, half, weight, (grip_over, grip_under, pull_over, pull_under))
        move = _solve(curve, slope)
        change = np.where(self.absent, 0, -move[:-1])
        wider = -move[-1]
        law_change = self._law(change)
        length = self._length(state, (change, wider, law_change), (over, under))
        moved = (coefficients + length * change, half + length * wider, law + length * law_change)
        outside = np.minimum(*(slack.min(axis=0) for slack in self._slacks(*moved[1:]))) <= 0
        stay = np.where(outside, 0.0, 1.0)
        kept = tuple(old + stay * (new - old) for old, new in zip(state, moved, strict=True))
        return (kept[0], kept[1], kept[2]), (length > 0.5) & ~outside

    def centres(self, state: State, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        coefficients, half, law = state
        over, under = self._slacks(half, law)
        press = (self.there * weight * (1 + half) / over) ** 2 + (
            self.there * weight * (1 - half) / under
        ) ** 2
        n = len(self.columns)
        precision = np.empty((n, n, len(half)))
        for i in range(n):
            for j in range(i + 1):
                precision[i, j] = precision[j, i] = (press * self.columns[i] * self.columns[j]).sum(axis=0)
        return np.where(self.absent, 0, coefficients), precision

    def _law(self, coefficients: FloatArray) -> FloatArray:
        law = coefficients[0] * self.columns[0]
        for c, column in zip(coefficients[1:], self.columns[1:], strict=True):
            law = law + c * column
        return np.asarray(law)

    def _half(self, law: FloatArray) -> FloatArray:
        above = (self.high / law - 1).max(axis=0)
        below = np.where(self.there > 0, 1 - self.low / law, 0).max(axis=0)
        return np.asarray(np.maximum(above, below))

    def _slacks(self, half: FloatArray, law: FloatArray) -> tuple[FloatArray, FloatArray]:
        gone = 1 - self.there
        return (1 + half) * law - self.high + gone, self.low - (1 - half) * law + gone * (1 + law)

    def _curvature(
        self, coefficients: FloatArray, half: FloatArray, weight: FloatArray, grips: tuple[FloatArray, ...]
    ) -> list[list[FloatArray]]:
        grip_over, grip_under, pull_over, pull_under = grips
        both = weight * (grip_over**2 + grip_under**2)
        cross = weight * (grip_over * pull_over - grip_under * pull_under)
        curve: list[list[FloatArray]] = []
        for i, column in enumerate(self.columns):
            weighted = both * column
            row = [(weighted * other).sum(axis=0) for other in self.columns[: i + 1]]
            row[i] = row[i] + weight / coefficients[i] ** 2
            curve.append(row)
        last = [(cross * column).sum(axis=0) for column in self.columns]
        last.append(weight * (pull_over**2 + pull_under**2).sum(axis=0) + weight / half**2)
        curve.append(last)
        return curve

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
        return np.minimum(1.0, TO_THE_WALL / np.maximum(worst, 1e-12))


def _solve(matrix: list[list[FloatArray]], right: list[FloatArray]) -> FloatArray:
    """Solve symmetric positive definite systems, elementwise, by Cholesky's factorisation."""
    n = len(right)
    unit = [1 / np.sqrt(matrix[i][i]) for i in range(n)]
    lower: list[list[FloatArray]] = []
    half: list[FloatArray] = []
    for i in range(n):
        row: list[FloatArray] = []
        for j in range(i):
            value = matrix[i][j] * unit[i] * unit[j]
            for k in range(j):
                value = value - row[k] * lower[j][k]
            row.append(value / lower[j][j])
        left = 1.0 - sum((part * part for part in row), np.zeros_like(right[i]))
        row.append(np.sqrt(np.maximum(left, 1e-12)))
        lower.append(row)
        value = right[i] * unit[i]
        for k in range(i):
            value = value - row[k] * half[k]
        half.append(value / row[i])
    found: list[FloatArray] = [np.zeros_like(right[0])] * n
    for i in reversed(range(n)):
        value = half[i]
        for k in range(i + 1, n):
            value = value - lower[k][i] * found[k]
        found[i] = value / lower[i][i]
    return np.stack([f * u for f, u in zip(found, unit, strict=True)])
