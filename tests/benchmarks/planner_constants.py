"""What half and twice a constant of the planner trades: core hours against what plans settle.

    python -m tests.benchmarks.planner_constants [--versions 60] [--seed 0]

FACTOR and EXPONENT: versions of synthetic programs that were measured at five values; their successors differ
by a factor of some 10 % (log-normal), and one in ten kernels has an exponent that is changed by a half. The
successor was measured at its smallest point only. A line has how far its true total at the target lies from
what the carried laws predict, in their standard deviations (root mean square; 1 is right), the share of
successors within two of them, the share of plans that give the earlier laws up, and the median core hours of
plans, relative to those with the constant's own value.

REMAINDER and NOTICEABLE: campaigns with noise and deviations of 5 % whose target is 2 to 64 times their
largest value. A line has the mean share of the interval's half width that plans take away, their core hours
relative to those with the constant's own value, and the share of plans that are called hardly worth it.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol

import numpy as np

from modeling.engine import plan_next
from modeling.engine.design import choosing, earlier, worth
from modeling.engine.design.beliefs import Beliefs
from modeling.engine.design.earlier import Earlier, carried_over
from modeling.engine.design.plans import Plan
from modeling.engine.fitting import fit
from modeling.engine.validation import FloatArray

POINTS = np.array([[4.0], [8.0], [16.0], [32.0], [64.0]])
OFFERED = np.array([[4.0], [8.0], [16.0], [32.0], [64.0], [128.0], [256.0], [512.0]])
TARGET = np.array([1024.0])
NOISE = 0.02
KERNELS = 4
CHANGED = 0.1
"""Share of kernels whose exponent differs in the successor."""
FACTORS = (0.5, 1.0, 2.0)


def main() -> None:
    """Print a table for each constant."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--versions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name in ("FACTOR", "EXPONENT"):
        table(name, earlier, [successor(number) for number in seeds(arguments)])
    for name, module in (("REMAINDER", choosing), ("NOTICEABLE", worth)):
        table(name, module, [deviating(number) for number in seeds(arguments)])


def seeds(arguments: argparse.Namespace) -> range:
    """Return the seed of each version or campaign."""
    return range(arguments.seed, arguments.seed + arguments.versions)


class Case(Protocol):
    """A version or campaign of which a plan is asked."""

    def figures(self) -> dict[str, float]:
        """Return what a line is made of."""


def table(name: str, module: ModuleType, cases: Sequence[Case]) -> None:
    """Print a line for half of a constant, its own value, and twice of it."""
    rows = {}
    for factor in FACTORS:
        with multiplied(module, name, factor):
            rows[factor] = [case.figures() for case in cases]
    own = [row["core hours"] for row in rows[1.0]]
    for factor, found in rows.items():
        told = {key: np.array([row[key] for row in found]) for key in found[0]}
        hours = told.pop("core hours") / np.maximum(own, np.finfo(float).tiny)
        parts = [f"{key} {summed(key, values):.2f}" for key, values in told.items()]
        value = getattr(module, name) * factor
        print(f"{name} = {value:g}: {', '.join(parts)}, core hours × {np.nanmedian(hours):.2f}", flush=True)


def summed(key: str, values: FloatArray) -> float:
    """Return the root mean square of distances, and the mean of shares."""
    return float(np.sqrt(np.mean(values**2))) if key == "distance" else float(np.mean(values))


@contextmanager
def multiplied(module: ModuleType, name: str, factor: float) -> Iterator[None]:
    """Multiply a constant for as long as the context lasts."""
    own = getattr(module, name)
    setattr(module, name, own * factor)
    try:
        yield
    finally:
        setattr(module, name, own)


def cost(points: FloatArray) -> FloatArray:
    """Return core hours: runs grow with their processes."""
    return np.asarray(points[:, 0] * (1 + 0.05 * points[:, 0]) / 3600)


class Successor:
    """A version of which one point was measured, and the version before."""

    def __init__(self, before: Earlier, value: FloatArray, truth: float) -> None:
        self.before, self.value, self.truth = before, value, truth

    def figures(self) -> dict[str, float]:
        """See the module."""
        noise = np.full(KERNELS, NOISE**2)
        carried = carried_over(
            self.before, OFFERED, TARGET, points=POINTS[:1], medians=self.value, noise=noise
        )
        plan = plan_next(
            POINTS[:1], self.value[..., None], OFFERED, cost, target=TARGET,
            before=(self.before.points, self.before.values), before_models=self.before.models,
        )  # fmt: skip
        distance = self.distance(carried.beliefs)
        return {
            "distance": distance,
            "within two": float(abs(distance) < 2),
            "given up": float(carried.contradicted),
            "core hours": plan.cost or np.nan,
        }

    def distance(self, beliefs: Beliefs) -> float:
        """Return how far the truth lies from what the laws predict, in standard deviations."""
        return float((np.log(self.truth) - np.log(np.exp(beliefs.mean).sum())) / np.sqrt(beliefs.open()))


def laws(rng: np.random.Generator) -> FloatArray:
    """Return constants, coefficients and exponents of kernels, (3, KERNELS)."""
    return np.stack(
        [rng.uniform(1, 5, KERNELS), rng.uniform(0.05, 0.5, KERNELS), rng.uniform(0.3, 1.5, KERNELS)]
    )


def at(law: FloatArray, points: FloatArray) -> FloatArray:
    """Return the values of laws at points (P, 1), (KERNELS, P)."""
    return np.asarray(law[0][:, None] + law[1][:, None] * points[:, 0] ** law[2][:, None])


def successor(seed: int) -> Successor:
    """Return a version and its successor."""
    rng = np.random.default_rng(seed)
    law = laws(rng)
    values = at(law, POINTS)[..., None] * np.exp(rng.normal(0, NOISE, (KERNELS, len(POINTS), 3)))
    new = law.copy()
    new[:2] *= np.exp(rng.normal(0, 0.1, KERNELS))
    new[2] += np.where(rng.random(KERNELS) < CHANGED, rng.choice([-0.5, 0.5], KERNELS), 0.0)
    value = at(new, POINTS[:1]) * np.exp(rng.normal(0, NOISE, (KERNELS, 1)))
    return Successor(Earlier(POINTS, values, fit(POINTS, values)), value, float(at(new, TARGET[None]).sum()))


class Deviating:
    """A campaign and a target beyond it."""

    def __init__(self, values: FloatArray, target: float) -> None:
        self.values, self.target, self.models = values, [target], fit(POINTS, values)

    def figures(self) -> dict[str, float]:
        """See the module."""
        plan = plan_next(POINTS, self.values, OFFERED[:6], cost, target=self.target, models=self.models)
        return {
            "taken away": taken_away(plan), "hardly": float(plan.hardly), "core hours": plan.cost or np.nan,
        }  # fmt: skip


def taken_away(plan: Plan) -> float:
    """Return the share of the interval's half width that a plan is expected to take away."""
    if plan.expected is None or not plan.runs:
        return 0.0
    return float(1 - np.log(plan.expected.width_after) / np.log(plan.expected.width_before))


def deviating(seed: int) -> Deviating:
    """Return a campaign with noise and deviations of 5 %."""
    rng = np.random.default_rng(seed)
    true = at(laws(rng), POINTS) * np.exp(rng.normal(0, 0.05, (KERNELS, len(POINTS))))
    values = true[..., None] * np.exp(rng.normal(0, 0.05, (KERNELS, len(POINTS), 3)))
    return Deviating(values, float(64 * 2 ** rng.integers(1, 7)))


if __name__ == "__main__":
    main()
