"""Write a plan as plain text for terminals."""

import numpy as np

from modeling.engine import Plan
from modeling.engine.design.plans import hours_told
from modeling.selectors.plans.costs import CostRange

NARROW = 1.5
"""Intervals with at most this factor to either side are written in percent, as on pages."""


def plan_text(plan: Plan, problem: str = "", guessed: CostRange | None = None) -> str:
    """Return a table of points with runs, core hours and purposes, the expected interval, and reasons."""
    lines = [problem] if problem else []
    if plan.runs:
        cost = "" if plan.cost is None else f", {hours_told(plan.cost)} core hours"
        if guessed is not None:
            cost += f" (guessed: {' to '.join(map(hours_told, guessed.total))})"
        runs, points = (
            f"{count} {word}{'' if count == 1 else 's'}"
            for count, word in ((plan.runs, "run"), (len(plan), "configuration"))
        )
        worth = "Hardly worth it: " if plan.hardly else ""
        lines += [f"{worth}{runs} at {points}{cost}", *_table(plan)]
    if plan.expected is not None and np.isfinite(plan.expected.certainty_before):
        now, later = (
            f"{100 * each:.3g} %" for each in (plan.expected.certainty_before, plan.expected.certainty_after)
        )
        lines.append(f"Probability of the right law: {now} now{_later(plan, later)}.")
    elif plan.expected is not None:
        before, after = map(_width, (plan.expected.width_before, plan.expected.width_after))
        lines.append(f"Interval at the target: {before} now{_later(plan, after)}.")
    lines += [reason for reason in plan.reasons if reason not in plan.buys]
    return "\n".join(lines) + "\n"


def _later(plan: Plan, expected: str) -> str:
    return f", about {expected} after the plan" if plan.runs else ""


def _width(factor: float) -> str:
    """Return the factor to either end of an interval as text, narrow ones in percent."""
    narrow = factor < NARROW
    return f"± {100 * (factor - 1):.2g} %" if narrow else f"a factor of {factor:.3g} to either side"


def _table(plan: Plan) -> list[str]:
    head = [*plan.parameters, "runs", "core hours"]
    rows = [
        [*(f"{value:.12g}" for value in point), str(runs), "" if np.isnan(cost) else hours_told(cost)]
        for point, runs, cost in zip(
            plan.points.tolist(), plan.repetitions.tolist(), plan.costs.tolist(), strict=True
        )
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    aligned = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)
    ]
    return [f"  {line}  {buys}".rstrip() for line, buys in zip(aligned, ("", *plan.buys), strict=True)]
