"""Converts a proposal to the rows, facts and pictures of its page."""

from dataclasses import dataclass

import numpy as np

from modeling.engine import Plan
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.costs import memory_of, run_seconds
from modeling.selectors.plans.outlook import Outlook
from modeling.selectors.plans.planned import Proposal
from perfweb.portal.charts.svg.noise_parts import noise_bars
from perfweb.portal.charts.svg.plan import Points, interval_bars, plan_picture, plan_sentence
from perfweb.portal.text import formatting
from perfweb.portal.text.topics.plans import goal_about, noise_sentence, source_name, source_note, spread
from perfweb.portal.views.plans.rows import PlanRow, plan_rows

MOST_COLUMNS = 10
"""With more columns, those without runs are left out of the picture. So many fit on a phone."""

ROWS_OPEN = 20
"""Tables with more rows are folded at first; on a phone, 20 rows already fill five screens."""


@dataclass(frozen=True)
class Fact:
    """A number of the plan, and its meaning in words."""

    term: str
    value: str
    note: str = ""


def shown(proposal: Proposal, basis: Basis, unit: str) -> dict[str, object]:
    """Return the part of the template's context that describes an existing plan."""
    plan, question = proposal.plan, proposal.question
    assert plan is not None  # noqa: S101 -- the caller asked
    points, runs, known = plan.points.tolist(), plan.repetitions.tolist(), proposal.measured.tolist()
    memory = memory_of(basis, question, plan.points) if len(plan) else None
    rows = plan_rows(
        plan, known, seconds=run_seconds(basis, question, plan.points), memory=memory,
        intervals=_intervals(plan, proposal.outlook, unit), guessed=proposal.guessed,
    )  # fmt: skip
    allowed = {tuple(point) for point in proposal.allowed.tolist()}
    columns = _used_columns([*known, *points], [*known, *points, *question.candidates().tolist()])
    barred = [point for point in question.candidates().tolist() if tuple(point) not in allowed]
    return {
        "plan": plan,
        "rows": rows,
        "folded": len(rows) > ROWS_OPEN,
        "first": _first(proposal, rows),
        "about": "" if proposal.problem else goal_about(question.goal, budget=question.budget is not None),
        "facts": _facts(proposal, unit),
        "why": [reason for reason in plan.reasons if reason not in plan.buys],
        "knows_memory": memory is not None,
        "bars": _bars(proposal, unit),
        "narrows": bool(plan.left) and _narrows(proposal),
        "barred": barred,
        "picture": plan_picture(
            known, points, runs, proposal.names, costs=plan.costs.tolist(),
            offered=_columns(proposal.allowed.tolist(), columns), barred=_columns(barred, columns),
        ),
        "left_out": bool(columns),
        "sentence": plan_sentence(known, points, runs, proposal.names),
        "beyond": _beyond(proposal, unit),
        "narrower": _narrower(proposal),
        **_noise(plan),
    }  # fmt: skip


def _used_columns(used: Points, shown: Points) -> set[float]:
    """Return the columns of the picture that have runs if all columns would be too many; otherwise none."""
    columns = {point[0] for point in used}
    return columns if len({point[0] for point in shown}) > MOST_COLUMNS else set()


def _columns(points: Points, columns: set[float]) -> Points:
    """Return the points in some columns of the picture, or all points if there are no such columns."""
    return [point for point in points if point[0] in columns] if columns else points


@dataclass(frozen=True)
class NoisePart:
    """A row of the table of the sources of noise."""

    name: str
    deviation: str
    note: str


def _noise(plan: Plan) -> dict[str, object]:
    if not plan.noise:
        return {}
    return {
        "noise_picture": noise_bars(plan.noise),
        "noise_told": noise_sentence(plan.noise),
        "noise_parts": [
            NoisePart(source_name(part), f"{100 * part.deviation:.2g} %", source_note(part))
            for part in plan.noise
        ],
    }


def _first(proposal: Proposal, rows: list[PlanRow]) -> str:
    """Return the configuration to begin with: p = 64, n = 8,000 (2 runs, 1.2 core hours)."""
    if not rows:
        return ""
    row = rows[0]
    where = ", ".join(f"{name} = {value}" for name, value in zip(proposal.names, row.point, strict=True))
    count = f"{row.runs} run{'' if row.runs == 1 else 's'}"
    cost = "" if row.cost is None else f", {formatting.number(row.cost)} core hours"
    return f"{where} ({count}{cost})"


def _intervals(plan: Plan, outlook: Outlook | None, unit: str) -> list[str]:
    """Return the interval after the runs of each row and of the rows above it."""
    if outlook is not None:
        ends = [outlook.narrowed(share) for share in plan.left]
        return [formatting.interval(end.lower, end.upper, unit, end.predicted) for end in ends]
    if plan.expected is None:
        return []
    return [spread(plan.expected.width_before**share) for share in plan.left]


def _facts(proposal: Proposal, unit: str) -> list[Fact]:
    plan, outlook, facts = proposal.plan, proposal.outlook, []
    assert plan is not None  # noqa: S101 -- the caller asked
    if outlook is not None:
        where = formatting.configuration(dict(outlook.target))
        value = formatting.quantity(outlook.predicted, unit)
        facts.append(Fact(f"{proposal.kernel or 'Total'} at the target", value, f"predicted at {where}"))
        ends = formatting.interval(outlook.lower, outlook.upper, unit, outlook.predicted)
        facts.append(Fact("Its 95 % interval now", ends, f"{spread(outlook.width)}{_shared(outlook)}"))
    elif plan.expected is not None:
        facts.append(Fact("95 % interval of the total now", spread(plan.expected.width_before)))
    if plan.expected is not None and plan.runs and _narrows(proposal):
        facts.append(_afterwards(plan, outlook, unit))
    if plan.expected is not None and np.isfinite(plan.expected.certainty_after) and plan.runs:
        before, after = (formatting.percent(each, 3) for each in _certainties(plan))
        now = "as now" if before == after else f"{before} now"
        facts.append(Fact("Probability of the right law", after, now))
    return [*facts, *_costs(proposal)]


def _narrows(proposal: Proposal) -> bool:
    """Return whether the plan is about the interval at the target, and not about rival laws."""
    return proposal.question.goal != "rivals"


def _shared(outlook: Outlook) -> str:
    """Return which part of the interval further runs in the same jobs, nodes or days cannot narrow."""
    if outlook.shared <= 1:
        return ""
    kinds = " and ".join(f"{kind}s" for kind in outlook.kinds)
    return f"; differences between {kinds} alone would leave {spread(outlook.shared)}"


def _certainties(plan: Plan) -> tuple[float, float]:
    assert plan.expected is not None  # noqa: S101 -- the caller asked
    return plan.expected.certainty_before, plan.expected.certainty_after


def _afterwards(plan: Plan, outlook: Outlook | None, unit: str) -> Fact:
    assert plan.expected is not None  # noqa: S101 -- the caller asked
    width = spread(plan.expected.width_after)
    if outlook is None or not plan.left:
        return Fact("Expected after the plan", width)
    then = outlook.narrowed(plan.left[-1])
    return Fact(
        "Expected after the plan", formatting.interval(then.lower, then.upper, unit, then.predicted), width
    )


def _costs(proposal: Proposal) -> list[Fact]:
    plan, facts = proposal.plan, []
    if plan is None or not plan.runs:
        return []
    if plan.cost is not None:
        whole = proposal.full
        share = formatting.percent(plan.cost / whole[1]) if whole and whole[1] else ""
        note = f"{share} of five repetitions of all combinations" if share else ""
        if proposal.guessed is not None:
            note = f"guessed, {formatting.span(*proposal.guessed.total)}{'; ' if note else ''}{note}"
        facts.append(Fact("Core hours", formatting.number(plan.cost), note))
    when = proposal.turnaround
    if when is not None:
        jobs = f"{when.jobs} job{'' if when.jobs == 1 else 's'}"
        value = formatting.quantity(3600 * when.side_by_side, "s")
        note = f"{jobs} at the same time; {formatting.quantity(3600 * when.in_turn, 's')} one after the other"
        facts.append(Fact("Results after", value, note if when.jobs > 1 else jobs))
    return facts


def _bars(proposal: Proposal, unit: str) -> object:
    plan, outlook = proposal.plan, proposal.outlook
    if plan is None or outlook is None or not plan.left or not _narrows(proposal):
        return ""
    return interval_bars(outlook, outlook.narrowed(plan.left[-1]), unit)


def _beyond(proposal: Proposal, unit: str) -> str:
    """Return to what further runs would narrow an interval that is narrow enough already."""
    further, outlook = proposal.beyond, proposal.outlook
    if further is None or outlook is None:
        return ""
    if not further.runs or further.expected is None:
        return "None of the possible runs would narrow its interval notably."
    cost = "" if further.cost is None else f" and {formatting.number(further.cost)} core hours"
    runs = f"{further.runs} run{'' if further.runs == 1 else 's'}"
    return f"With {runs}{cost} it would become {spread(further.expected.width_after)}."


def _narrower(proposal: Proposal) -> str:
    """Return the width that further runs would reach, in percent, for the field `within`."""
    further = proposal.beyond
    if further is None or further.expected is None:
        return ""
    return f"{100 * (further.expected.width_after - 1):.2g}"
