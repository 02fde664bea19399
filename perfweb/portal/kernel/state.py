"""The state of the kernel's page in its address: tab, axis, fixed values, scales, target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.http import QueryDict

from ingest.guessing.bound import Bound
from ingest.models import Campaign
from modeling.selectors.run.direction import Direction
from modeling.targets import FARTHEST, NEAREST, target_key
from perfweb.portal.asked.sliders import Slider, target_stops
from perfweb.portal.asked.targets import TargetPoint

SCALES = {
    "log-log": (True, True),
    "lin-lin": (False, False),
    "log-lin": (True, False),
    "lin-log": (False, True),
}
"""Choice of scales → whether the axes of parameter and metric are logarithmic."""
SCALINGS = ("strong", "weak")
"""Kinds of scaling that may be chosen instead of the one that the measurements suggest."""
TABS = ("fit", "history", "modelers", "data")


@dataclass(frozen=True)
class Knob:
    """The controls of a parameter: a slider with its value at the target, and a choice of values.

    `fixed` is its value, one of `choices`, in charts along another parameter. `bound`: the parameter was
    always varied together with others, and follows from these at the target.
    """

    slider: Slider
    choices: tuple[float, ...]
    fixed: float
    bound: bool = False

    @property
    def name(self) -> str:
        """The parameter."""
        return self.slider.name

    @property
    def value(self) -> float:
        """The target's value."""
        return self.slider.value or self.fixed


@dataclass(frozen=True)
class KernelState:
    """The state of the page; `target` is None if there is none, `query` is the address's query string.

    `along` is the direction in the space of the parameters along which charts are drawn. `bound` are the
    parameters that always followed from others. `scaling` is the chosen kind of scaling; if it is empty, the
    measurements decide. `fits_others`: the loaded page now requests the other modelers' laws.
    """

    tab: str
    along: Direction
    bound: Bound | None
    scale: str
    knobs: tuple[Knob, ...]
    target: tuple[float, ...] | None
    query: str
    fits_others: bool
    scaling: str = ""

    @property
    def axis(self) -> int:
        """Return the index of the parameter on the axis of charts."""
        return self.along.axis

    @property
    def keeps_relations(self) -> bool:
        """Return whether parameters that were always varied together keep their relation at the target."""
        if self.bound is None or self.target is None:
            return True
        return not self.bound.relations.broken(np.array([self.target])).any()

    @property
    def slice(self) -> list[float]:
        """Return a point of the line that charts show: the `fixed` values of all parameters."""
        return [knob.fixed for knob in self.knobs]

    @property
    def log(self) -> tuple[bool, bool]:
        """Return whether the axes are logarithmic."""
        return SCALES[self.scale]


def tab_of(asked: QueryDict) -> str:
    """Return the tab in the address, or the first one."""
    tab = asked.get("tab", "")
    return tab if tab in TABS else TABS[0]


def state_read(
    asked: QueryDict,
    campaign: Campaign,
    target: TargetPoint | None,
    points: Sequence[Sequence[float]],
    bound: Bound | None = None,
) -> KernelState:
    """Parse the state in the address; invalid parts have their defaults.

    The kernel was measured at `points`, at which the parameters in `bound` were always varied together.
    """
    names = campaign.parameters
    goal = target.point(names) if target else None
    measured = campaign.measured_values()
    follows = bound.following if bound else frozenset()
    knobs = tuple(
        _knob(asked, name, measured[name], goal[at] if goal else None, bound=name in follows)
        for at, name in enumerate(names)
    )
    varied = [at for at, knob in enumerate(knobs) if len(knob.choices) > 1 and not knob.bound]
    wanted = asked.get("x", "")
    axis = names.index(wanted) if wanted in names else (varied or [0])[0]
    scale, scaling = asked.get("scale", ""), asked.get("scaling", "")
    return KernelState(
        tab=tab_of(asked),
        along=Direction.along(axis, points),
        bound=bound,
        scale=scale if scale in SCALES else next(iter(SCALES)),
        knobs=knobs,
        target=tuple(goal) if goal else None,
        query=f"?{asked.urlencode()}",
        fits_others="fit" in asked,
        scaling=scaling if scaling in SCALINGS else "",
    )


def target_typed(
    asked: QueryDict, campaign: Campaign, target: TargetPoint | None, bound: Bound | None = None
) -> str | None:
    """Return the target typed into the number fields, as written in addresses; None without fields.

    Parameters without a field follow from the others.
    """
    fields = [f"at-{name}" for name in campaign.parameters]
    if not any(field in asked for field in fields):
        return None
    goal: Mapping[str, float] = target.values if target else {}
    values = {
        name: _number(asked.get(field, ""), goal.get(name) or measured[-1])
        for (name, measured), field in zip(campaign.measured_values().items(), fields, strict=True)
    }
    typed = {name: values[name] for name in values if f"at-{name}" in asked}
    return target_key({**(bound.kept(values) if bound else values), **typed})


def _knob(asked: QueryDict, name: str, values: Sequence[float], goal: float | None, *, bound: bool) -> Knob:
    value = goal if goal is not None else values[-1]
    nearest = min(values, key=lambda each: (abs(each - value), -each))
    asked_for = _number(asked.get(f"fix-{name}", ""), nearest)
    return Knob(
        slider=Slider(name, value, target_stops(values, value)),
        choices=tuple(values),
        fixed=asked_for if asked_for in values else nearest,
        bound=bound,
    )


def _number(text: str, default: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return default
    return value if NEAREST <= value <= FARTHEST else default
