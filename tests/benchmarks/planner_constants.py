"""Measure what half and twice a constant of the planner trade: core hours against the accuracy of plans.

    python -m tests.benchmarks.planner_constants [--versions 60] [--seed 0]

FACTOR and EXPONENT: versions of synthetic programs were measured at five values. The kernels of each
version's successor differ by a log-normal factor of about 10 %, and one kernel in ten has an exponent that
differs by 0.5. The successor was measured only at its smallest point. A printed line has the distance of the
successor's true total at the target from the prediction of the earlier laws, in standard deviations of the
prediction (root mean square; 1 is right). It also has the share of successors within two standard deviations,
the share of plans that do not use the earlier laws, and the median core hours of plans relative to those with
the constant's own value.

REMAINDER and NOTICEABLE: campaigns have noise and deviations of 5 %, and a target of 2 to 64 times their
largest value. A printed line has the mean share by which plans reduce the interval's half width, the share of
plans that are called hardly worth it, and the core hours of plans relative to those with the constant's own
value.
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
    """A version or campaign for which a plan is requested."""

    def figures(self) -> dict[str, float]:
        """Return the figures of one case, which a printed line combines."""


def table(name: str, module: ModuleType, cases: Sequence[Case]) -> None:
    """Print a line for half of the constant's value, for its own value, and for twice of it."""
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
    """Multiply a constant by a factor as long as the context is open."""
    own = getattr(module, name)
    setattr(module, name, own * factor)
    try:
        yield
    finally:
        setattr(module, name, own)


def cost(points: FloatArray) -> FloatArray:
    """Return the core hours of runs, whose time grows with their processes."""
    return np.asarray(points[:, 0] * (1 + 0.05 * points[:, 0]) / 3600)


class Successor:
    """A version that was measured at one point only, and the version before it."""

    def __init__(self, before: Earlier, value: FloatArray, truth: float) -> None:
        self.before, self.value, self.truth = before, value, truth

    def figures(self) -> dict[str, float]:
        """Return the figures that the module's docstring describes for FACTOR and EXPONENT."""
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
    """A campaign that deviates from its laws, and a target beyond it."""

    def __init__(self, values: FloatArray, target: float) -> None:
        self.values, self.target, self.models = values, [target], fit(POINTS, values)

    def figures(self) -> dict[str, float]:
        """Return the figures that the module's docstring describes for REMAINDER and NOTICEABLE."""
        plan = plan_next(POINTS, self.values, OFFERED[:6], cost, target=self.target, models=self.models)
        return {
            "taken away": taken_away(plan), "hardly": float(plan.hardly), "core hours": plan.cost or np.nan,
        }  # fmt: skip


def taken_away(plan: Plan) -> float:
    """Return the expected decrease of the interval's half width by a plan, as a share."""
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
