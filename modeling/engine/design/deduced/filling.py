"""Add runs with much information about the target to a deduced design, within a limit of core hours.

Before anything is measured, the design assumes several plausible laws of each function's parameters. It
minimises the mean variance of a weighted least-squares prediction at the target (a c-optimal design for a
linearised law; Elfving 1952, Chernoff 1953). The noise is proportional to the value. Multiplicative steps
find the numbers of runs (Silvey, Titterington and Torsney 1978).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from modeling.engine.design.deduced.guessed import guessed_laws
from modeling.engine.design.deduced.information import Laws, Learned, Wanted, variance_of
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

VALUES_FOR_A_LAW = 5
"""Values of a parameter that Extra-P and the default modeler need to distinguish laws."""

MOST_FOR_VALUES = 0.1
"""Largest share of the core hours for runs whose only purpose is a further value of a parameter."""

CANDIDATES = 4096
"""With more combinations than this, runs are chosen only among the points of the smallest design."""

LEARNED = "by the laws that the measurements so far have shown"
GUESSED = "in the mean over laws from a square root to a cube"

Allowed = Callable[[FloatArray], BoolArray]
"""Returns which of N points with m parameters (N, m) may be measured, (N,)."""

STEPS = 150
"""Number of multiplicative steps. More steps change the variance by less than 2 %."""

MIXTURES = (1.0, 0.7, 0.4, 0.2, 0.1, 0.03)
"""Weights of a run's core hours in its price; all are tried. The number of runs has the remaining weight."""


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
    laws = learned or list(guessed_laws(candidates, wanted))
    best = _best(laws, base, costs, left)
    more = _whole(best, costs, left)
    if not learned and (lacking := _lacking(candidates, costs, base + more, left)).any():
        rest = left[0] - float(lacking @ costs), left[1] - int(lacking.sum())
        more = lacking + _whole(best * min(rest[0] / left[0], rest[1] / left[1]), costs, rest)
    told = LEARNED if learned else GUESSED
    return _used_told(_joined(plan, candidates, costs, base.astype(np.int_) + more, told), wanted)


def _lacking(
    candidates: FloatArray, costs: FloatArray, runs: FloatArray, left: tuple[float, int]
) -> IntArray:
    """Return one run at the cheapest point of each value that a law lacks, if they are cheap, (C,).

    `runs` (C,) are those planned. Values without runs are added to each parameter, the cheapest first, until
    it has `VALUES_FOR_A_LAW`.
    """
    lacking = np.zeros(len(candidates), np.int_)
    for column in candidates.T:
        made = np.unique(column[runs > 0])
        cheapest = [
            int(np.flatnonzero(column == value)[np.argmin(costs[column == value])])
            for value in np.setdiff1d(column, made)
        ]
        cheapest.sort(key=lambda at: float(costs[at]))
        lacking[cheapest[: max(VALUES_FOR_A_LAW - len(made), 0)]] = 1
    affordable = float(lacking @ costs) <= MOST_FOR_VALUES * left[0] and lacking.sum() < left[1]
    return lacking if affordable else np.zeros_like(lacking)


def _used_told(plan: Plan, wanted: Wanted) -> Plan:
    """Return the plan. If its number of runs leaves core hours, a sentence on them is added."""
    if plan.cost is None or plan.runs < wanted.runs or plan.cost > WELL_USED * wanted.core_hours:
        return plan
    used = f"{hours_told(plan.cost)} of the {hours_told(wanted.core_hours)} core hours"
    told = f"These {plan.runs} runs use only {used}. Allow more runs to use the others."
    return replace(plan, reasons=(*plan.reasons, told))


def _best(laws: Sequence[Laws], base: FloatArray, costs: FloatArray, left: tuple[float, int]) -> FloatArray:
    """Return the fractional numbers of further runs with the least variance, within the limits `left`."""
    found = []
    for share in MIXTURES:
        price = share * costs / left[0] + (1 - share) / left[1]
        runs = _steps(laws, base, price)
        runs /= max(float(runs @ costs) / left[0], float(runs.sum()) / left[1])
        found.append((variance_of(laws, base + runs)[0], runs))
    return min(found, key=lambda pair: pair[0])[1]


def _steps(laws: Sequence[Laws], base: FloatArray, price: FloatArray) -> FloatArray:
    """Return fractional numbers of runs at these prices that minimise the variance together with `base`."""
    spent = np.full(len(price), 1 / len(price))
    for _ in range(STEPS):
        worth = variance_of(laws, base + spent / price)[1] / price
        spent = spent * np.sqrt(worth)
        spent /= spent.sum()
    return np.asarray(spent / price)


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
