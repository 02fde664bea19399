"""Bound how certain a prediction at one point can be, whichever runs are made within two limits.

The laws are known except their coefficients, which are fitted by weighted least squares. Then the variance of
the prediction is convex in the numbers of runs, and is halved if all of them are doubled. So the theorem on
optimal designs (Kiefer and Wolfowitz 1960; Pukelsheim, Optimal Design of Experiments, 1993) turns any design
into a bound that no design can be below.
"""

import numpy as np

from modeling.engine.validation import FloatArray

STEPS = 200
HALVINGS = 8
"""Halvings of the interval of prices. With these and `STEPS`, bounds are at most 3 % too low."""

CLOSE = 1.01
"""A bound is good enough if some design's variance is at most this factor above it."""

LEAST = 1e-12
"""Smallest share that is spent on each point, so that no information is singular."""


def least_variance(
    rows: FloatArray, aim: FloatArray, costs: FloatArray, limits: tuple[float, float]
) -> float:
    """Return a lower bound on the variance of a prediction, for any design within both limits.

    The sum of K functions is predicted. Each has n coefficients, regressors `rows` (K, P, n) at P points,
    divided by the standard deviation of a run, and `aim` (K, n) at the target. A run takes `costs` (P,).
    `limits` are the most costs and the most runs of a design, whose numbers of runs need not be whole.

    A design within both limits also costs at most 1 in any mixed price of both. The mixture is sought whose
    bound is the highest.
    """
    bound, lower, upper = 0.0, 0.0, 1.0
    of_costs = 1.0
    for _ in range(HALVINGS):
        price = of_costs * costs / limits[0] + (1 - of_costs) / limits[1]
        runs = _cheapest(rows, aim, price)
        spread, worth = variance(rows, aim, runs)
        bound = max(bound, spread**2 / float((worth / price).max()))
        used = float(runs @ costs) / limits[0], float(runs.sum()) / limits[1]
        if spread * max(used) <= CLOSE * bound:
            break
        lower, upper = (of_costs, upper) if used[0] > used[1] else (lower, of_costs)
        of_costs = (lower + upper) / 2
    return bound


def _cheapest(rows: FloatArray, aim: FloatArray, price: FloatArray) -> FloatArray:
    """Return numbers of runs (P,) of a total price of 1 that nearly minimise the variance.

    The steps are those of Silvey, Titterington and Torsney (1978).
    """
    spent = np.full(len(price), 1 / len(price))
    for _ in range(STEPS):
        spent *= np.sqrt(variance(rows, aim, spent / price)[1] / price)
        spent = np.maximum(spent / spent.sum(), LEAST)
    return np.asarray(spent / spent.sum() / price)


def variance(rows: FloatArray, aim: FloatArray, runs: FloatArray) -> tuple[float, FloatArray]:
    """Return the variance at the target, and by how much a run at each point lowers it, (P,).

    The variance is that of weighted least squares on the functions' `rows` (K, P, n) with `runs` (P,).
    """
    information = np.einsum("p,kpi,kpj->kij", runs, rows, rows)
    solved = np.linalg.solve(information, aim[..., None])[..., 0]
    return float((aim * solved).sum()), (np.einsum("kpi,ki->kp", rows, solved) ** 2).sum(axis=0)
