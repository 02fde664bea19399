"""Plan the next measurement: points and repetitions that give much information for few core hours.

Runs are chosen one after the other, by information from the posterior (`beliefs`) divided by the square root
of the cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.design.beliefs import Beliefs, beliefs_of
from modeling.engine.design.choosing import LITTLE_TOGETHER, POWER, Choice, Question, chosen, unchosen
from modeling.engine.design.earlier import Earlier
from modeling.engine.design.first import REPETITIONS, lacks_lines, plan_first
from modeling.engine.design.goals import GOALS, NORMAL_QUANTILE, difference_of, open_question, share_wanted
from modeling.engine.design.kernels import Data, carried_data, data_of
from modeling.engine.design.limits import Limits, single, within
from modeling.engine.design.plans import Cost, Expected, Plan, PlanError, costs_of, hours_told
from modeling.engine.design.reasons import (
    ALLOW_NEARER,
    EARLIER_LAWS,
    MEASURE_BEFORE,
    NOTHING_EARLIER,
    bought,
    contradicted,
    difference_told,
    gained,
    open_rivals,
    outcome,
    rivals_told,
)
from modeling.engine.design.rivalry import Rivalry
from modeling.engine.design.worth import (
    Allowance,
    bound_of,
    bounded,
    cheapest_help,
    hardly_decides,
    helps,
    instead,
    nearer_run,
)
from modeling.engine.fitting import fit
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray, check_points, check_values

MOST_RUNS = 40
"""Limit on the runs of a plan. After this number, results are a better basis than predictions."""


def plan_next(
    points: ArrayLike,
    values: ArrayLike,
    candidates: ArrayLike,
    cost: Cost | ArrayLike,
    *,
    goal: str = "interval",
    target: ArrayLike | None = None,
    budget: float | None = None,
    names: Sequence[str] | None = None,
    models: Models | None = None,
    before: tuple[ArrayLike, ArrayLike] | None = None,
    before_models: Models | None = None,
    groups: Mapping[str, ArrayLike] | None = None,
    limits: Limits | None = None,
    wanted: float | None = None,
    enough: float | None = None,
    runs: int = MOST_RUNS,
    repetitions: int = REPETITIONS,
    kernels: Sequence[str] | None = None,
) -> Plan:
    """Propose what to measure next.

    Args:
        points: (P, m) P measured points of m parameters, possibly none.
        values: (K, P, R) R repetitions of K kernels at these points, NaN where missing.
        candidates: (C, m) C points that may be measured, for the first time or again.
        cost: core hours of one run at each candidate, (C,), or a function that gives them.
        goal: "interval" narrows the interval at the target. "rivals" distinguishes the most probable laws of
            different growth. "change" settles whether the program changed since `before`. "first" measures
            what a first model needs.
        target: (m,) point of the question, by default the largest measured point.
        budget: limit on the core hours; None: no limit.
        names: names of the parameters, for the reasons.
        models: models of the kernels, if known.
        before: points and values of an earlier version, for the goal "change". Its models are also used if
            fewer than three values of a parameter were measured.
        before_models: models of the earlier version, if known.
        groups: kind of group, such as "day" or "job", the coarsest first → label of each run's group, (P, R)
            or (K, P, R); negative if unknown.
        limits: limits on the points.
        wanted: for "interval", the share of the half width that may remain, by default a half; for "rivals",
            the logarithm of the odds with which the right one is to be known.
        enough: for "interval", in place of `wanted`: the distance from the prediction to the upper end that
            is small enough, as a share of the prediction.
        runs: limit on the runs of the plan.
        repetitions: runs at each point of a first plan, if the budget allows.
        kernels: names of the K kernels, for the reasons.

    Raises:
        PlanError: the budget is too small for any candidate, or limits exclude all candidates. The error has
            the nearest possible plan.
        ValueError: an argument has a wrong value or shape.
    """
    if goal not in GOALS:
        raise ValueError(f"goal: found {goal!r}, expected one of {', '.join(GOALS)}")
    offered = check_points(candidates, "candidates")
    known = tuple(names or (f"x{at + 1}" for at in range(offered.shape[1])))
    price = costs_of(offered, cost)
    if limits is not None:
        kept = within(offered, known, limits, price)
        offered, price = offered[kept], price[kept]
    spent = _budget(offered, price, budget, known)
    measured = np.asarray(points, dtype=np.float64).reshape(-1, offered.shape[1])
    lacking = lacks_lines(measured, offered)
    earlier = _earlier(before, before_models, needed=lacking or goal == "change")
    _check_same_kernels(earlier, measured, values)

    allowance = Allowance(known, spent, runs, lambda point: _price(point, cost, limits, known))

    def answered(data: Data, beliefs: Beliefs, *told: str) -> Plan:
        share = share_wanted(enough, beliefs) if wanted is None and goal == "interval" else wanted
        difference = None
        if goal == "change" and earlier is not None:
            difference = difference_of(beliefs, earlier.part(data.kernels))
            told = (difference_told(difference), *told)
        asked = open_question(goal, data, beliefs, difference=difference, wanted=share)
        question = Question(offered, price, data.noise, *asked)
        if isinstance(question.state, Rivalry):
            name = kernels[data.kernels[question.state.kernel]] if kernels else ""
            told = (rivals_told(question.state, name, known, alone=len(data.kernels) == 1), *told)
        if difference is not None and difference.hopeless:
            choice, hardly = unchosen(question), [MEASURE_BEFORE]
        else:
            choice, hardly = _worth(question, chosen(question, spent, runs), data, allowance)
        return _plan(question, choice, beliefs, data, known, hardly=hardly, told=told)

    told = (NOTHING_EARLIER,) if goal == "change" and earlier is None else ()
    if lacking and earlier is not None and not lacks_lines(earlier.points, offered):
        aim = check_points(_target(earlier.points, target), "target")[0]
        data, carried = carried_data(measured, values, earlier, offered, aim)
        if not carried.contradicted:
            return answered(data, carried.beliefs, EARLIER_LAWS)
        told = (*told, contradicted(carried))
    if goal == "first" or lacking:
        plan = plan_first(offered, measured, price, spent, names=known, runs=runs, repetitions=repetitions)
        return replace(plan, reasons=(*told, *plan.reasons))
    data = data_of(check_points(measured), values, models, groups)
    aim = check_points(_target(measured, target), "target")[0]
    beliefs = beliefs_of(data.models, offered, aim, data.shared(np.vstack([offered, aim])))
    return answered(data, beliefs, *told)


def _price(point: FloatArray, cost: Cost | ArrayLike, limits: Limits | None, names: Sequence[str]) -> float:
    """Return the core hours of a run at a point that is no candidate; infinity if limits exclude it."""
    if not callable(cost):
        return np.inf
    try:
        if limits is not None:
            within(point[None], names, limits)
    except PlanError:
        return np.inf
    return float(costs_of(point[None], cost)[0])


def _worth(question: Question, choice: Choice, data: Data, allowance: Allowance) -> tuple[Choice, list[str]]:
    """Return a choice that narrows the interval noticeably: the given one, or else the cheapest one.

    If there is none, return the given choice, and sentences that say why no choice helps. Its runs are left
    out if all runs that the budget allows would help hardly at all or, for rivals, hardly.
    """
    state = question.state
    if isinstance(state, Rivalry):
        hardly = hardly_decides(state, choice)
        few = choice.stopped == "runs" and allowance.runs < MOST_RUNS
        return (choice if few or not hardly else unchosen(question)), hardly
    if not isinstance(state, Beliefs) or choice.reached or helps(state.open(), choice.left):
        return choice, []
    if (better := cheapest_help(question, allowance.core_hours, allowance.runs)) is not None:
        return better, []
    limited = np.isfinite(allowance.core_hours)
    dearer = cheapest_help(question, np.inf, allowance.runs) if limited else None
    nearer = nearer_run(data.models, state, data.noise, allowance) if dearer is None else None
    share = 100 * (1 - np.sqrt(max(choice.left, 0.0) / state.open()))
    told = [f"These runs remove only {share:.0f} % of the interval's width."] if choice.runs else []
    advice = instead(nearer, dearer, allowance.names)
    if not choice.runs:
        advice.append(ALLOW_NEARER)
    if choice.stopped == "budget" and 1 - choice.left / state.open() < LITTLE_TOGETHER:
        told = [f"All runs within the budget together would remove {share:.0f} % of the interval's width."]
        choice = unchosen(question)
    bound = bounded(bound_of(state, data.noise))
    return choice, [*told, bound, *advice]


def _earlier(
    before: tuple[ArrayLike, ArrayLike] | None, models: Models | None, *, needed: bool
) -> Earlier | None:
    """Return the earlier version with its models; None if there is none or it is not `needed`."""
    if before is None or not needed:
        return None
    points = check_points(before[0], "before")
    values = check_values(before[1], len(points), "before")
    found = models if models is not None and models.posterior is not None else fit(points, values)
    return Earlier(points, values, found) if found.posterior is not None else None


def _check_same_kernels(earlier: Earlier | None, measured: FloatArray, values: ArrayLike) -> None:
    """Raise a ValueError if the earlier version does not have as many kernels as the `measured` one."""
    found, expected = (0 if earlier is None else len(earlier.values)), len(np.asarray(values))
    if earlier is not None and len(measured) and found != expected:
        raise ValueError(f"before: found values of {found} kernels, expected {expected} as in values")


def _budget(candidates: FloatArray, costs: FloatArray, budget: float | None, names: Sequence[str]) -> float:
    """Return the budget, infinite by default. Raise PlanError if it is too small for any candidate."""
    if budget is None:
        return np.inf
    least = int(np.argmin(costs))
    if not budget >= costs[least]:
        raise PlanError(
            f"budget: found {hours_told(budget)} core hours, but a run of the cheapest point takes "
            f"{hours_told(float(costs[least]))}",
            single(candidates[least], names, "the cheapest single run", float(costs[least])),
        )
    return budget


def _target(measured: FloatArray, target: ArrayLike | None) -> FloatArray:
    """Return the target, by default the largest measured point."""
    if target is None:
        return np.asarray(measured[int(np.argmax(np.log(measured).sum(axis=1)))][None])
    return np.asarray(target, dtype=np.float64).reshape(1, -1)


def _plan(
    question: Question, choice: Choice, beliefs: Beliefs, data: Data, names: tuple[str, ...],
    *, hardly: Sequence[str] = (), told: Sequence[str] = (),
) -> Plan:  # fmt: skip
    """Return the chosen runs as a plan. Points with the most information for their cost come first.

    `hardly` says why the runs are hardly worth it, if they are.
    """
    order = sorted(set(choice.runs), key=lambda at: -gained(choice, at) / float(question.costs[at]) ** POWER)
    repetitions = np.array([choice.runs.count(at) for at in order], dtype=np.int_)
    differing = data.split.differing()
    separate = bool(differing) or not data.split.known
    after = beliefs
    left = []
    for at, count in zip(order, repetitions.tolist(), strict=True):
        for _ in range(count):
            after = after.after(at, question.noise)
        left.append(_share_left(beliefs, after))
    buys = tuple(bought(question, choice, at) for at in order)
    expected = _expected(question.state, choice, beliefs, after)
    return Plan(
        points=question.candidates[order].reshape(-1, question.candidates.shape[1]),
        repetitions=repetitions,
        costs=question.costs[order] * repetitions,
        reasons=(
            *buys,
            *told,
            *hardly,
            *([] if hardly else open_rivals(choice, expected)),
            *outcome(question, choice, differing, data.split, hardly=bool(hardly)),
        ),
        buys=buys,
        expected=expected,
        left=tuple(left),
        reached=choice.reached and not choice.runs,
        noise=data.split.sources(),
        separate_jobs=separate,
        parameters=names,
        hardly=bool(hardly),
    )


def _share_left(before: Beliefs, after: Beliefs) -> float:
    """Return the half width at the target after some runs, as a share of the half width before them."""
    least = np.finfo(float).tiny
    return float(np.sqrt(max(after.open(), 0.0) / max(before.open(), least)))


def _expected(state: object, choice: Choice, before: Beliefs, after: Beliefs) -> Expected:
    widths = [float(np.exp(NORMAL_QUANTILE * np.sqrt(max(each.open(), 0.0)))) for each in (before, after)]
    if not isinstance(state, Rivalry):
        return Expected(widths[0], widths[1])
    return Expected(widths[0], widths[1], state.certainty(0.0), state.certainty(sum(choice.gains)))
