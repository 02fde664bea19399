"""The scaling of a kernel with the processes: speed-up, efficiency, cost and isoefficiency."""

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
from modeling.selectors.kernel.curves import Curve, on_line
from modeling.selectors.kernel.curves import Estimate as Point
from modeling.selectors.run.direction import Direction
from modeling.selectors.run.efficiency import program_divides
from modeling.selectors.run.metrics import is_time, seconds_in
from perfweb.portal.charts.efficiency import EfficiencyLine, efficiency_figure
from perfweb.portal.charts.figures import Figure
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.kernel.state import SCALINGS
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated

COUNTS = 6
"""Number of process counts in the table, from the smallest measured one to the target."""

SAMPLES = 32
"""Number of process counts between the ends of the chart; more look the same."""

PERCENT = formatting.percent(1.0).removeprefix("100")
"""End of a percentage; an interval has it once."""

STRONG, WEAK = SCALINGS
"""Kinds of scaling: the processes share the same work, or each has its own work."""


@dataclass(frozen=True)
class ScalingCard:
    """A chart of one kind of scaling, the table under it, and a summary in a sentence.

    The reader chooses among `kinds`; there is one if a problem size always varied with the processes. `note`
    says why this kind is shown, unless the reader chose it.
    """

    parameter: str
    kind: str
    sentence: str
    figure: Figure
    columns: list[str]
    rows: list[list[str]]
    kinds: tuple[str, ...]
    note: str


def scaling_card(fit: Fit, models: Models) -> ScalingCard | None:
    """Return the card; None if scaling cannot be shown.

    The metric must be a time, with enough values for a law, which must be above 0. The time on the fewest
    processes must not be 0, because efficiency is relative to this time.
    """
    counted = processes_of(fit.campaign, fit.focus.parameters)
    metric = fit.focus.metric
    if counted is None or metric is None or not is_time(metric):
        return None
    if models.status[0] == TOO_FEW_VALUES or not (models.predict(models.upper[None]) > 0).all():
        return None
    names, name = fit.campaign.parameters, counted.name
    processes, size = names.index(name), _varied_size(fit, names.index(name))
    at = fit.state.target or fit.state.slice
    if not _begins_above_zero(fit, at, processes):
        return None
    measured = sorted({point[processes] for point in fit.measured})
    counts = _counts(measured, at[processes])
    samples = _samples(counts, measured)
    with np.errstate(over="ignore", invalid="ignore"):
        found = process_scaling(models, [at], samples, parameter=processes, seconds=seconds_in(metric))
    kinds = _measured_kinds(fit, processes)
    kind = kinds[0] if len(kinds) == 1 else fit.state.scaling
    kind = kind or (STRONG if found.divides[0] or _program_divides(fit, processes) else WEAK)
    grows = None
    if size is not None and kind == STRONG:
        grows = isoefficiency(models, [at], counts, size=size, parameter=processes)
    columns = _columns(found, name, kind, names[size] if grows is not None and size is not None else "")
    rows = _rows(found, kind, [samples.index(count) for count in counts], grows)
    line = EfficiencyLine(
        kind=kind,
        parameter=name,
        title=formatting.parameter(name, fit.focus.parameters),
        base=found.base,
        high=measured[-1],
        target=at[processes],
        curve=_curve(found, kind),
        measured=_measured(fit, found, kind, processes, at),
        threshold=found.threshold,
    )
    figure = efficiency_figure(line, columns, rows)
    sentence = _sentence(found, name, kind, samples.index(at[processes]))
    note = "" if fit.state.scaling and len(kinds) > 1 else _why(kind, kinds, name)
    return ScalingCard(name, kind, sentence, figure, columns, rows, kinds, note)


def _why(kind: str, kinds: Sequence[str], name: str) -> str:
    """Return why this kind of scaling is shown."""
    if len(kinds) == 1:
        always = "the problem size was always varied together with"
        return f"Only {kind} scaling was measured, because {always} {isolated(name)}."
    half = "takes less than half as long on the most measured processes as on the fewest"
    who = "the kernel or the whole program" if kind == STRONG else "neither the kernel nor the program"
    return f"Shown as {kind} scaling, because {who} {half}."


def _begins_above_zero(fit: Fit, at: Sequence[float], processes: int) -> bool:
    """Return whether the median on the fewest processes is not 0. True if nothing was measured there."""
    points = on_line(fit.points, at, _along(fit, processes))
    return not points or points[0].median != 0


def _program_divides(fit: Fit, processes: int) -> bool:
    """Return whether the program takes less than half as long on the most processes as on the fewest.

    Strong scaling is then assumed for all kernels, also for those whose work is not divided.
    """
    model, metric = fit.found.model, fit.focus.metric
    if model is None or metric is None:
        return False
    return program_divides(model.run, metric, fit.state.slice, processes)


def _varied_size(fit: Fit, processes: int) -> int | None:
    """Return the index of the first problem size that was varied, and not only together with others."""
    sizes, free = _sizes(fit), _along(fit, processes).others
    return next((at for at in free if at in sizes and len(fit.state.knobs[at].choices) > 1), None)


def _sizes(fit: Fit) -> list[int]:
    sizes = {row.name for row in fit.focus.parameters if row.role == Parameter.Role.PROBLEM_SIZE}
    return [at for at, name in enumerate(fit.campaign.parameters) if name in sizes]


def _along(fit: Fit, processes: int) -> Direction:
    return Direction.along(processes, fit.found.measured_points(fit.campaign))


def _measured_kinds(fit: Fit, processes: int) -> tuple[str, ...]:
    """Return the kinds of scaling that the points show.

    If a problem size always grew with the processes, they show only weak scaling. If it always fell, they
    show only strong scaling, because such a size is that of each process's part.
    """
    known = _along(fit, processes).relations
    powers = np.array([known.power[at, processes] for at in _sizes(fit) if at != processes])
    if not powers.any():
        return SCALINGS
    return (WEAK,) if powers.max() > 0 else (STRONG,)


def _counts(measured: Sequence[float], target: float) -> list[float]:
    """Return the ends of the measured range, and powers of two up to the target."""
    low, high = measured[0], measured[-1]
    inside = [low, high] if target <= high else [low]
    steps = np.geomspace(high, max(target, high), COUNTS - len(inside) + 1 if target > high else 1)
    rounded = [2.0 ** round(math.log2(step)) for step in steps[1:-1].tolist()]
    ends = [high, target] if target >= low else [target, high]
    return sorted({*inside, *rounded, *ends})


def _samples(counts: Sequence[float], measured: Sequence[float]) -> list[float]:
    """Return the process counts of the table and of the measurements, and others between them, ascending."""
    low, high = min(*counts, *measured), max(*counts, *measured)
    between = np.geomspace(low, high, SAMPLES)[1:-1].tolist() if high > low else []
    return sorted({*counts, *measured, *between})


def _efficiency(found: Scaling, kind: str) -> Estimate:
    return found.strong_efficiency if kind == STRONG else found.weak_efficiency


def _curve(found: Scaling, kind: str) -> Curve:
    efficiency = _efficiency(found, kind)
    columns = [each[0].tolist() for each in (efficiency.median, efficiency.lower, efficiency.upper)]
    finite = [[value if math.isfinite(value) else None for value in column] for column in columns]
    points = [
        (x, Point(median, lower, upper))
        for x, median, lower, upper in zip(found.processes.tolist(), *finite, strict=True)
        if median is not None
    ]
    return Curve(tuple(x for x, _ in points), tuple(point for _, point in points))


def _measured(
    fit: Fit, found: Scaling, kind: str, processes: int, at: Sequence[float]
) -> list[tuple[float, float]]:
    """Return pairs of a measured process count and the efficiency by its median.

    The first one is taken from the law, because the fewest measured processes may not be those to which the
    law's efficiency refers.
    """
    points = on_line(fit.points, at, _along(fit, processes))
    medians = [(point.point[processes], point.median) for point in points if point.median]
    if len(medians) < 2:
        return []
    (first, start), efficiency = medians[0], _efficiency(found, kind).median[0]
    anchor = float(efficiency[found.processes.tolist().index(first)])
    work = [(x, value * x / first if kind == STRONG else value) for x, value in medians]
    return [(x, anchor * start / each) for x, each in work] if math.isfinite(anchor) else []


def _columns(found: Scaling, name: str, kind: str, size: str) -> list[str]:
    """Return the headings of the table; a speed-up has no meaning in weak scaling."""
    speed_up = [f"speed-up over {formatting.coordinate(found.base)}"] if kind == STRONG else []
    grows = [f"{size} for {formatting.percent(HALF_EFFICIENCY)}"] if size else []
    return [name, *speed_up, f"{kind} efficiency", "core hours", *grows]


def _rows(found: Scaling, kind: str, at: Sequence[int], grows: Isoefficiency | None) -> list[list[str]]:
    columns = [[formatting.coordinate(count) for count in found.processes[list(at)].tolist()]]
    if kind == STRONG:
        columns.append(_cells(_at(found.speed_up, at), lambda value: f"{formatting.number(value)}×"))
    columns.append(_cells(_at(_efficiency(found, kind), at), formatting.percent))
    columns.append(_cells(_at(found.core_hours, at), formatting.number))
    if grows is not None:
        columns.append(_cells(grows.size, lambda value: _size(value, grows)))
    return [list(row) for row in zip(*columns, strict=True)]


def _at(found: Estimate, at: Sequence[int]) -> Estimate:
    places = list(at)
    return Estimate(found.median[:, places], found.lower[:, places], found.upper[:, places])


def _cells(found: Estimate, text: Callable[[float], str]) -> list[str]:
    numbers = zip(found.median[0].tolist(), found.lower[0].tolist(), found.upper[0].tolist(), strict=True)
    return [_cell(text(median), text(low), text(high)) for median, low, high in numbers]


def _cell(median: str, low: str, high: str) -> str:
    if low in (median, formatting.MISSING) and high in (median, formatting.MISSING):
        return median
    return f"{median} ({low.removesuffix(PERCENT) if high.endswith(PERCENT) else low} – {high})"


def _size(value: float, found: Isoefficiency) -> str:
    """Return a size as text. A size at an end of the searched range is written as a bound."""
    if value <= found.smallest:
        return f"≤ {formatting.coordinate(found.smallest)}"
    return _place(value, found.reach)


def _place(value: float, reach: float) -> str:
    return f"> {formatting.coordinate(reach)}" if math.isinf(value) else formatting.number(value)


def _sentence(found: Scaling, name: str, kind: str, target: int) -> str:
    """Return the efficiency at the target, and the number of processes beyond which more do not help.

    `target` is the index of the target among the processes.
    """
    there = _cells(_at(_efficiency(found, kind), [target]), formatting.percent)[0]
    count = formatting.coordinate(float(found.processes[target]))
    at_target = f"is {there} at {isolated(name)} = {count} and"
    if kind == STRONG:
        limit = _limit(found.strong_limit, found.reach, name)
        what = "Strong scaling (the processes share the same work)"
        return f"{what}: its efficiency {at_target} {limit}.{_fastest(found)}"
    limit = _limit(found.weak_limit, found.reach, name)
    return f"Weak scaling (each process has its own work): its efficiency {at_target} {limit}."


def _limit(limit: Estimate, reach: float, name: str) -> str:
    low, high, at = (float(ends[0]) for ends in (limit.lower, limit.upper, limit.median))
    if math.isnan(at):
        return "its limit is unknown"
    half = formatting.percent(HALF_EFFICIENCY)
    low, high, at = map(_whole, (low, high, at))
    texts = formatting.number(low), _place(high, reach)
    ends = f" (95 %: {texts[0]} – {texts[1]})" if math.isfinite(low) and texts[0] != texts[1] else ""
    name = isolated(name)
    if math.isinf(at):
        return f"stays above {half} up to {name} = {formatting.coordinate(reach)}{ends}"
    return f"falls below {half} at {name} = {formatting.number(at)}{ends}"


def _whole(processes: float) -> float:
    """Return a number of processes, rounded up. Numbers below 1 and infinity are returned unchanged."""
    return float(math.ceil(processes)) if 1 <= processes < math.inf else processes


def _fastest(found: Scaling) -> str:
    at = float(found.fastest.median[0])
    if not math.isfinite(at):
        return ""
    count = formatting.number(float(round(at)) if at >= 1 else at)
    return (
        f" With more than {'one process' if count == '1' else f'{count} processes'} the time does not fall."
    )
