"""The charts of the kernel's law over two parameters: lines of equal value, and a surface."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from modeling.selectors.kernel.curves import Grid, PointValues, grid
from perfweb.portal.charts.contour import contour_figure
from perfweb.portal.charts.figures import Drawing, Figure
from perfweb.portal.charts.surface import surface_drawing
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.kernel.state import KernelState
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class Plane:
    """A law over two parameters, its points and the target; `fixed` are all other parameters' values.

    `medians` are (x, y, median) where the others have the values `fixed`.
    """

    found: Grid
    parameters: tuple[str, str]
    measured: list[tuple[float, float]]
    medians: list[tuple[float, float, float]]
    target: tuple[float, float] | None
    fixed: str


def plane_figure(fit: Fit) -> Figure | None:
    """Return the chart of the prediction over two parameters; None if only one was varied."""
    plane = _plane(fit)
    if plane is None:
        return None
    address = reverse("kernel-surface", args=[fit.campaign.pk, fit.found.kernel.pk])
    contour = contour_figure(
        plane.found, plane.parameters, plane.measured, plane.target,
        unit=fit.focus.unit, metric=fit.metric, fixed=plane.fixed,
    )  # fmt: skip
    return replace(contour, surface=f"{address}{fit.state.query}")


def fit_surface(fit: Fit) -> Drawing | None:
    """Return the law over two parameters as heights; None if there is no such law."""
    plane = _plane(fit)
    if plane is None:
        return None
    target = fit.prediction and plane.target and (*plane.target, fit.prediction.predicted)
    return surface_drawing(plane.found, plane.parameters, plane.medians, target or None, fit.focus.unit)


def _plane(fit: Fit) -> Plane | None:
    """Return the law over the slice's parameter and the next varied one; None if there is no such law."""
    state, names = fit.state, fit.campaign.parameters
    varied = [at for at in state.along.others if len(state.knobs[at].choices) > 1]
    if fit.models is None or not varied or len(state.knobs[state.axis].choices) < 2:
        return None
    first, second = axes = (state.axis, varied[0])
    at = list(state.target or state.slice)
    x, y = (_span(state, axis, at[axis]) for axis in axes)
    rest = {state.knobs[place].name: at[place] for place in varied[1:]}
    known = {(each.point[first], each.point[second]) for each in fit.points if each.median is not None}
    return Plane(
        found=grid(fit.models, at, (state.along, second), x, y),
        parameters=(names[first], names[second]),
        measured=sorted(known),
        medians=_medians(fit.points, at, axes, varied[1:]),
        target=(state.target[first], state.target[second]) if state.target else None,
        fixed=formatting.configuration(rest),
    )


def _medians(
    points: Sequence[PointValues], at: Sequence[float], axes: Sequence[int], others: Sequence[int]
) -> list[tuple[float, float, float]]:
    """Return the medians of points where `others` have the values in `at`, over the two parameters `axes`."""
    first, second = axes
    return [
        (each.point[first], each.point[second], each.median)
        for each in points
        if each.median is not None and all(each.point[axis] == at[axis] for axis in others)
    ]


def _span(state: KernelState, axis: int, value: float) -> tuple[float, float]:
    """Return the smallest and the largest of the measured values and the target."""
    choices = state.knobs[axis].choices
    return min(choices[0], value), max(choices[-1], value)
