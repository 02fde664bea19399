"""Core hours to the same interval or error: proposed measurements beside random ones, Extra-P's and the best.

    python -m tests.benchmarks.next_measurement [--orders 5] [--most 8] [--seed 0] [--detail] [FILE ...]

Campaigns are measured already, and replayed. FILE is anything that can be uploaded; without any, synthetic
applications are replayed. A run measures all kernels at once, so that a case is a whole campaign: of each
metric the kernels that were measured at the same eight or more points, the 8 heaviest of them. It begins with
its three smallest values of every parameter, on lines; its largest point is the target and never measured,
in further cases the largest one without the largest value of the first parameter, and without the two
largest. Strategies choose from all other points, whole points with all of their repetitions, one after the
other:

"proposed": `plan_next`, asked anew after each point;
"random": the median over some orders;
"Extra-P": the order of `tests.benchmarks.suggested_order`;
"hindsight": the cheapest set of points that reaches the level, found by trying out all sets of one to three
further points, with what they were measured to be: no strategy can be better, as it would have to know.

Compared are the core hours after which the interval of the total at the target stays within the geometric
middle of those with the first points and with all, and those after which the median error of the kernels at
the target stays at most 2 % above that with all points. Cases whose interval is narrower than 10 % from the
first points on, or for which a strategy needs no further point, count for nobody. Costs are time times
processes, where a parameter counts them.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
django.setup()  # before anything that needs the tables

import numpy as np  # noqa: E402

from ingest.formats import parse  # noqa: E402
from ingest.formats.campaign import Campaign  # noqa: E402
from modeling.engine import fit, plan_next  # noqa: E402
from modeling.engine.design.plans import PlanError  # noqa: E402
from modeling.engine.laws.synthetic import Functions, grid, measure, random_functions  # noqa: E402
from modeling.engine.validation import BoolArray, FloatArray, IntArray  # noqa: E402
from modeling.totals import counts_to_total  # noqa: E402
from tests.benchmarks.suggested_order import suggested  # noqa: E402

BEGIN = 3
FEWEST_POINTS = 8
MORE_ERROR = 0.02
"""An error counts as equal to that with all points if it is larger by at most this."""
OPEN = 0.1
MOST_VALUES = {1: 14, 2: 5, 3: 4}
"""Values of each parameter by the number of parameters."""
MOST_GROUPS = 2
KERNELS = 8
SET_SIZE = 3
"""Number of further points in the sets that are tried out in hindsight."""
MOST_SETS = 100
TARGETS = 2
PROCESSES = ("p", "ranks", "nodes", "threads", "processes")


@dataclass(frozen=True)
class State:
    """Results with some of the points: width of the total's interval at the target (logarithm of upper over
    lower), median error of the kernels there, and error of the total."""

    width: float
    error: float
    total: float


@dataclass
class Case:
    """A campaign: points (P, m), values (K, P, R), core hours (P,), and its target, the number of a point."""

    name: str
    points: FloatArray
    values: FloatArray
    costs: FloatArray
    target: int
    states: dict[frozenset[int], State] = field(default_factory=dict)

    @property
    def others(self) -> list[int]:
        """All points but the target."""
        return [at for at in range(len(self.points)) if at != self.target]

    @property
    def begun(self) -> list[int]:
        """The smallest values of each parameter on lines through the smallest point."""
        others, points = self.others, self.points
        base = points[others][int(np.argmin(np.log(points[others]).sum(axis=1)))]
        chosen = []
        for axis in range(points.shape[1]):
            rest = np.delete(points, axis, axis=1) == np.delete(base, axis)
            line = [at for at in others if rest[at].all()]
            chosen += sorted(line, key=lambda at, axis=axis: points[at, axis])[:BEGIN]  # type: ignore[misc]
        return list(dict.fromkeys(chosen))

    def state(self, known: Sequence[int]) -> State:
        """The results with these points; each set is modelled once."""
        some = sorted(known)
        if (key := frozenset(some)) not in self.states:
            self.states[key] = self._state(some)
        return self.states[key]

    def _state(self, some: list[int]) -> State:
        models = fit(self.points[some], self.values[:, some])
        draws = models.draws(self.points[self.target][None])[..., 0]
        rng = np.random.default_rng(0)
        total = np.sum([row[rng.permutation(len(row))] for row in draws], axis=0)
        lower, upper = np.quantile(total, [0.025, 0.975])
        truth = np.nanmedian(self.values[:, self.target], axis=1)
        predicted = models.predict(self.points[self.target][None])[:, 0]
        return State(
            float(np.log(upper / lower)) if lower > 0 else np.inf,
            float(np.median(abs(predicted - truth) / truth)),
            float(abs(predicted.sum() - truth.sum()) / truth.sum()),
        )


Strategy = Callable[[Case, list[int], np.random.Generator], int]


def main() -> None:
    """Print shares of core hours, and in how many cases they are at most 60 %."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--orders", type=int, default=3, help="random ones")
    parser.add_argument("--most", type=int, default=8, help="synthetic applications of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    cases = measured(arguments.files) if arguments.files else synthetic(arguments.most, rng)
    rows = [compared(case, arguments.orders, rng) for case in cases]
    for what in MEASURES:
        report(what, [row[what] for row in rows])


MEASURES = ("width", "error", "total")
Spent = dict[str, float]
"""Strategy → core hours to the level; NaN where the case does not count for any strategy."""


def report(measure: str, rows: list[Spent]) -> None:
    """Print one line for each pair of strategies."""
    for ours in ("proposed", "hindsight"):
        for other in ("random", "Extra-P"):
            pairs = np.array([(row[ours], row[other]) for row in rows])
            pairs = pairs[np.isfinite(pairs).all(axis=1) & (pairs[:, 1] > 0)]
            found = pairs[:, 0] / pairs[:, 1]
            print(
                f"{measure}, {ours} to {other}: {np.mean(found <= 0.6):.0%} of {len(found)} cases with at "
                f"most 60 % of the core hours, median {np.median(found):.0%}, upper quartile "
                f"{np.quantile(found, 0.75):.0%}, together {pairs[:, 0].sum() / pairs[:, 1].sum():.0%}",
                flush=True,
            )


def compared(case: Case, orders: int, rng: np.random.Generator) -> dict[str, Spent]:
    """Core hours of each strategy by measure, as shares of those of all points."""
    traces = {"proposed": [replayed(case, proposed, rng)], "Extra-P": [replayed(case, by_extrap, rng)]}
    traces["random"] = [replayed(case, at_random, rng) for _ in range(orders)]
    found = {}
    for what in MEASURES:
        level = level_of(case, what)
        spent = {
            name: float(np.median([until(case, order, what, level) for order in some]))
            for name, some in traces.items()
        }
        spent["hindsight"] = hindsight(case, what, level)
        if not case.state(case.begun).width > OPEN:
            spent = dict.fromkeys(spent, np.nan)
        found[what] = spent
    print(
        f"{case.name} ({len(case.points)} points, {len(case.values)} kernels): "
        + "; ".join(
            f"{measure} " + ", ".join(f"{name} {value:.3g}" for name, value in spent.items())
            for measure, spent in found.items()
        ),
        flush=True,
    )
    return found


def level_of(case: Case, measure: str) -> float:
    """The level to be reached."""
    first, last = (getattr(case.state(some), measure) for some in (case.begun, case.others))
    return max(float(np.sqrt(first * last)) if measure == "width" else last + MORE_ERROR, last)


def until(case: Case, order: list[int], measure: str, level: float) -> float:
    """Share of all core hours after which a measure is, and stays, at most at its level."""
    first = len(case.begun)
    found = [getattr(case.state(order[:count]), measure) for count in range(first, len(order) + 1)]
    worse = [at for at, value in enumerate(found) if not value <= level]
    needed = order[first : first + worse[-1] + 1] if worse else []
    return _share(case, needed)


def hindsight(case: Case, measure: str, level: float) -> float:
    """Share of the core hours of the cheapest further points that reach a level, of at most `SET_SIZE`."""
    left = [at for at in case.others if at not in case.begun]
    sets = [some for size in range(SET_SIZE + 1) for some in combinations(left, size)]
    sets.sort(key=lambda some: _share(case, some))
    reached = (
        _share(case, some)
        for some in sets[:MOST_SETS]
        if getattr(case.state([*case.begun, *some]), measure) <= level
    )
    return next(reached, np.nan)


def _share(case: Case, some: Sequence[int]) -> float:
    left = [at for at in case.others if at not in case.begun]
    return float(case.costs[list(some)].sum() / case.costs[left].sum())


def replayed(case: Case, choose: Strategy, rng: np.random.Generator) -> list[int]:
    """Measure point after point until all are: their order."""
    known = case.begun
    while len(known) < len(case.others):
        known = [*known, choose(case, known, rng)]
    return known


def proposed(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """The first new point that is proposed; the cheapest one where none is."""
    left = [at for at in case.others if at not in known]
    try:
        plan = plan_next(
            case.points[known], case.values[:, known], case.points[left], case.costs[left],
            target=case.points[case.target],
        )  # fmt: skip
    except (PlanError, ValueError):
        return by_extrap(case, known, rng)
    if not len(plan):
        return min(left, key=lambda at: case.costs[at])
    return next(at for at in left if (case.points[at] == plan.points[0]).all())


def at_random(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """Any point that is left."""
    return int(rng.choice([at for at in case.others if at not in known]))


def by_extrap(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """The point that Extra-P would suggest."""
    left = [at for at in case.others if at not in known]
    means = np.nanmean(case.values, axis=2).sum(axis=0)
    return suggested(case.points, means, case.costs, known, left)


def synthetic(count: int, rng: np.random.Generator) -> Iterator[Case]:
    """Applications of four kernels with random laws of one to three parameters, noise of 5 and 20 %."""
    series = ((4, 8, 16, 32, 64, 128, 256), (10, 20, 30, 40, 50, 60), (100, 200, 300, 400))
    for parameters in (1, 2, 3):
        sizes = {1: (7,), 2: (6, 5), 3: (4, 3, 3)}[parameters]
        points = grid([values[:size] for values, size in zip(series, sizes, strict=False)])
        for noise in (0.05, 0.2):
            for number in range(count):
                laws: Functions = random_functions(4, parameters, rng)
                truth = laws.evaluate(points)
                truth = truth / truth[:, :1]
                values = np.stack([measure(row[None], rng, noise=noise, repetitions=3)[0] for row in truth])
                yield Case(
                    f"m={parameters} noise {noise:.0%} {number}", points, values,
                    points[:, 0] * truth.sum(axis=0), len(points) - 1,
                )  # fmt: skip


def measured(files: Sequence[Path]) -> Iterator[Case]:
    """Cases of whole campaigns, with several targets each."""
    for path in files:
        campaign = parse(path)
        points = np.array(campaign.points, float)
        for metric in dict.fromkeys(metric for _, metric in campaign.series):
            for number, (some, values) in enumerate(_groups(campaign, metric)):
                name = f"{path.name.split('.')[0]} {metric} {number}"
                yield from _targets(name, points[some], values, campaign, metric)


def _groups(campaign: Campaign, metric: str) -> Iterator[tuple[IntArray, FloatArray]]:
    """Points, by number, and values there (K, P, R) of kernels that were measured at the same points."""
    paths = [path for path, name in campaign.series if name == metric]
    rows = [np.array(campaign.series[path, metric], float) for path in paths]
    values = np.full((len(rows), len(rows[0]), max(row.shape[1] for row in rows)), np.nan)
    for number, row in enumerate(rows):
        values[number, :, : row.shape[1]] = row
    medians = np.nan_to_num(values).max(axis=2)
    counted = counts_to_total(paths, np.where(medians > 0, medians, np.nan), None, metric)
    if counted.sum() == 1 and len(counted) > 1:
        counted = ~counted  # the kernels instead of the line for everything
    values, medians = values[counted], medians[counted]
    there = medians > 0
    kinds, counts = np.unique(there, axis=0, return_counts=True)
    for kind in kinds[np.argsort(-counts, kind="stable")[:MOST_GROUPS]]:
        some = np.flatnonzero((there == kind).all(axis=1))
        if kind.sum() >= FEWEST_POINTS:
            heaviest = some[np.argsort(-medians[some].max(axis=1), kind="stable")[:KERNELS]]
            yield np.flatnonzero(kind), values[heaviest][:, kind]


def _targets(
    name: str, points: FloatArray, values: FloatArray, campaign: Campaign, metric: str
) -> Iterator[Case]:
    at = next((number for number, name in enumerate(campaign.parameters) if name in PROCESSES), None)
    for number in range(TARGETS):
        largest = np.unique(points[:, 0])
        if number >= len(largest):
            return
        kept = np.flatnonzero(points[:, 0] <= largest[-1 - number])
        kept = kept[_thinned_grid(points[kept])]
        if len(kept) < FEWEST_POINTS or not _open_grid(points[kept]):
            return
        some, runs = points[kept], values[:, kept]
        timed = "time" in metric or metric.startswith("s")
        time = np.nanmedian(runs, axis=2).sum(axis=0) if timed else np.ones(len(some))
        costs = time * (some[:, at] if at is not None else 1.0)
        target = int(np.argmax(np.log(some).sum(axis=1)))
        yield Case(f"{name} to {some[target]}", some, runs, costs, target)


def _open_grid(points: FloatArray) -> bool:
    """Whether each parameter has more values than a campaign begins with."""
    return all(len(np.unique(column)) >= BEGIN for column in points.T)


def _thinned_grid(points: FloatArray) -> BoolArray:
    """Points (P, m) with the largest and evenly spread other values of each parameter, (P,)."""
    most = MOST_VALUES[points.shape[1]]
    kept = [np.isin(column, thinned(np.unique(column), most)) for column in points.T]
    return np.asarray(np.all(kept, axis=0))


def thinned(numbers: FloatArray, count: int) -> FloatArray:
    """At most `count` of the numbers, evenly spread, including both ends."""
    if len(numbers) <= count:
        return numbers
    return numbers[np.unique(np.linspace(0, len(numbers) - 1, count).round().astype(int))]


if __name__ == "__main__":
    main()
