"""How a kernel scales with the processes: speed-up, efficiency, cost, and how the problem has to grow."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Parameter
from modeling.engine import Models
from modeling.engine.estimates import Estimate
from modeling.engine.scaling import HALF, Isoefficiency, Scaling, isoefficiency, scaling
from modeling.selectors.metrics import is_time
from perfweb.portal import formatting
from perfweb.portal.views.kernel_fit import Fit

COUNTS = 6
"""Process counts in the table, from the smallest that was measured to the target."""


@dataclass(frozen=True)
class ScalingCard:
    """A table over process counts, and what it comes to in a sentence."""

    parameter: str
    sentence: str
    columns: list[str]
    rows: list[list[str]]


def scaling_card(fit: Fit, models: Models) -> ScalingCard | None:
    """None where the metric is no time, or no processes were varied."""
    processes = _varied(fit, Parameter.Role.PROCESSES)
    if processes is None or fit.focus.metric is None or not is_time(fit.focus.metric):
        return None
    at = fit.state.target or fit.state.slice
    counts = _counts(fit.state.knobs[processes].choices, at[processes])
    with np.errstate(over="ignore", invalid="ignore"):
        found = scaling(models, [at], counts, parameter=processes)
    size = _varied(fit, Parameter.Role.PROBLEM_SIZE)
    grows = None
    if size is not None and found.divides[0]:
        grows = isoefficiency(models, [at], counts, size=size, parameter=processes)
    names = fit.campaign.parameters
    name = names[processes]
    kind = "strong" if found.divides[0] else "weak"
    columns = [name, f"speed-up over {formatting.coordinate(found.base)}", f"{kind} efficiency", "core hours"]
    columns += (
        [f"{names[size]} for {formatting.percent(HALF)}"] if grows is not None and size is not None else []
    )
    return ScalingCard(name, _sentence(found, name), columns, _rows(found, grows))


def _varied(fit: Fit, role: str) -> int | None:
    """Number of the first parameter with a role that was varied."""
    roles = {parameter.name: parameter.role for parameter in fit.focus.parameters}
    knobs = enumerate(fit.state.knobs)
    return next((at for at, knob in knobs if roles.get(knob.name) == role and len(knob.choices) > 1), None)


def _counts(measured: Sequence[float], target: float) -> list[float]:
    """The ends of what was measured, and powers of two on the way to the target."""
    low, high = measured[0], measured[-1]
    inside = [low, high] if target <= high else [low]
    steps = np.geomspace(high, max(target, high), COUNTS - len(inside) + 1 if target > high else 1)
    rounded = [2.0 ** round(math.log2(step)) for step in steps[1:-1].tolist()]
    ends = [high, target] if target >= low else [target, high]
    return sorted({*inside, *rounded, *ends})


def _rows(found: Scaling, grows: Isoefficiency | None) -> list[list[str]]:
    efficiency = found.strong_efficiency if found.divides[0] else found.weak_efficiency
    columns = [
        [formatting.coordinate(count) for count in found.processes.tolist()],
        _cells(found.speed_up, formatting.ratio),
        _cells(efficiency, formatting.percent),
        _cells(found.core_hours, formatting.number),
    ]
    if grows is not None:
        columns.append(_cells(grows.size, lambda value: _place(value, grows.reach)))
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(found: Estimate, text: Callable[[float], str]) -> list[str]:
    """Median with its interval, where there is one."""
    numbers = zip(found.median[0].tolist(), found.lower[0].tolist(), found.upper[0].tolist(), strict=True)
    return [_cell(text(median), text(low), text(high)) for median, low, high in numbers]


def _cell(median: str, low: str, high: str) -> str:
    if low in (median, formatting.MISSING) and high in (median, formatting.MISSING):
        return median
    return f"{median} ({low} – {high})"


def _place(value: float, reach: float) -> str:
    return f"> {formatting.number(reach)}" if math.isinf(value) else formatting.number(value)


def _sentence(found: Scaling, name: str) -> str:
    """Where it stops paying."""
    limit = found.strong_limit if found.divides[0] else found.weak_limit
    kind = "Strong" if found.divides[0] else "Weak"
    half = formatting.percent(HALF)
    what = f"{kind} scaling" + (
        " (the time falls by half as processes are added)" if found.divides[0] else ""
    )
    low, high, at = float(limit.lower[0]), float(limit.upper[0]), float(limit.median[0])
    if math.isnan(at):
        return f"{what}; where its efficiency falls cannot be told."
    if math.isinf(at):
        return f"{what}: its efficiency stays above {half} up to {name} = {formatting.number(found.reach)}."
    ends = "" if math.isnan(low) else f" (95 %: {formatting.number(low)} – {_place(high, found.reach)})"
    where = f"{name} = {formatting.number(at)}{ends}"
    return f"{what}: its efficiency falls below {half} at {where}.{_fastest(found)}"


def _fastest(found: Scaling) -> str:
    """From where on more processes cost time, if that matters."""
    at = float(found.fastest.median[0])
    if not found.divides[0] or not math.isfinite(at):
        return ""
    return f" More than {formatting.number(at)} processes gain nothing."
