"""Add runs with much information about the target to a deduced design, within a limit of core hours.

Before anything is measured, the design assumes several plausible laws of each function's parameters. It
minimises the mean variance of a weighted least-squares prediction at the target (a c-optimal design for a
linearised law; Elfving 1952, Chernoff 1953). The noise is proportional to the value. Multiplicative steps
find the numbers of runs (Silvey, Titterington and Torsney 1978).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from math import prod

import numpy as np

from modeling.engine.design.plans import Cost, Plan, PlanError, costs_of, hours_told
from modeling.engine.validation import BoolArray, FloatArray, IntArray

AHEAD = 2.0
"""The default target has this factor times the largest value of each parameter."""

RUNS = 100
"""Default limit on the runs of a plan. In tests with three parameters and 5 % of the full design's core
hours, errors were twice those of the full design. With 200 or 625 runs, they were 1.3 to 1.5 times the full
design's (`tests/benchmarks/deduced_designs.py`).
"""

MOST_SHARE = 0.25
"""Largest share of the core hours that the smallest design may take. Otherwise all runs are chosen freely,
which lowers the mean error of eight additive programs by a fifth with 100 runs, and by half with up to 625.
"""

WELL_USED = 0.9
"""Plans that use less than this share of the core hours because of the limit on runs say so."""

CANDIDATES = 4096
"""With more combinations than this, runs are chosen only among the points of the smallest design."""

LEARNED = "by the laws that the measurements so far have shown"
GUESSED = "in the mean over laws from a square root to a cube"

Allowed = Callable[[FloatArray], BoolArray]
"""Returns which of N points with m parameters (N, m) may be measured, (N,)."""

GROWTHS = ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0), (0.0, 1.0))
"""Exponents (i, j) of the plausible laws x^i log^j x of a single parameter."""

FEWER_GROWTHS = ((0.5, 0.0), (1.0, 0.0), (2.0, 0.0))
"""Exponents for each of two or three parameters that meet in a function."""

CROSSED = 3
"""Up to this number of parameters, each may have its own growth. With more, all have the same growth."""

STEPS = 150
"""Number of multiplicative steps. More steps change the variance by less than 2 %."""

MIXTURES = (1.0, 0.7, 0.4, 0.2, 0.1, 0.03)
"""Weights of a run's core hours in its price; all are tried. The number of runs has the remaining weight."""

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


def filled_within(
    plan: Plan,
    series: Sequence[Sequence[float]],
    functions: Iterable[Collection[str]],
    *,
    spend: float,
    target: Sequence[float] | None,
    cost: Cost,
    runs: int | None = None,
    allowed: Allowed | None = None,
    learned: Learned | None = None,
) -> Plan:
    """Add runs to the plan up to `spend` core hours.

    If the plan alone takes more than `MOST_SHARE` of the core hours, or more than the allowed runs, all runs
    are chosen anew. Without `learned`, this is done only if one run at each point of lines of all parameters
    is within both limits.

    Args:
        plan: the smallest design, at allowed points.
        series: values of each parameter, whose combinations may be measured.
        functions: parameters that each function depends on.
        spend: limit on the core hours of the whole plan.
        target: (m,) values of m parameters, by default `AHEAD` times the largest ones.
        cost: returns the core hours of a run at each of some points.
        runs: limit on the runs of the whole plan, by default `RUNS`, or the runs of `plan` if it is kept
            and has more.
        allowed: returns which points may be measured; None: all.
        learned: returns laws fitted to measurements; None: the plausible laws.

    Raises:
        PlanError: neither lines of all parameters nor one run at each point of the plan are within the
            limits. The error has the plan with one run at each point.
    """
    place = {name: at for at, name in enumerate(plan.parameters) if len(series[at]) > 1}
    kinds = Counter(tuple(sorted(place[name] for name in found if name in place)) for found in functions)
    kinds.pop((), None)
    aim = target if target is not None else [max(values) * AHEAD for values in series]
    every = prod(map(len, series)) <= CANDIDATES
    candidates = np.array(list(product(*series)), dtype=np.float64) if every else plan.points
    if allowed is not None:
        candidates = candidates[allowed(candidates)]
    costs = costs_of(candidates, cost)
    wanted = Wanted(kinds, np.asarray(aim, dtype=np.float64), spend, runs or max(RUNS, plan.runs), learned)
    within = runs is None or plan.runs <= runs
    if within and (plan.cost is None or plan.cost <= MOST_SHARE * spend or not kinds):
        return filled_up(plan, candidates, costs, wanted)
    lines = costs[_lines(candidates, costs)]
    covered = learned is not None or (lines.sum() <= spend and len(lines) <= (runs or RUNS))
    if every and covered:
        return _freely(plan, candidates, costs, replace(wanted, runs=runs or RUNS))
    check_runs(plan, runs)
    if plan.cost is not None and plan.cost <= spend:
        return filled_up(plan, candidates, costs, wanted)
    once = _once(plan)
    if once.cost is not None and once.cost <= spend:
        return once
    raise PlanError(
        f"budget: found {hours_told(spend)} core hours, but the smallest design takes "
        f"{hours_told(once.cost or 0)} with one run at each point",
        once,
    )


def check_runs(plan: Plan, runs: int | None) -> None:
    """Raise PlanError if the plan has more than this number of runs."""
    if runs is not None and plan.runs > runs:
        raise PlanError(
            f"runs: found at most {runs}, but the smallest design has {len(plan)} configurations; "
            "allow more, or give a budget within which runs are chosen for what they tell",
            plan,
        )


def _once(plan: Plan) -> Plan:
    """Return the plan with one run at each point."""
    if plan.runs == len(plan):
        return plan
    told = "The budget does not allow for these repetitions, so each point is run once."
    return replace(
        plan, repetitions=np.ones(len(plan), np.int_), costs=plan.costs / plan.repetitions,
        reasons=(*plan.reasons, told),
    )  # fmt: skip


def _lines(candidates: FloatArray, costs: FloatArray) -> BoolArray:
    """Return which candidates differ from the cheapest one in at most one parameter."""
    return np.asarray((candidates != candidates[int(np.argmin(costs))]).sum(axis=1) <= 1)


def _freely(plan: Plan, candidates: FloatArray, costs: FloatArray, wanted: Wanted) -> Plan:
    """Return a plan in which all runs are chosen by their information, with the reasons of the given plan."""
    what = "The smallest design" if wanted.learned is None else "What is missing of the smallest design"
    why = (
        f"{what} would take {hours_told(plan.cost or 0)} of the {hours_told(wanted.core_hours)} core hours "
        "allowed. Cheaper points tell more about the target for the same core hours"
        if plan.runs <= wanted.runs
        else f"{what} would take {plan.runs} runs, but only {wanted.runs} are allowed"
    )
    free = replace(
        plan, points=plan.points[:0], repetitions=plan.repetitions[:0], costs=plan.costs[:0], buys=(),
        reasons=(*plan.reasons, f"{why}, so all runs are chosen for what they tell."),
    )  # fmt: skip
    return filled_up(free, candidates, costs, wanted)


def filled_up(plan: Plan, candidates: FloatArray, costs: FloatArray, wanted: Wanted) -> Plan:
    """Return the plan with further runs at C candidates (C, m), which take `costs` (C,) core hours each.

    The candidates must include the plan's points. The plan is unchanged if the limits allow no further run.
    """
    place = {tuple(point): at for at, point in enumerate(candidates.tolist())}
    base = np.zeros(len(candidates))
    own = [place[tuple(point)] for point in plan.points.tolist()]
    base[np.array(own, dtype=np.int_)] = plan.repetitions
    left = wanted.core_hours - float(base @ costs), wanted.runs - int(base.sum())
    if left[0] < costs.min() or not wanted.functions:
        return plan
    if left[1] < 1:
        return _used_told(plan, wanted)
    learned = [] if wanted.learned is None else list(wanted.learned(candidates, wanted))
    laws = learned or list(_laws(candidates, wanted))
    more = _whole(_best(laws, base, costs, left), costs, left)
    told = LEARNED if learned else GUESSED
    return _used_told(_joined(plan, candidates, costs, base.astype(np.int_) + more, told), wanted)


def _used_told(plan: Plan, wanted: Wanted) -> Plan:
    """Return the plan. If its number of runs leaves core hours, a sentence on them is added."""
    if plan.cost is None or plan.runs < wanted.runs or plan.cost > WELL_USED * wanted.core_hours:
        return plan
    used = f"{hours_told(plan.cost)} of the {hours_told(wanted.core_hours)} core hours"
    told = f"These {plan.runs} runs use only {used}. Allow more runs to use the others."
    return replace(plan, reasons=(*plan.reasons, told))


def _laws(candidates: FloatArray, wanted: Wanted) -> Iterator[Laws]:
    """Yield the plausible laws of all functions, once for all functions with the same parameters."""
    middle = np.exp(np.log(candidates).mean(axis=0))
    for parameters, count in wanted.functions.items():
        growths = list(_growths(len(parameters)))
        _, first, which = np.unique(candidates[:, parameters], axis=0, return_index=True, return_inverse=True)
        at = np.vstack([candidates[first], wanted.target])
        rows = np.stack([_rows(at, middle, parameters, some) for some in growths])
        yield Laws(rows[:, :-1], rows[:, -1], which.ravel(), count / len(growths))


def _growths(count: int) -> Iterator[tuple[tuple[float, float], ...]]:
    """Return the combinations of growths of `count` parameters."""
    if count <= 1:
        return product(GROWTHS, repeat=count)
    if count <= CROSSED:
        return product(FEWER_GROWTHS, repeat=count)
    return ((growth,) * count for growth in FEWER_GROWTHS)


def _rows(
    points: FloatArray, middle: FloatArray, parameters: Sequence[int], growths: Sequence[tuple[float, float]]
) -> FloatArray:
    """Return the derivatives of a law by its coefficients and exponents, divided by its values."""
    terms = _terms(points, middle, parameters, growths)
    exponents = [terms[:, -1] * np.log(points[:, at] / middle[at]) for at in parameters]
    return np.asarray(np.column_stack([terms, *exponents]) / terms.sum(axis=1, keepdims=True))


def _terms(
    points: FloatArray, middle: FloatArray, parameters: Sequence[int], growths: Sequence[tuple[float, float]]
) -> FloatArray:
    """Return all products of the parameters' growths, the constant first. Each product is 1 at `middle`."""
    single = [
        (points[:, at] / middle[at]) ** power
        * (np.log2(1 + points[:, at]) / np.log2(1 + middle[at])) ** logarithm
        for at, (power, logarithm) in zip(parameters, growths, strict=True)
    ]
    subsets = chain.from_iterable(combinations(single, size) for size in range(len(single) + 1))
    return np.stack([np.prod(some, axis=0) * np.ones(len(points)) for some in subsets], axis=1)


def _best(laws: Sequence[Laws], base: FloatArray, costs: FloatArray, left: tuple[float, int]) -> FloatArray:
    """Return the fractional numbers of further runs with the least variance, within the limits `left`."""
    found = []
    for share in MIXTURES:
        price = share * costs / left[0] + (1 - share) / left[1]
        runs = _steps(laws, base, price)
        runs /= max(float(runs @ costs) / left[0], float(runs.sum()) / left[1])
        found.append((_variance(laws, base + runs)[0], runs))
    return min(found, key=lambda pair: pair[0])[1]


def _steps(laws: Sequence[Laws], base: FloatArray, price: FloatArray) -> FloatArray:
    """Return fractional numbers of runs at these prices that minimise the variance together with `base`."""
    spent = np.full(len(price), 1 / len(price))
    for _ in range(STEPS):
        worth = _variance(laws, base + spent / price)[1] / price
        spent = spent * np.sqrt(worth)
        spent /= spent.sum()
    return np.asarray(spent / price)


def _variance(laws: Sequence[Laws], runs: FloatArray) -> tuple[float, FloatArray]:
    """Return the variance of the total at the target after `runs`, and its decrease by each further run."""
    total, worth = 0.0, np.zeros(len(runs))
    for law in laws:
        variance, lowered = law.variance(runs)
        total += law.weight * variance
        worth += law.weight * lowered
    return total, worth


def _whole(runs: FloatArray, costs: FloatArray, left: tuple[float, int]) -> IntArray:
    """Round runs down, then those with the largest fractions up, as far as the limits `left` allow."""
    whole = np.floor(runs).astype(np.int_)
    hours, count = left[0] - float(whole @ costs), left[1] - int(whole.sum())
    for at in np.argsort(whole - runs, kind="stable").tolist():
        if count >= 1 and runs[at] > whole[at] and costs[at] <= hours:
            whole[at] += 1
            hours -= float(costs[at])
            count -= 1
    return whole


def _joined(plan: Plan, candidates: FloatArray, costs: FloatArray, runs: IntArray, laws: str) -> Plan:
    """Return the plan with these runs at the candidates, its own points first. `laws` is for its reasons."""
    own = [tuple(point) for point in plan.points.tolist()]
    place = {tuple(point): at for at, point in enumerate(candidates.tolist())}
    kept = [place[point] for point in own]
    new = [at for at in np.flatnonzero(runs).tolist() if at not in set(kept)]
    order = np.array([*kept, *new], dtype=np.int_)
    further = int(runs.sum() - plan.repetitions.sum())
    where = f"where they reveal most about the target per core hour, {laws}."
    told = f"{further} {'further ' if len(plan) else ''}runs are made {where}"
    return replace(
        plan,
        points=candidates[order],
        repetitions=runs[order],
        costs=costs[order] * runs[order],
        reasons=(*plan.reasons, told),
        buys=(*plan.buys, *("a more certain prediction at the target" for _ in new)),
        separate_jobs=True,
    )
