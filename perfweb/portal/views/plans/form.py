"""The fields of the planner's question: sliders of target and budget, and the limits of the machine."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.costs import core_hours
from modeling.selectors.plans.question import Question
from perfweb.portal.asked.sliders import Slider, round_stops, target_stops

MOST_BUDGET = 20
"""The budget's slider ends at the cost of this number of runs of the most expensive configuration."""

WITHIN_STOPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Stops of the slider of the wanted interval, in percent."""


@dataclass(frozen=True)
class LimitField:
    """A number field of a limit, with the text that the user typed in."""

    name: str
    label: str
    value: str
    placeholder: str


def target_sliders(basis: Basis) -> list[Slider]:
    """Return a slider for each parameter of the target; none if nothing was measured."""
    run = basis.known_run
    if run is None:
        return []
    aim = basis.target or run.target
    measured = run.campaign.measured_values()
    values = {name: float(aim.get(name, series[-1])) for name, series in measured.items()}
    return [
        Slider(name, values[name], target_stops(series, values[name])) for name, series in measured.items()
    ]


def budget_slider(basis: Basis, question: Question) -> Slider:
    """Return the budget's slider, from the cheapest run to `MOST_BUDGET` of the most expensive runs."""
    points = question.candidates() if all(series for _, series in question.values) else np.empty((0, 1))
    if not len(points) or not question.values:
        return Slider("budget", question.budget, round_stops(1, 10_000), optional=True)
    costs = core_hours(basis, question, points)
    stops = round_stops(float(costs.min()), MOST_BUDGET * float(costs.max()))
    return Slider("budget", question.budget, stops, optional=True)


def within_slider(question: Question) -> Slider:
    """Return the slider of the wanted interval, in percent to either side."""
    value = None if question.within is None else 100 * question.within
    return Slider("within", value, WITHIN_STOPS, optional=True)


def limit_fields(basis: Basis, texts: Mapping[str, str], *, counted: bool = False) -> list[LimitField]:
    """Return the fields of limits; the one of processes only if a parameter may count processes."""
    by_metric = "measured" if basis.memory is not None else "unknown"
    fields = [
        ("processes", "processes at most", "no limit"),
        ("hours", "longest run (hours)", "no limit"),
        ("memory", "largest memory of a run (GB)", "no limit"),
        ("memory_each", "memory of a process (GB)", by_metric),
        ("overhead", "additional core hours of each job", "0"),
        ("wait", "waiting time of a job (hours)", "0"),
    ]
    return [
        LimitField(name, label, texts.get(name, ""), placeholder)
        for name, label, placeholder in fields
        if name != "processes" or counted or basis.processes is not None
    ]
