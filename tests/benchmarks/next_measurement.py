"""Core hours to the same interval or error: proposed measurements beside random and cheapest-first ones.

    python -m tests.benchmarks.next_measurement [--real FOLDER] [--kernels 3] [--orders 5] [--seed 0]

Campaigns are measured already, and replayed: each begins with its three cheapest values of every parameter,
on lines, its largest point is the target and never measured, and strategies choose from all other points,
whole points with all of their repetitions, one after the other. "random": the mean of some orders.
"cheapest": lines of five from the cheap end, then whatever costs least, as Extra-P's measurement point
advisor begins with. Compared are the core hours
after which the interval at the target stays within the (geometric) middle of those with the first points and
with all, and those after which the error stays at most 2 % above that with all points. Cases whose interval
is narrower than 10 % from the first points on, or for which one strategy needs no further point, count for
nobody. Synthetic campaigns have one to three parameters; FOLDER holds real ones, as JSON Lines. Costs are
time times processes, where a parameter counts them.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.formats import parse
from modeling.engine import fit, plan_next
from modeling.engine.design.plans import PlanError
from modeling.engine.laws.synthetic import Functions, grid, measure, random_functions
from modeling.engine.validation import FloatArray, IntArray

BEGIN = 3
LINE = 5
MORE_ERROR = 0.02
"""By how much an error may be larger than with all points to count as the same."""
OPEN = 0.1
MOST_POINTS = 16
PROCESSES = ("p", "ranks", "nodes", "threads", "processes")

Strategy = Callable[["Case", list[int], np.random.Generator], int]


@dataclass(frozen=True)
class Case:
    """A kernel: points (P, m), values (P, R), core hours (P,), and its target, the number of a point."""

    name: str
    points: FloatArray
    values: FloatArray
    costs: FloatArray
    target: int

    @property
    def others(self) -> list[int]:
        """All points but the target."""
        return [at for at in range(len(self.points)) if at != self.target]


@dataclass(frozen=True)
class Trace:
    """Core hours spent, width of the interval (logarithm of upper over lower) and error after each point."""

    spent: FloatArray
    width: FloatArray
    error: FloatArray


def main() -> None:
    """Print shares of core hours, and in how many cases they are at most 60 %."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--real", type=Path, help="folder of measured campaigns")
    parser.add_argument("--kernels", type=int, default=3, help="of each campaign")
    parser.add_argument("--orders", type=int, default=5, help="random ones")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    groups = {"synthetic": list(synthetic(arguments.kernels, rng))}
    if arguments.real:
        groups["measured"] = list(measured(arguments.real, arguments.kernels))
    for name, cases in groups.items():
        shares = [row for case in cases for row in [compared(case, arguments.orders, rng)]]
        report(name, np.array(shares))


def report(name: str, shares: FloatArray) -> None:
    """Print one line for each strategy and measure."""
    for column, what in enumerate(
        ("random, interval", "random, error", "cheapest, interval", "cheapest, error")
    ):
        found = shares[:, column]
        found = found[np.isfinite(found)]
        print(
            f"{name}, {what}: {np.mean(found <= 0.6):.0%} of {len(found)} cases with at most 60 % of the "
            f"core hours, median {np.median(found):.0%}, upper quartile {np.quantile(found, 0.75):.0%}",
            flush=True,
        )


def compared(case: Case, orders: int, rng: np.random.Generator) -> list[float]:
    """Core hours of ours over those of the others, to the same interval and to the same error."""
    ours = replayed(case, proposed, rng)
    randoms = [replayed(case, at_random, rng) for _ in range(orders)]
    cheap = replayed(case, cheapest, rng)
    shares = [
        float(np.median([share(ours, other, measure) for other in randoms])) for measure in ("width", "error")
    ]
    shares += [share(ours, cheap, measure) for measure in ("width", "error")]
    print(f"{case.name}: " + ", ".join(f"{value:.0%}" for value in shares), flush=True)
    return shares


def share(ours: Trace, other: Trace, measure: str) -> float:
    """Core hours until ours reaches the level for good, over those of the other strategy; NaN where it counts
    for nobody."""
    if not _open(ours):
        return np.nan
    spent = [_until(trace, measure) for trace in (ours, other)]
    return spent[0] / spent[1] if spent[1] else np.nan


def _open(trace: Trace) -> bool:
    """Whether the first points leave anything to be found out."""
    return bool(trace.width[0] > OPEN)


def _until(trace: Trace, measure: str) -> float:
    """Core hours after which a measure is, and stays, at most at its level."""
    found = getattr(trace, measure)
    level = np.sqrt(found[0] * found[-1]) if measure == "width" else found[-1] + MORE_ERROR
    worse = np.flatnonzero(~(found <= max(level, found[-1])))
    return float(trace.spent[worse[-1] + 1 if len(worse) else 0])


def replayed(case: Case, choose: Strategy, rng: np.random.Generator) -> Trace:
    """Measure point after point until all are."""
    known = begun(case)
    rows = []
    spent = 0.0
    while True:
        rows.append((spent, *state(case, known)))
        if len(known) == len(case.others):
            break
        chosen = choose(case, known, rng)
        known = [*known, chosen]
        spent += float(case.costs[chosen])
    columns = np.array(rows).T
    return Trace(*columns)


def begun(case: Case) -> list[int]:
    """The cheapest values of each parameter on lines through the smallest point."""
    points = case.points
    base = points[case.others][int(np.argmin(np.log(points[case.others]).sum(axis=1)))]
    chosen = []
    for axis in range(points.shape[1]):
        rest = np.delete(points, axis, axis=1) == np.delete(base, axis)
        line = [at for at in case.others if rest[at].all()]
        chosen += sorted(line, key=lambda at, axis=axis: points[at, axis])[:BEGIN]
    return list(dict.fromkeys(chosen))


def state(case: Case, known: list[int]) -> tuple[float, float]:
    """Width of the interval at the target, and the error there."""
    models = fit(case.points[known], case.values[None, known])
    aim = case.points[case.target][None]
    predicted, lower, upper = (array[0, 0] for array in models.estimates(aim))
    truth = np.nanmedian(case.values[case.target])
    width = np.log(upper / lower) if lower > 0 and np.isfinite(upper) else np.inf
    return float(width), float(abs(predicted - truth) / truth)


def proposed(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """The first new point that is proposed; the cheapest one where none is."""
    left = [at for at in case.others if at not in known]
    try:
        plan = plan_next(
            case.points[known], case.values[None, known], case.points[left], case.costs[left],
            target=case.points[case.target],
        )  # fmt: skip
    except (PlanError, ValueError):
        return cheapest(case, known, rng)
    if not len(plan):
        return min(left, key=lambda at: case.costs[at])
    return next(at for at in left if (case.points[at] == plan.points[0]).all())


def at_random(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """Any point that is left."""
    return int(rng.choice([at for at in case.others if at not in known]))


def cheapest(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """Lines of five from the cheap end, then the cheapest point."""
    left = [at for at in case.others if at not in known]
    base = case.points[known[0]]
    on_lines = [at for at in left if (case.points[at] != base).sum() == 1]
    values = [len(np.unique(case.points[known][:, axis])) for axis in range(case.points.shape[1])]
    short = [at for at in on_lines if values[int(np.argmax(case.points[at] != base))] < LINE]
    return min(short or left, key=lambda at: case.costs[at])


def synthetic(count: int, rng: np.random.Generator) -> Iterator[Case]:
    """Random laws of one to three parameters with noise of 5 and 20 %."""
    series = ((4, 8, 16, 32, 64, 128, 256), (10, 20, 30, 40, 50, 60), (100, 200, 300, 400))
    for parameters in (1, 2, 3):
        sizes = {1: (7,), 2: (6, 5), 3: (4, 3, 3)}[parameters]
        points = grid([values[:size] for values, size in zip(series, sizes, strict=False)])
        for noise in (0.05, 0.2):
            laws: Functions = random_functions(3 * count, parameters, rng)
            truth = laws.evaluate(points)
            for number in range(3 * count):
                values = measure(truth[number][None], rng, noise=noise, repetitions=3)[0]
                yield Case(
                    f"m={parameters} noise {noise:.0%} {number}", points, values,
                    points[:, 0] * truth[number], len(points) - 1,
                )  # fmt: skip


def measured(folder: Path, count: int) -> Iterator[Case]:
    """The heaviest kernels of each campaign with enough points."""
    for path in sorted(folder.glob("*.jsonl*")):
        campaign = parse(path)
        points = np.array(campaign.points, float)
        at = next((number for number, name in enumerate(campaign.parameters) if name in PROCESSES), None)
        kernels = [(key, np.array(values, float)) for key, values in campaign.series.items()]
        kernels.sort(key=lambda kernel: -np.nan_to_num(kernel[1]).max())
        for (kernel, metric), values in kernels[:count]:
            there = np.flatnonzero(np.isfinite(values).any(axis=1) & (np.nan_to_num(values).max(axis=1) > 0))
            there = thinned(there, MOST_POINTS)
            if len(there) < BEGIN + 3 or values[there].shape[1] == 0:
                continue
            some, runs = points[there], values[there]
            time = (
                np.nanmedian(runs, axis=1)
                if "time" in metric or metric.startswith("s")
                else np.ones(len(some))
            )
            costs = time * (some[:, at] if at is not None else 1.0)
            target = int(np.argmax(np.log(some).sum(axis=1)))
            yield Case(f"{path.name.split('.')[0]} {kernel[:30]}", some, runs, costs, target)


def thinned(numbers: IntArray, count: int) -> IntArray:
    """At most so many of the numbers, evenly spread."""
    if len(numbers) <= count:
        return numbers
    return numbers[np.unique(np.linspace(0, len(numbers) - 1, count).round().astype(int))]


if __name__ == "__main__":
    main()
