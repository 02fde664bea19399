"""How much runs tell about the total at a target, under plausible or fitted laws of the functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

RIDGE = 1e-6
"""Prior information on each coefficient, in units of one run. It keeps the variance of any design finite."""

DEVIATION = 0.3
"""Variance of a function's deviations from its guessed law at any point, relative to the variance of a run.
With 0.3, three runs at one point give half the information of infinitely many. Of eight programs of three
parameters with 20 % of noise, none had an error of more than 10 %. With 0.1 four had such an error, and with
0.02 two (`tests/benchmarks/deduced_designs.py`).
"""


@dataclass(frozen=True)
class Laws:
    """G plausible or fitted laws of the same parameters, as the rows of linear regressions.

    Candidates that differ only in parameters without effect on the laws are one point. There are N such
    points, C candidates and n coefficients.

    Attributes:
        rows: (G, N, n) regressors at the points, divided by the standard deviation of a run.
        aim: (G, n) regressors at the target.
        points: (C,) index of the point of each candidate.
        weight: weight of these laws' variances in the sum over all laws.
        prior: prior information on each coefficient, the inverse of a variance.
        deviation: (G, N) variances of the functions' deviations from the laws, relative to that of a run.
    """

    rows: FloatArray
    aim: FloatArray
    points: IntArray
    weight: float
    prior: float = RIDGE
    deviation: float | FloatArray = DEVIATION

    def variance(self, runs: FloatArray) -> tuple[float, FloatArray]:
        """Return the sum of the laws' variances at the target after `runs` (C,), and its decrease by a run
        at any candidate, (C,).
        """
        together = np.bincount(self.points, runs, minlength=self.rows.shape[1])
        shared = 1 + self.deviation * together
        information = (self.rows * (together / shared)[..., None]).swapaxes(1, 2) @ self.rows
        information += self.prior * np.eye(self.rows.shape[2])
        solved = np.linalg.solve(information, self.aim[..., None])
        lowered = ((self.rows @ solved)[..., 0] / shared) ** 2
        return float((self.aim * solved[..., 0]).sum()), lowered.sum(axis=0)[self.points]


Learned = Callable[[FloatArray, "Wanted"], Iterable[Laws]]
"""Returns laws fitted to measurements, given C candidates with m parameters (C, m)."""


@dataclass(frozen=True)
class Wanted:
    """The goal of the further runs.

    Attributes:
        functions: indices of parameters → the number of functions that depend on exactly these.
        target: (m,) the point of the prediction.
        core_hours: most core hours of the whole plan.
        runs: most runs of the whole plan.
        learned: returns the laws by which runs are chosen; None: the plausible laws.
    """

    functions: Mapping[tuple[int, ...], int]
    target: FloatArray
    core_hours: float
    runs: int
    learned: Learned | None = None


def variance_of(laws: Sequence[Laws], runs: FloatArray) -> tuple[float, FloatArray]:
    """Return the variance of the total at the target after `runs`, and its decrease by each further run."""
    total, worth = 0.0, np.zeros(len(runs))
    for law in laws:
        variance, lowered = law.variance(runs)
        total += law.weight * variance
        worth += law.weight * lowered
    return total, worth
