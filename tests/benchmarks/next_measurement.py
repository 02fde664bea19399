"""Compare the core hours that strategies need until an interval is narrow enough, or an error small enough.

    python -m tests.benchmarks.next_measurement [--orders 3] [--most 8] [--seed 0] [--halves] [--possible]
        [FILE ...]

Campaigns that were measured completely are replayed. FILE is anything that can be uploaded. Without files,
synthetic applications are replayed. A run measures all kernels at once, so a case consists of 8 kernels of
one metric: those with the largest values among the kernels that were measured at the same points. With fewer
such kernels there is no case.

A case begins with the three smallest values of every parameter, on lines. Its target is the largest point,
which is never measured. Further cases leave out the largest values of the first parameter. A strategy chooses
one of the remaining points after the other; each point is measured with all of its repetitions:

"proposed": `plan_next`, asked again after each point;
"random": the median over some random orders;
"Extra-P": the order of `tests.benchmarks.suggested_order`;
"hindsight": the cheapest order that a search finds with the measured values of all points and of the target.
No strategy has this knowledge. With up to six further points no order is cheaper. With more points the search
is limited, so that a cheaper order may exist (`hindsight`).

The strategies are compared by three figures, all in core hours. After the first, the interval of the total at
the target stays narrower than the geometric mean of its widths with the first points and with all points.
After the second, the median error of the kernels at the target stays at most 2 % above that with all points.
After the third, the same holds for the error of the total.
A case does not count for any strategy if its interval is narrower than 10 % from the beginning. It does not
count in a comparison with a strategy that needs no further point. Both counts are printed. If one point takes
at least 60 % of the core hours, hardly anything is left to choose. So the cases without such a point are also
reported alone. Costs are time times processes, if a parameter is the number of processes.

On 2026-11-23, 35 cases of 25 public data sets with one and two parameters were replayed, with 3 random
orders. Of each group of kernels only the largest target was used. Here, hindsight is the cheapest order of
all tried strategies and of a search that leaves out the most expensive points while the level holds. The
table shows the share of comparisons with at most 60 % of the core hours:

                                   proposed   hindsight   comparisons
    all, random                       27 %       64 %         104
    all, Extra-P                      24 %       57 %         105
    width, random                     51 %       80 %          35
    width, Extra-P                    40 %       74 %          35
    errors, random                    14 %       57 %          69
    errors, Extra-P                   16 %       49 %          70
    no dominating point, random       27 %       73 %          74
    no dominating point, Extra-P      29 %       72 %          75

Where this search failed, up to five of the largest sets with at most 60 % of the core hours were modelled
as well, except in cases of more than 16 points. Some of these sets reach the level once, but further points
leave it again. If such sets and all undecided comparisons counted as possible, hindsight would reach 82 %
and 81 %.

With `--halves`, the cheapest order in hindsight for one half of a case's kernels is used for the other half
("other half"). It knows the campaign and its machine, but not the results by which it is judged. So what it
loses is the part of hindsight that is luck. On 2026-11-24, 13 cases of the sets in one collection of public
data (one parameter, the largest target of each group of kernels, 5 random orders, at most 60 sets in
hindsight) gave:

                              proposed   other half   hindsight   comparisons
    width, random                54 %        58 %        73 %         26
    width, Extra-P               15 %        23 %        50 %         26
    errors, random               17 %        12 %        50 %         52
    errors, Extra-P              19 %        10 %        42 %         52

On the same day, 14 other ways to choose were tried with 18 cases: gain per core hour and other powers of the
cost; fixed orders by cost; and the cheapest set of points that is expected to remove a share of the variance,
with its cheapest, most expensive or most informative point first. The largest share of comparisons
with at most 60 % of the core hours was 44 % for the width and 33 % for the errors. It was 39 % and 33 % for
the proposals. No way was better than the proposals for both halves of the cases.

On 2026-11-28, four more ways were replayed with 37 cases of 14 public data sets and 5 random orders. The
table shows the share of comparisons with at most 60 % of the core hours, with random orders and with Extra-P:

                                                      width       errors      total's error
    proposals                                       35, 30 %      24, 19 %      38, 30 %
    lines of five values, then the largest point     5,  8 %      16, 16 %      16, 16 %
    the largest point                                5, 19 %      14, 19 %      19, 24 %
    the largest point not above all costs so far    46, 24 %      27, 24 %      27, 27 %
    the proposal among these points                 48, 29 %      32, 21 %      29, 24 %
    the best of the 5 random orders, afterwards     54 %          32 %          43 %

With `--possible`, only this is searched: is there any order with at most 60 % of the core hours? With up to
ten further points all sets of points are tried, so the answer is certain. On the same day the six campaigns
with a single kernel, which have 4 to 10 further points, gave with 5 random orders:

                          yes     no    comparisons
    width, random        100 %     0 %       6
    errors, random        67 %    33 %      12
    width, Extra-P       100 %     0 %       6
    errors, Extra-P       83 %    17 %      12

In 13 cases of the first six sets, the limited search found such an order for 72 % of 39 comparisons with
random orders, and for 82 % of those with Extra-P. The proposals needed as little for 36 % of both. None of
these sets has a point with over 90 % of the core hours, as five of the later cases do. So to need at most 60
% in 80 % of all cases, a strategy would have to find nearly every such order, without the results by which it
is judged.

So much of the advantage in hindsight is luck. In 35 % of the orders the total's error leaves its level again
after it was reached, and in 18 % the width does. In 12 of the 37 cases a single point takes at least 83 % of
the core hours.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
django.setup()  # before anything that needs the tables

import numpy as np  # noqa: E402

from ingest.formats import parse  # noqa: E402
from ingest.formats.campaign.campaign import Campaign  # noqa: E402
from modeling.engine import fit, plan_next  # noqa: E402
from modeling.engine.design.plans import PlanError  # noqa: E402
from modeling.engine.laws.synthetic import Functions, grid, measure, random_functions  # noqa: E402
from modeling.engine.validation import BoolArray, FloatArray, IntArray  # noqa: E402
from modeling.totals import counts_to_total  # noqa: E402
from tests.benchmarks.suggested_order import suggested  # noqa: E402

BEGIN = 3
FEWEST_POINTS = 8
MORE_ERROR = 0.02
"""Largest excess of an error over that with all points at which both count as equal."""
OPEN = 0.1
MOST_VALUES = {1: 14, 2: 5, 3: 4}
"""Limit on the number of values of each parameter, by the number of parameters."""
MOST_GROUPS = 2
KERNELS = 8
MOST_SETS = 100
"""Limit on the sets of points that are modelled in hindsight for each measure. With up to six further points
all sets are tried. With more points, a larger limit finds cheaper orders in a few cases, and takes longer.
"""
MOST_SETS_POSSIBLE = 1100
"""The same limit for `--possible`. With up to ten further points all sets are tried."""
ENOUGH = 0.6
"""Share of another strategy's core hours that a proposed order may need."""
TARGETS = 2
PROCESSES = ("p", "ranks", "nodes", "threads", "processes")
PARTS = (slice(None), slice(0, None, 2), slice(1, None, 2))
"""All kernels, and two halves of them."""
FEWEST_HALVED = 4
"""Smallest number of kernels of a case that is halved."""


@dataclass(frozen=True)
class State:
    """Results with some of the points: the width of the total's interval at the target, and two errors.

    The width is the logarithm of upper over lower. The errors are the median error of kernels at the target,
    and the error of the total.
    """

    width: float
    error: float
    total: float


@dataclass
class Case:
    """A campaign: points (P, m), values (K, P, R), core hours (P,), and the number of the target point.

    `part` tells which kernels its results are about: one of `PARTS`.
    """

    name: str
    points: FloatArray
    values: FloatArray
    costs: FloatArray
    target: int
    states: dict[frozenset[int], list[State]] = field(default_factory=dict)
    part: int = 0

    @property
    def others(self) -> list[int]:
        """The numbers of all points except the target."""
        return [at for at in range(len(self.points)) if at != self.target]

    @property
    def begun(self) -> list[int]:
        """The points with which a campaign begins.

        They have the smallest values of each parameter, on lines through the smallest point.
        """
        others, points = self.others, self.points
        base = points[others][int(np.argmin(np.log(points[others]).sum(axis=1)))]
        chosen = []
        for axis in range(points.shape[1]):
            rest = np.delete(points, axis, axis=1) == np.delete(base, axis)
            line = [at for at in others if rest[at].all()]
            chosen += sorted(line, key=lambda at, axis=axis: points[at, axis])[:BEGIN]  # type: ignore[misc]
        return list(dict.fromkeys(chosen))

    def state(self, known: Sequence[int]) -> State:
        """Return the results with these points. Each set of points is modelled only once."""
        some = sorted(known)
        if (key := frozenset(some)) not in self.states:
            self.states[key] = self._states(some)
        return self.states[key][self.part]

    def _states(self, some: list[int]) -> list[State]:
        """Return the results for each of `PARTS`, as far as there are kernels."""
        models = fit(self.points[some], self.values[:, some])
        draws = models.draws(self.points[self.target][None])[..., 0]
        rng = np.random.default_rng(0)
        draws = np.array([row[rng.permutation(len(row))] for row in draws])
        truth = np.nanmedian(self.values[:, self.target], axis=1)
        predicted = models.predict(self.points[self.target][None])[:, 0]
        parts = [part for part in PARTS if len(truth[part])]
        return [_judged(draws[part], predicted[part], truth[part]) for part in parts]


def _judged(draws: FloatArray, predicted: FloatArray, truth: FloatArray) -> State:
    """Return the results for K kernels, given draws (K, S), predictions and truths (K,) at the target."""
    lower, upper = np.quantile(draws.sum(axis=0), [0.025, 0.975])
    return State(
        float(np.log(upper / lower)) if lower > 0 else np.inf,
        float(np.median(abs(predicted - truth) / truth)),
        float(abs(predicted.sum() - truth.sum()) / truth.sum()),
    )


Strategy = Callable[[Case, list[int], np.random.Generator], int]


def main() -> None:
    """Print the ratios of core hours, and in how many cases they are at most 60 %."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--orders", type=int, default=3, help="random ones")
    parser.add_argument("--most", type=int, default=8, help="synthetic applications of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--halves", action="store_true", help="use hindsight for other kernels")
    parser.add_argument("--possible", action="store_true", help="only search whether any order would do")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    cases = measured(arguments.files) if arguments.files else synthetic(arguments.most, rng)
    if arguments.possible:
        report_possible([possible(case, arguments.orders, rng) for case in cases])
        return
    if arguments.halves:
        report_halves([row for case in cases for row in halved(case, arguments.orders, rng)])
        return
    rows = [(dominated(case), compared(case, arguments.orders, rng)) for case in cases]
    for name, some in (
        ("all cases", [row for _, row in rows]),
        ("not dominated", [row for one_point, row in rows if not one_point]),
    ):
        for what in MEASURES:
            report(f"{name}, {what}", [row[what] for row in some])
        report(f"{name}, all measures", [row[what] for row in some for what in MEASURES])


MEASURES = ("width", "error", "total")
Spent = dict[str, float]
"""Strategy → share of core hours to reach the level. NaN for all strategies if the case does not count."""


def dominated(case: Case) -> bool:
    """Return whether one of the further points takes at least 60 % of their core hours."""
    return max(_share(case, [at]) for at in case.others if at not in case.begun) >= ENOUGH


def report(measure: str, rows: list[Spent]) -> None:
    """Print how many cases count, and one line for each pair of strategies."""
    open_cases = [row for row in rows if np.isfinite(row["proposed"])]
    print(f"{measure}: {len(open_cases)} of {len(rows)} cases are open at the beginning")
    for other in ("random", "Extra-P"):
        counted = [row for row in open_cases if row[other] > 0]
        if len(counted) < len(open_cases):
            print(f"{measure}, {other} needs no further point in {len(open_cases) - len(counted)} cases")
        if counted:
            for ours in ("proposed", "hindsight"):
                print(f"{measure}, {ours} to {other}: {_compared(counted, ours, other)}", flush=True)


def _compared(rows: list[Spent], ours: str, other: str) -> str:
    """Say in how many cases a strategy needs at most 60 % of the core hours of another one."""
    pairs = np.array([(row[ours], row[other], row["hindsight"]) for row in rows])
    found = pairs[:, 0] / pairs[:, 1]
    within = found <= ENOUGH
    possible = pairs[:, 2] / pairs[:, 1] <= ENOUGH
    return (
        f"{within.mean():.0%} of {len(rows)} cases with at most {ENOUGH:.0%} of the core hours "
        f"({within[possible].sum()} of the {possible.sum()} cases in which that is possible), median "
        f"{np.median(found):.0%}, upper quartile {np.quantile(found, 0.75):.0%}, together "
        f"{pairs[:, 0].sum() / pairs[:, 1].sum():.0%}"
    )


def compared(case: Case, orders: int, rng: np.random.Generator) -> dict[str, Spent]:
    """Return the core hours of each strategy for each measure, as shares of the core hours of all points."""
    traces = {"proposed": [replayed(case, proposed, rng)], "Extra-P": [replayed(case, by_extrap, rng)]}
    traces["random"] = [replayed(case, at_random, rng) for _ in range(orders)]
    counts = case.state(case.begun).width > OPEN
    found = {what: _spent(case, traces, what, counts=counts) for what in MEASURES}
    print(
        f"{case.name} ({len(case.points)} points, {len(case.values)} kernels): "
        + "; ".join(
            f"{measure} " + ", ".join(f"{name} {value:.3g}" for name, value in spent.items())
            for measure, spent in found.items()
        ),
        flush=True,
    )
    return found


def _spent(case: Case, traces: dict[str, list[list[int]]], what: str, *, counts: bool) -> Spent:
    """Return the core hours of each strategy, and of the cheapest order, for one measure."""
    if not counts:
        return dict.fromkeys((*traces, "hindsight"), np.nan)
    level = level_of(case, what)
    each = {name: [until(case, order, what, level) for order in some] for name, some in traces.items()}
    known = min(min(some) for some in each.values())
    return {name: float(np.median(some)) for name, some in each.items()} | {
        "hindsight": min(known, hindsight(case, what, level))
    }


def level_of(case: Case, measure: str) -> float:
    """Return the level that a measure has to reach."""
    first, last = (getattr(case.state(some), measure) for some in (case.begun, case.others))
    return float(max(np.sqrt(first * last) if measure == "width" else last + MORE_ERROR, last))


def until(case: Case, order: list[int], measure: str, level: float) -> float:
    """Return the share of all core hours after which a measure reaches its level and stays there."""
    first = len(case.begun)
    found = [getattr(case.state(order[:count]), measure) for count in range(first, len(order) + 1)]
    worse = [at for at, value in enumerate(found) if not value <= level]
    needed = order[first : first + worse[-1] + 1] if worse else []
    return _share(case, needed)


def hindsight(case: Case, measure: str, level: float) -> float:
    """Return the share of core hours of the cheapest order that was found."""
    return hindsight_order(case, measure, level)[0]


def hindsight_order(
    case: Case, measure: str, level: float, *, enough: float = -1.0, most: int = MOST_SETS
) -> tuple[float, list[int], bool]:
    """Return the share of core hours of the cheapest order that was found, the order, and whether the search
    was complete. It ends early at a share of at most `enough`.

    The search starts with all points, and leaves out one point after the other as long as the level holds. So
    the level also holds while the points are added again in the opposite order. The cheapest set is always
    tried next.
    """
    first = frozenset(case.begun)
    every = frozenset(case.others)
    best: tuple[float, tuple[int, ...]] = (1.0, ())
    waiting: list[tuple[float, list[int], tuple[int, ...]]] = [(1.0, sorted(every), ())]
    tried = {every}
    for _ in range(most):
        if not waiting or best[0] <= enough:
            break
        share, some, left_out = heappop(waiting)
        if not getattr(case.state(some), measure) <= level:
            continue
        best = min(best, (share, left_out))
        for at in some:
            fewer = frozenset(some) - {at}
            if at not in first and fewer not in tried:
                tried.add(fewer)
                heappush(waiting, (_share(case, sorted(fewer - first)), sorted(fewer), (*left_out, at)))
    share, left_out = best
    needed = sorted(every - first - set(left_out), key=lambda at: case.costs[at])
    return share, [*case.begun, *needed, *reversed(left_out)], not waiting


Answers = dict[tuple[str, str], str]
"""(measure, strategy) → "yes", "no" or "unknown"."""


def possible(case: Case, orders: int, rng: np.random.Generator) -> Answers:
    """Return whether any order needs at most `ENOUGH` of the core hours of other strategies. Comparisons with
    strategies that need no further point are left out.
    """
    answers: Answers = {}
    if not case.state(case.begun).width > OPEN:
        return answers
    traces = {"Extra-P": [replayed(case, by_extrap, rng)]}
    traces["random"] = [replayed(case, at_random, rng) for _ in range(orders)]
    for what in MEASURES:
        level = level_of(case, what)
        spent = {
            name: float(np.median([until(case, order, what, level) for order in some]))
            for name, some in traces.items()
        }
        bounds = {name: ENOUGH * share for name, share in spent.items() if share > 0}
        if not bounds:
            continue
        share, _, complete = hindsight_order(
            case, what, level, enough=min(bounds.values()), most=MOST_SETS_POSSIBLE
        )
        for name, bound in bounds.items():
            answers[what, name] = "yes" if share <= bound else "no" if complete else "unknown"
    print(f"{case.name} ({len(case.points)} points): {answers}", flush=True)
    return answers


def report_possible(cases: list[Answers]) -> None:
    """Print the shares of comparisons in which some order would do, and in which this is unknown."""
    for other in ("random", "Extra-P"):
        for measures in (*((what,) for what in MEASURES), MEASURES):
            found = [row[what, other] for row in cases for what in measures if (what, other) in row]
            shares = (
                f"{answer} {found.count(answer) / max(len(found), 1):.0%}"
                for answer in ("yes", "no", "unknown")
            )
            print(f"{' and '.join(measures)}, {other}: {', '.join(shares)} of {len(found)}")


def halved(case: Case, orders: int, rng: np.random.Generator) -> Iterator[dict[str, Spent]]:
    """Yield the core hours of the strategies for each half of a case's kernels. "other half" is the cheapest
    order for the other half of the kernels: an order that knows the campaign, but not these kernels.
    """
    if len(case.values) < FEWEST_HALVED or case.state(case.begun).width <= OPEN:
        return
    traces = {"proposed": [replayed(case, proposed, rng)], "Extra-P": [replayed(case, by_extrap, rng)]}
    traces["random"] = [replayed(case, at_random, rng) for _ in range(orders)]
    for here, there in ((1, 2), (2, 1)):
        one, other = replace(case, part=here), replace(case, part=there)
        found = {what: _spent(one, traces, what, counts=True) for what in MEASURES}
        for what, spent in found.items():
            order = hindsight_order(other, what, level_of(other, what))[1]
            spent["other half"] = until(one, order, what, level_of(one, what))
        print(f"{case.name}, half {here}: {found}", flush=True)
        yield found


def report_halves(rows: list[dict[str, Spent]]) -> None:
    """Print in how many comparisons each strategy needs at most 60 % of the core hours."""
    for measures in (("width",), ("error", "total")):
        for other in ("random", "Extra-P"):
            counted = [row[what] for row in rows for what in measures if row[what][other] > 0]
            for ours in ("proposed", "other half", "hindsight"):
                reached = np.mean([row[ours] / row[other] <= ENOUGH for row in counted])
                print(f"{' and '.join(measures)}, {ours} to {other}: {reached:.0%} of {len(counted)}")


def _share(case: Case, some: Sequence[int]) -> float:
    left = [at for at in case.others if at not in case.begun]
    return float(case.costs[list(some)].sum() / case.costs[left].sum())


def replayed(case: Case, choose: Strategy, rng: np.random.Generator) -> list[int]:
    """Measure one point after the other until all are measured, and return their order."""
    known = case.begun
    while len(known) < len(case.others):
        known = [*known, choose(case, known, rng)]
    return known


def proposed(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """Return the first new point of a plan, or the cheapest point if nothing is proposed."""
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
    """Return a random point among those that are left."""
    return int(rng.choice([at for at in case.others if at not in known]))


def by_extrap(case: Case, known: list[int], rng: np.random.Generator) -> int:
    """Return the point that Extra-P would suggest."""
    left = [at for at in case.others if at not in known]
    means = np.nanmean(case.values, axis=2).sum(axis=0)
    return suggested(case.points, means, case.costs, known, left)


def synthetic(count: int, rng: np.random.Generator) -> Iterator[Case]:
    """Yield applications of four kernels with random laws of one to three parameters, and noise of 5 and 20
    %.
    """
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
    """Yield cases of whole campaigns, each with several targets."""
    for path in files:
        campaign = parse(path)
        points = np.array(campaign.points, float)
        for metric in dict.fromkeys(metric for _, metric in campaign.series):
            for number, (some, values) in enumerate(_groups(campaign, metric)):
                name = f"{path.name.split('.')[0]} {metric} {number}"
                yield from _targets(name, points[some], values, campaign, metric)


def _groups(campaign: Campaign, metric: str) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield the numbers of some points, and the values (K, P, R) of the kernels that were measured at exactly
    these points.
    """
    paths = [path for path, name in campaign.series if name == metric]
    rows = [np.array(campaign.series[path, metric], float) for path in paths]
    values = np.full((len(rows), len(rows[0]), max(row.shape[1] for row in rows)), np.nan)
    for number, row in enumerate(rows):
        values[number, :, : row.shape[1]] = row
    medians = np.nan_to_num(values).max(axis=2)
    counted = counts_to_total(paths, np.where(medians > 0, medians, np.nan), None, metric)
    if counted.sum() == 1 and len(counted) > 1:
        counted = ~counted  # Take the kernels instead of the single line for the whole program.
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
    """Return whether each parameter has at least as many values as a campaign begins with."""
    return all(len(np.unique(column)) >= BEGIN for column in points.T)


def _thinned_grid(points: FloatArray) -> BoolArray:
    """Return which points (P, m) are kept, (P,).

    Of each parameter, the smallest and largest values are kept, and others that are evenly spread between
    them.
    """
    most = MOST_VALUES[points.shape[1]]
    kept = [np.isin(column, thinned(np.unique(column), most)) for column in points.T]
    return np.asarray(np.all(kept, axis=0))


def thinned(numbers: FloatArray, count: int) -> FloatArray:
    """Return at most `count` of the numbers, evenly spread, including both ends."""
    if len(numbers) <= count:
        return numbers
    return np.asarray(numbers[np.unique(np.linspace(0, len(numbers) - 1, count).round().astype(int))])


if __name__ == "__main__":
    main()
