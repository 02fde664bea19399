"""The chart of the kernel's fit: a slice along one parameter.

A slice shows one parameter on its axis; all other parameters are fixed at values that the reader chooses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ingest.models import Campaign
from modeling.engine import Models, Relations
from modeling.selectors.kernel.curves import (
    Curve,
    Ends,
    Estimate,
    PointValues,
    curve,
    estimate,
    intervals_at,
    law_curve,
    on_line,
    run_band,
)
from modeling.selectors.kernel.kernel import KernelFound
from modeling.selectors.kernel.segments import Segmented, segmented
from modeling.selectors.kernel.wild import wild_of
from modeling.selectors.run.judged import Judged, judged
from modeling.selectors.run.weighed import Weighed, weighed
from modeling.storage import arrays
from perfweb.portal.asked.focus import Focus
from perfweb.portal.charts.fit.scene import LAW, Goal, Line, Scene
from perfweb.portal.kernel.state import SCALES, KernelState
from perfweb.portal.text import formatting

VISIBLE_DIFFERENCE = 0.02


@dataclass(frozen=True)
class Fit:
    """The data of the kernel's page: the law, the measurements and the state in the address."""

    focus: Focus
    campaign: Campaign
    found: KernelFound
    state: KernelState
    models: Models | None
    points: list[PointValues]

    @cached_property
    def relations(self) -> Relations:
        """Return the relations of the points at which the kernel was measured."""
        if self.models is not None:
            region = self.models.measured
            found: Relations = region.places[region.of[0]].relations
            return found
        return self.state.along.relations

    @property
    def following(self) -> frozenset[str]:
        """Return the parameters whose values follow from others, because they were always varied together."""
        names = zip(self.campaign.parameters, self.relations.together, strict=True)
        return frozenset(name for name, follows in names if follows)

    @property
    def without_following(self) -> bool:
        """Return whether the law has no parameter that follows from others (always so since engine 2.17)."""
        contained = self.models is not None and self.models.exponents[0][:, self.relations.together].any()
        return not contained

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """Return the smallest and the largest value of each parameter at which the kernel was measured."""
        return [(min(values), max(values)) for values in zip(*self.measured, strict=True)]

    @property
    def places(self) -> dict[str, tuple[float, float, float]]:
        """Return each parameter's measured range and value at the target; empty without a target.

        Parameters that follow from others are left out, because the others lie as far outside.
        """
        follow = self.following if self.state.keeps_relations else ()
        places = zip(self.campaign.parameters, self.ranges, self.state.target or (), strict=False)
        return {name: (*ends, place) for name, ends, place in places if name not in follow}

    @property
    def metric(self) -> str:
        """Return the metric's name."""
        return self.focus.metric.name if self.focus.metric else ""

    @cached_property
    def measured(self) -> list[list[float]]:
        """Return the points that the kernel's law describes, see `KernelFound.measured_points`."""
        return self.found.measured_points(self.campaign)

    @cached_property
    def prediction(self) -> Estimate | None:
        """Return the prediction at the target; None without a law or a target."""
        return estimate(self.models, self.state.target) if self.models and self.state.target else None

    @cached_property
    def weighed(self) -> Weighed | None:
        """Return the content of the posterior; None if the modeler gives laws no probabilities."""
        return next(iter(weighed(self.models, self.state.target)), None) if self.models else None

    @property
    def deviates(self) -> bool:
        """Return whether predictions start from the measured points, which deviate from the law."""
        posterior = self.models.posterior if self.models else None
        return posterior is not None and posterior.deviates is not None and bool(posterior.deviates[0])

    @property
    def trend(self) -> float:
        """Return the factor by which the last values' trend changes the prediction; 1 without a trend."""
        posterior = self.models.posterior if self.models else None
        if posterior is None or posterior.trend is None or self.state.target is None:
            return 1.0
        return float(posterior.trend.factors(np.array([self.state.target], float))[0, 0])

    @cached_property
    def judged(self) -> Judged | None:
        """Return the trust in the prediction at the target, and the formula's value; None without target."""
        found, model, target = self.prediction, self.found.model, self.state.target
        if self.models is None or model is None or target is None:
            return None
        predicted, lower, upper = np.array(found or (None, None, None), float)[:, None]
        certainty, point = [model.lead_certainty], np.array(target, float)
        return judged(self.models, certainty, point, (predicted, lower, upper))[0]

    @cached_property
    def segmented(self) -> Segmented | None:
        """Return the kernel's segments; None if one law holds for all values."""
        return segmented(self.found.model, self.campaign) if self.found.model else None

    @cached_property
    def left_out(self) -> frozenset[tuple[float, ...]]:
        """Return the measured points that the law leaves out, because their values lie far off all others."""
        if self.found.model is None or self.models is None:
            return frozenset()
        ratios = wild_of(self.campaign, self.found.values, self.found.model.run.modeler)
        return frozenset(self.points[at].point for at in np.flatnonzero(np.isfinite(ratios)))

    @cached_property
    def intervals(self) -> tuple[Ends, ...]:
        """Return the intervals of the law and of a new repetition at the target; empty without a target."""
        if self.models is None or self.state.target is None:
            return ()
        return intervals_at(self.models, np.array([self.state.target], float), self.state.axis)[0]


class ScaleChoice(NamedTuple):
    """A choice of scales; it is not possible if a logarithmic axis cannot show the law."""

    name: str
    chosen: bool
    possible: bool


def fit_scene(fit: Fit) -> Scene:
    """Return the content of the slice: measurements, laws and the target along one parameter."""
    state, axis = fit.state, fit.state.axis
    knob = state.knobs[axis]
    low, high = fit.ranges[axis]
    reach = max(high, knob.value) if state.target else knob.choices[-1]
    law = curve(fit.models, state.slice, state.along, low, reach) if fit.models else None
    measured = on_line(fit.points, state.slice, state.along)
    values = [point.point[axis] for point in measured]
    places = np.array([point.point for point in measured], float).reshape(-1, len(state.knobs))
    log_x, log_y = state.log
    return Scene(
        parameter=knob.name,
        title=formatting.parameter(knob.name, fit.focus.parameters),
        unit=fit.focus.unit,
        metric=fit.metric,
        fixed=_fixed(state, state.slice),
        low=low,
        high=high,
        points=measured,
        axis=axis,
        law=law,
        runs=run_band(fit.models, state.slice, state.along, low, reach) if fit.models else (),
        intervals=dict(zip(values, intervals_at(fit.models, places, axis), strict=True))
        if fit.models and values
        else {},
        others=_others(fit, law, (low, reach)),
        goal=_goal(fit),
        breaks=fit.segmented.breaks if fit.segmented and fit.segmented.axis == axis else (),
        left_out=frozenset(point.point[axis] for point in measured if point.point in fit.left_out),
        log_x=log_x,
        log_y=log_y and _positive(fit.points, law),
    )


def scale_choices(fit: Fit, scene: Scene) -> list[ScaleChoice]:
    """Return the choices of scales; the chosen one is what the chart shows."""
    shown, positive = (scene.log_x, scene.log_y), _positive(fit.points, scene.law)
    return [ScaleChoice(name, logs == shown, positive or not logs[1]) for name, logs in SCALES.items()]


def _goal(fit: Fit) -> Goal | None:
    found = fit.prediction
    if found is None or fit.state.target is None:
        return None
    return Goal(fit.state.target[fit.state.axis], found, fit.intervals)


def _others(fit: Fit, law: Curve | None, span: tuple[float, float]) -> list[Line]:
    """Return lines that differ from the prediction: formula, previous version, the target's slice."""
    state, before, lines = fit.state, fit.found.before, []
    if fit.models is not None:
        lines.append(Line(LAW, law_curve(fit.models, state.slice, state.along, *span)))
    if before is not None and before.constant is not None and fit.focus.predecessor:
        old = arrays.models_load([before], fit.campaign)
        name = f"{fit.focus.predecessor.label} (before)"
        lines.append(Line(name, curve(old, state.slice, state.along, *span)))
    if fit.models and state.target and _fixed(state, state.target) != _fixed(state, state.slice):
        lines.append(Line(_fixed(state, state.target), curve(fit.models, state.target, state.along, *span)))
    return [line for line in lines if law is None or differs(line.curve, law)]


def differs(one: Curve, other: Curve) -> bool:
    """Return whether two laws differ enough anywhere to be distinguished in a chart."""
    pairs = zip(one.estimates, other.estimates, strict=False)
    return any(abs(a.predicted - b.predicted) > VISIBLE_DIFFERENCE * abs(b.predicted) for a, b in pairs)


def _fixed(state: KernelState, point: Sequence[float]) -> str:
    """Return the values of parameters that do not change along the axis: "n = 4,000"."""
    return formatting.configuration({state.knobs[at].name: point[at] for at in state.along.others})


def _positive(points: list[PointValues], law: Curve | None) -> bool:
    """Return whether a logarithmic axis can show the law and some of the runs."""
    runs = [value for point in points for value in point.repetitions]
    laws = [each.predicted for each in law.estimates] if law else []
    return max(runs, default=0.0) > 0 and min(laws, default=1.0) > 0
