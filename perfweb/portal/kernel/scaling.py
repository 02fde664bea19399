"""The scaling of a kernel with the processes: speed-up, efficiency, cost, and the growth of the problem
that keeps it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Parameter
from ingest.selectors import processes_of
from modeling.engine import (
    HALF_EFFICIENCY,
    TOO_FEW_VALUES,
    Estimate,
    Isoefficiency,
    Models,
    Scaling,
    isoefficiency,
    process_scaling,
)
from modeling.selectors.run.metrics import is_time, seconds_in
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated

COUNTS = 6
"""Number of process counts in the table, from the smallest measured one to the target."""


@dataclass(frozen=True)
class ScalingCard:
    """A table over process counts, and its summary in a sentence."""

    parameter: str
    sentence: str
    columns: list[str]
    rows: list[list[str]]


def scaling_card(fit: Fit, models: Models) -> ScalingCard | None:
    """Return the card; None if the metric is no time or is 0, or if too few process counts were measured
    for a law.
    """
    counted = processes_of(fit.campaign, fit.focus.parameters)
    metric = fit.focus.metric
    if counted is None or metric is None or not is_time(metric):
        return None
    if models.status[0] == TOO_FEW_VALUES or not (models.predict(models.upper[None]) > 0).all():
        return None
    names, name = fit.campaign.parameters, counted.name
    processes, size = names.index(name), _varied_size(fit)
    at = fit.state.target or fit.state.slice
    counts = _counts(fit.state.knobs[processes].choices, at[processes])
    with np.errstate(over="ignore", invalid="ignore"):
        found = process_scaling(models, [at], counts, parameter=processes, seconds=seconds_in(metric))
    grows = None
    if size is not None and found.divides[0]:
        grows = isoefficiency(models, [at], counts, size=size, parameter=processes)
    columns = [name, f"speed-up over {formatting.coordinate(found.base)}"]
    columns += [*(f"{kind} efficiency" for kind in _efficiencies(found)), "core hours"]
    if grows is not None and size is not None:
        columns.append(f"{names[size]} for {formatting.percent(HALF_EFFICIENCY)}")
    return ScalingCard(name, _sentence(found, name), columns, _rows(found, grows))


def _varied_size(fit: Fit) -> int | None:
    """Return the index of the first problem size that was varied."""
    sizes = {row.name for row in fit.focus.parameters if row.role == Parameter.Role.PROBLEM_SIZE}
    knobs = enumerate(fit.state.knobs)
    return next((at for at, knob in knobs if knob.name in sizes and len(knob.choices) > 1), None)


def _counts(measured: Sequence[float], target: float) -> list[float]:
    """Return the ends of the measured range, and powers of two up to the target."""
    low, high = measured[0], measured[-1]
    inside = [low, high] if target <= high else [low]
    steps = np.geomspace(high, max(target, high), COUNTS - len(inside) + 1 if target > high else 1)
    rounded = [2.0 ** round(math.log2(step)) for step in steps[1:-1].tolist()]
    ends = [high, target] if target >= low else [target, high]
    return sorted({*inside, *rounded, *ends})


def _efficiencies(found: Scaling) -> dict[str, Estimate]:
    """Return a sentence on the kind of scaling that was measured; on both kinds if the times fit either."""
    strong = {"strong": found.strong_efficiency}
    return strong if found.divides[0] else strong | {"weak": found.weak_efficiency}


def _rows(found: Scaling, grows: Isoefficiency | None) -> list[list[str]]:
    columns = [
        [formatting.coordinate(count) for count in found.processes.tolist()],
        _cells(found.speed_up, lambda value: f"{formatting.number(value)}×"),
        *(_cells(efficiency, formatting.percent) for efficiency in _efficiencies(found).values()),
        _cells(found.core_hours, formatting.number),
    ]
    if grows is not None:
        columns.append(_cells(grows.size, lambda value: _size(value, grows)))
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(found: Estimate, text: Callable[[float], str]) -> list[str]:
    """Return the median with its interval, if there is one."""
    numbers = zip(found.median[0].tolist(), found.lower[0].tolist(), found.upper[0].tolist(), strict=True)
    return [_cell(text(median), text(low), text(high)) for median, low, high in numbers]


def _cell(median: str, low: str, high: str) -> str:
    if low in (median, formatting.MISSING) and high in (median, formatting.MISSING):
        return median
    return f"{median} ({low} – {high})"


def _size(value: float, found: Isoefficiency) -> str:
    """Return a size; the ends of the searched range are shown as bounds."""
    if value <= found.smallest:
        return f"≤ {formatting.coordinate(found.smallest)}"
    return _place(value, found.reach)


def _place(value: float, reach: float) -> str:
    return f"> {formatting.coordinate(reach)}" if math.isinf(value) else formatting.number(value)


def _sentence(found: Scaling, name: str) -> str:
    """Return from where more processes do not pay; a time that does not fall may belong to either kind of
    scaling.
    """
    if found.divides[0]:
        limit = _limit(found.strong_limit, found.reach, name)
        what = "Strong scaling (the time falls by half as processes are added)"
        return f"{what}: its efficiency {limit}.{_fastest(found)}"
    weak, strong = (_limit(limit, found.reach, name) for limit in (found.weak_limit, found.strong_limit))
    return (
        "The time does not fall by half as processes are added. If each of them has work of its own (weak "
        f"scaling), the efficiency {weak}; if they share the same work (strong scaling), it {strong}."
    )


def _limit(limit: Estimate, reach: float, name: str) -> str:
    """Return where an efficiency falls below one half."""
    low, high, at = (float(ends[0]) for ends in (limit.lower, limit.upper, limit.median))
    if math.isnan(at):
        return "cannot be told"
    half = formatting.percent(HALF_EFFICIENCY)
    texts = formatting.number(low), _place(high, reach)
    ends = f" (95 %: {texts[0]} – {texts[1]})" if math.isfinite(low) and texts[0] != texts[1] else ""
    name = isolated(name)
    if math.isinf(at):
        return f"stays above {half} up to {name} = {formatting.coordinate(reach)}{ends}"
    return f"falls below {half} at {name} = {formatting.number(at)}{ends}"


def _fastest(found: Scaling) -> str:
    """Return from where more processes take more time."""
    at = float(found.fastest.median[0])
    return f" More than {formatting.number(at)} processes gain nothing." if math.isfinite(at) else ""
