"""How far designs deduced from a profile predict, beside full factorial ones, and what they cost.

    python -m tests.benchmarks.deduced_designs [--applications 40] [--seed 0]

A synthetic application has 8 functions with a constant, of 3 or 4 parameters. "additive": each depends on
one of them; "partly": every second one on two that always are the same ones. It runs a main loop of 10
iterations, whose times scatter by 5 or 20 % (full width); "jobs": what a run's iterations share scatters as
much again. A full factorial design has five repetitions of all combinations, and its functions are modelled
without and with the profile: the better of both counts. Errors are those of the total at twice and four
times the largest values of all parameters, medians over the applications; costs are processes times time.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from modeling.engine import fit, full_factorial, plan_minimal
from modeling.engine.design.plans import Plan
from modeling.engine.design.program import fit_program
from modeling.engine.laws.synthetic import SERIES, continued
from modeling.engine.laws.terms import EXPONENTS
from modeling.engine.validation import FloatArray

FUNCTIONS = 8
ITERATIONS = 10
NOISE_RUNS = 3
NAMES = ("p", "n", "m", "k")
MOST_POWER = 2.0


class Application:
    """Functions c0 + c1 · Π x^i log^j of one or two parameters, of similar size amid the values."""

    def __init__(self, parameters: int, kind: str, rng: np.random.Generator) -> None:
        self.names = NAMES[:parameters]
        self.series = dict(zip(self.names, SERIES[:parameters], strict=True))
        self.depends_on: list[set[str]] = []
        self._exponents = np.zeros((FUNCTIONS, parameters, 2))
        pairs = np.array([pair for pair in EXPONENTS if pair[0] <= MOST_POWER])
        for number in range(FUNCTIONS):
            both = kind == "partly" and number % 2
            chosen = [0, 1] if both else [number % parameters]
            self.depends_on.append({self.names[at] for at in chosen})
            self._exponents[number, chosen] = pairs[rng.integers(len(pairs), size=len(chosen))]
        middle = np.array([[np.sqrt(series[0] * series[-1]) for series in self.series.values()]])
        self._coefficients = rng.uniform(0.1, 1, FUNCTIONS) / self._terms(middle)[:, 0]
        self._constants = rng.uniform(0.01, 0.5, FUNCTIONS)

    def _terms(self, points: FloatArray) -> FloatArray:
        powers = (
            points.T[None] ** self._exponents[..., :1] * np.log2(points).T[None] ** self._exponents[..., 1:]
        )
        return np.asarray(powers.prod(axis=1))

    def truth(self, points: FloatArray) -> FloatArray:
        """Times of the functions, (K, P)."""
        return np.asarray(self._constants[:, None] + self._coefficients[:, None] * self._terms(points))

    def cost(self, points: FloatArray) -> FloatArray:
        """Processes times time of a run."""
        return np.asarray(points[:, 0] * self.truth(points).sum(axis=0))

    def run(self, plan: Plan, noise: float, jobs: float, rng: np.random.Generator) -> FloatArray:
        """Measured times (K, P, R), each a mean over the iterations."""
        shape = (FUNCTIONS, len(plan), int(plan.repetitions.max()))
        iterations = rng.uniform(1 - noise / 2, 1 + noise / 2, (*shape, ITERATIONS)).mean(axis=3)
        values = self.truth(plan.points)[:, :, None] * iterations
        values *= rng.uniform(1 - jobs / 2, 1 + jobs / 2, shape)
        return np.where(np.arange(shape[2]) < plan.repetitions[:, None], values, np.nan)


def main() -> None:
    """Print errors and costs of both designs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--applications", type=int, default=40, help="of each cell")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"{'':34}{'runs':>12}{'cost':>8}{'error ×2':>22}{'ratio':>7}{'error ×4':>22}{'ratio':>7}")
    for parameters in (3, 4):
        for kind in ("additive", "partly"):
            for noise in (0.05, 0.2):
                for jobs in (0.0, noise):
                    cell(parameters, kind, noise, jobs, count=arguments.applications, seed=arguments.seed)


def cell(parameters: int, kind: str, noise: float, jobs: float, *, count: int, seed: int) -> None:
    """Print one line: a kind of application under one noise."""
    rng = np.random.default_rng(seed)
    errors, costs, runs = [], [], (0, 0)
    for _ in range(count):
        application = Application(parameters, kind, rng)
        profile = {str(number): found for number, found in enumerate(application.depends_on)}
        deduced = plan_minimal(
            {name: found | {"iterations"} for name, found in profile.items()}, application.series,
            linear={"iterations"}, iterations=ITERATIONS, cost=application.cost, noise_runs=NOISE_RUNS,
        )  # fmt: skip
        full = full_factorial(application.series, cost=application.cost)
        assert deduced.cost is not None
        assert full.cost is not None
        costs.append(deduced.cost / full.cost)
        runs = (deduced.runs, full.runs)
        errors.append(
            [*error_of(application, deduced, noise, jobs, rng)[0], *best(application, full, noise, jobs, rng)]
        )
    ours2, ours4, theirs2, theirs4 = np.median(np.array(errors), axis=0)
    name = f"m={parameters}, {kind}, noise {noise:.0%}{', jobs' if jobs else ''}"
    print(
        f"{name:34}{runs[0]:>5} / {runs[1]:<5}{np.median(costs):>7.1%}"
        f"{ours2:>10.2%} / {theirs2:<9.2%}{ours2 / theirs2:>7.2f}"
        f"{ours4:>10.2%} / {theirs4:<9.2%}{ours4 / theirs4:>7.2f}",
        flush=True,
    )


def best(
    application: Application, plan: Plan, noise: float, jobs: float, rng: np.random.Generator
) -> Sequence[float]:
    """The smaller errors of the full design's models, with and without the profile."""
    return np.min(error_of(application, plan, noise, jobs, rng, plain=True), axis=0).tolist()


def error_of(
    application: Application,
    plan: Plan,
    noise: float,
    jobs: float,
    rng: np.random.Generator,
    *,
    plain: bool = False,
) -> list[list[float]]:
    """Relative errors of the total at twice and four times the largest values: with the profile, and
    without."""
    values = application.run(plan, noise, jobs, rng)
    ahead = np.array(
        [[continued(series, steps)[-1] for series in application.series.values()] for steps in (1, 2)]
    )
    truth = application.truth(ahead).sum(axis=0)
    found = [fit_program(plan.points, values, application.depends_on, application.names).predict(ahead)]
    if plain:
        found.append(fit(plan.points, values).predict(ahead))
    return [(np.abs(each.sum(axis=0) - truth) / truth).tolist() for each in found]


if __name__ == "__main__":
    main()
