"""Find the smallest design that has, for every function, all combinations of its parameters.

Parameters that never meet in a function are varied at the same time, along one axis. Axes are crossed. Such
an assignment to axes is a colouring of the graph in which parameters that meet are neighbours. The colouring
with the fewest points is chosen (Schmid et al., Performance-Detective, ICS 2022, section 3.2).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import ceil, prod

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.design.deduced.axes import Axis, bought, cheapest_axes, crossed
from modeling.engine.design.deduced.filling import VALUES_FOR_A_LAW, Allowed, check_runs, filled_within
from modeling.engine.design.deduced.learned import Measured, learner, unmeasured
from modeling.engine.design.deduced.profile import ITERATIONS, Dependent, Insights, Profile, insights_of
from modeling.engine.design.plans import Cost, Plan, PlanError, costs_of, value_told
from modeling.engine.validation import FloatArray, IntArray

Values = Mapping[str, Sequence[float]]
"""Parameter → its possible values, in order."""

REPETITIONS = 5
"""Runs at each point if no main loop averages the noise (Calotoiu et al. 2013; Ritter et al. 2020)."""

SHOWN_AT = 2
"""Number of the cheapest points that get `noise_runs`. In one test, three runs there instead of one lowered
the error from 79 to 0.2 % (`tests/benchmarks/deduced_designs.py`).
"""


def plan_minimal(
    profile: Profile,
    values: Values,
    *,
    linear: Collection[str] = (),
    dependent: Dependent | None = None,
    cost: Cost | None = None,
    iteration_times: Mapping[str, ArrayLike] | None = None,
    iterations: int | None = None,
    repetitions: int = REPETITIONS,
    noise_runs: int = 1,
    spend: float | None = None,
    target: Sequence[float] | None = None,
    runs: int | None = None,
    allowed: Allowed | None = None,
    measured: Measured | None = None,
) -> Plan:
    """Deduce the smallest design from what functions depend on.

    Args:
        profile: function → set of parameters that it depends on; None if unknown.
        values: parameter → its values in order. Parameters without values must be linear or dependent.
        linear: parameters that are the number of iterations of the program's main loop.
        dependent: parameter → the parameters it is computed from (see `Dependent`).
        cost: returns the core hours of one run at each of N points with m parameters (N, m).
        iteration_times: linear parameter → seconds of its iterations in one run, which show whether
            iterations take equal times.
        iterations: number of iterations of the main loop, if the linear parameter has no values.
        repetitions: runs at each point if no main loop averages the noise.
        noise_runs: fewest runs at the two cheapest points.
        spend: limit on the core hours of the plan, which gets further runs for the prediction at the target
            (see `filled_within`). None: only the smallest design.
        target: (m,) point to be predicted, by default twice the largest values.
        runs: limit on the runs of the plan. None: see `filled_within`, or no limit without `spend`.
        allowed: returns which of N points (N, m) may be measured, (N,); None: all.
        measured: what was measured so far. These runs are not planned again, and laws fitted to them
            determine further runs.

    Raises:
        PlanError: a function's parameters or their values are unknown; or the smallest design has more than
            `runs` points, is not allowed, or is not affordable. The error has the nearest plan, if any.
    """
    checked = _checked_values(values)
    names = tuple(name for name in checked if name not in (dependent or {}))
    told = {"linear": linear, "dependent": dependent, "iteration_times": iteration_times}
    try:
        insights = insights_of(profile, names, **told)  # type: ignore[arg-type]  # one dictionary for two calls
    except ValueError as error:
        raise PlanError(f"{error}", _nearest(profile, values, linear, dependent, cost)) from error
    axes = cheapest_axes(insights, checked)
    fixed, usual = _fixed(insights, checked, iterations, repetitions)
    points = crossed(axes, fixed, checked, names)
    single = costs_of(points, cost)
    if spend is not None and cost is not None and spend < single.min():
        measured = None  # a budget too small for any run is refused with the whole design's cost
    if measured is not None:
        measured = measured.where(names, fixed)
    made = np.zeros(len(points), np.int_) if measured is None else measured.runs(points)
    count = _repetitions_within(usual, made, runs)
    limit = f"{runs} {'further ' if made.any() else ''}runs are allowed"
    each = _noise_shown(np.full(len(points), count), single, noise_runs)
    if runs is not None and np.maximum(each - made, 0).sum() > runs:
        each = np.full(len(points), count)
    kept = spend is None or runs is None or np.maximum(each - made, 0).sum() <= runs
    plan = Plan(
        points=points,
        repetitions=each,
        costs=single * each,
        reasons=(
            *insights.reasons,
            *_told(insights, axes, checked, fixed=fixed, points=len(points)),
            *([_repeated_told(insights, (count, usual), limit, alone=spend is None)] if kept else []),
            *_noise_told(each),
        ),
        buys=tuple(bought(points, axes, names, insights.meeting)),
        separate_jobs=count > 1,
        parameters=names,
    )
    if measured is not None:
        plan = unmeasured(plan, measured)
    if insights.unknown:
        raise PlanError(
            f"profile: found no dependencies of {', '.join(insights.unknown)}, expected the parameters that "
            "each function depends on; the nearest plan crosses all parameters there",
            plan,
        )
    if allowed is not None:
        plan = _all_allowed(plan, allowed)
    if spend is None or cost is None:
        check_runs(plan, runs)
        return plan
    series = [(fixed[name],) if name in fixed else checked[name] for name in names]
    return filled_within(
        plan, series, insights.functions.values(), spend=spend, target=target, cost=cost,
        runs=runs, allowed=allowed,
        learned=None if measured is None else learner(measured, insights.functions, names, points),
    )  # fmt: skip


def full_factorial(values: Values, *, cost: Cost | None = None, repetitions: int = REPETITIONS) -> Plan:
    """Return the design of all combinations of all values."""
    checked = _checked_values(values)
    points = np.array(list(product(*checked.values())), dtype=np.float64).reshape(-1, len(checked))
    return Plan(
        points=points,
        repetitions=np.full(len(points), repetitions),
        costs=costs_of(points, cost) * repetitions,
        reasons=("All parameters are crossed, because any of them may act together in any function.",),
        buys=("one of all combinations",) * len(points),
        separate_jobs=repetitions > 1,
        parameters=tuple(checked),
    )


def _checked_values(values: Values) -> dict[str, tuple[float, ...]]:
    """Return the values as numbers. Raise PlanError unless they are positive and different."""
    checked: dict[str, tuple[float, ...]] = {}
    for name, series in values.items():
        numbers = np.asarray(list(series), dtype=np.float64)
        if not numbers.size or not (np.isfinite(numbers) & (numbers > 0)).all():
            raise PlanError(f"values: found {list(series)} for {name}, expected positive numbers")
        if len(set(numbers.tolist())) != numbers.size:
            raise PlanError(f"values: found a value of {name} twice, expected each once")
        checked[name] = tuple(numbers.tolist())
    return checked


def _nearest(
    profile: Profile, values: Values, linear: Collection[str], dependent: Dependent | None, cost: Cost | None
) -> Plan | None:
    """Return the plan that ignores parameters of unknown values."""
    known = {*values, *linear, *(dependent or {})}
    kept: dict[str, Collection[str] | None] = {
        name: None if found is None else {each for part in found for each in _names(part) if each in known}
        for name, found in profile.items()
    }
    try:
        return plan_minimal(kept, values, linear=linear, dependent=dependent, cost=cost)
    except PlanError as error:
        return error.nearest


def _names(part: str | Collection[str]) -> Collection[str]:
    return [part] if isinstance(part, str) else part


def _fixed(
    insights: Insights, values: Mapping[str, tuple[float, ...]], iterations: int | None, repetitions: int
) -> tuple[dict[str, float], int]:
    """Return the values of the parameters that do not vary, and the number of runs at each point."""
    fixed = {name: min(values[name]) for name in insights.idle}
    if not insights.linear:
        return fixed, repetitions
    longest = 1 if iterations is None else iterations
    for name in insights.linear:
        if name in values:
            enough = [value for value in values[name] if value >= ITERATIONS]
            fixed[name] = min(enough, default=max(values[name]))
            longest = max(longest, int(fixed[name]))
        elif iterations is None:
            longest = ITERATIONS  # the number of iterations is not limited
    return fixed, min(repetitions, ceil(ITERATIONS / longest))


def _repetitions_within(usual: int, made: IntArray, runs: int | None) -> int:
    """Return the largest number of runs at each point for which at most `runs` runs are missing."""
    if runs is None:
        return usual
    return next((count for count in range(usual, 1, -1) if np.maximum(count - made, 0).sum() <= runs), 1)


def _noise_shown(repetitions: IntArray, costs: FloatArray, noise_runs: int) -> IntArray:
    """Return the repetitions, with at least `noise_runs` at the cheapest points."""
    order = np.argsort(np.nan_to_num(costs), kind="stable")[:SHOWN_AT]
    shown = repetitions.copy()
    shown[order] = np.maximum(shown[order], noise_runs)
    return shown


def _noise_told(repetitions: IntArray) -> Iterator[str]:
    most = repetitions.max(initial=0)
    if most > repetitions.min(initial=most):
        yield f"The {SHOWN_AT} cheapest points are run {most} times, to show how much runs differ."


def _all_allowed(plan: Plan, allowed: Allowed) -> Plan:
    """Return the plan if all of its points are allowed, else raise PlanError with a plan of those allowed."""
    kept = allowed(plan.points)
    if kept.all():
        return plan
    raise PlanError(
        f"limits: found {int((~kept).sum())} of {len(plan)} points of the deduced design beyond the limits; "
        "allow more, or smaller values",
        replace(
            plan, points=plan.points[kept], repetitions=plan.repetitions[kept], costs=plan.costs[kept],
            buys=tuple(buys for buys, keep in zip(plan.buys, kept, strict=True) if keep),
        ),
    )  # fmt: skip


def _told(
    insights: Insights,
    axes: Sequence[Axis],
    values: Mapping[str, tuple[float, ...]],
    *,
    fixed: Mapping[str, float],
    points: int,
) -> Iterator[str]:
    for axis in axes:
        if len(axis) > 1:
            yield f"{' and '.join(axis)} are varied at the same time, step by step."
        if short := [name for name in axis if len(values[name]) < VALUES_FOR_A_LAW]:
            yield f"{', '.join(short)}: a law needs at least {VALUES_FOR_A_LAW} values; add some."
    for name in insights.linear:
        if name in fixed:
            yield f"{name} is kept at {value_told(fixed[name])}."
    full = prod(len(series) for series in values.values())
    if full > points:
        yield f"{points} of {full} combinations are enough; all others would give no new information."
    elif len(axes) > 1:
        yield f"So the smallest design has all {full} combinations."


def _repeated_told(insights: Insights, counts: tuple[int, int], limit: str, *, alone: bool) -> str:
    """Return a sentence on the repetitions of the smallest design, planned and usual ones.

    If `alone`, the smallest design is the whole plan.
    """
    count, usual = counts
    often = "once" if count == 1 else f"{count} times"
    point = "Each point" if alone else "Each point of the smallest design"
    if count < usual:
        return f"{point} is run {often} instead of {usual} times, because at most {limit}."
    if insights.linear:
        return (
            f"Each point is run {often}: the mean over at least {ITERATIONS} iterations of the main loop "
            f"replaces repetitions. Run {ITERATIONS} iterations or more."
        )
    return f"{point} is run {often}, because no main loop averages the noise."
