"""The total's interval at the target as all pages show it, now and as expected after a plan.

The variances in `modeling.engine.design` are too small for intervals. Only their ratio before and after a
plan is used here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.design.goals import NORMAL_QUANTILE
from modeling.engine.design.kernels import shared_at_target
from modeling.engine.design.plans import Expected, Plan
from modeling.engine.deviations.joint import Joint
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.measurements import Measurements
from modeling.selectors.run.rows import RunRows
from modeling.selectors.run.snapshot import Snapshot
from modeling.selectors.run.snapshot_loading import snapshot_load


@dataclass(frozen=True)
class Outlook:
    """The prediction of the total, or of a kernel, at the target, with its 95 % interval.

    `shared` is the factor to either end that differences between jobs, nodes or days cause; 1 without any.
    `kinds` names those that differ.
    """

    predicted: float
    lower: float
    upper: float
    target: Mapping[str, float]
    shared: float = 1.0
    kinds: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """Return the factor from the geometric middle of the interval to either end."""
        return math.sqrt(self.upper / self.lower)

    def narrowed(self, share: float) -> "Outlook":
        """Return the outlook with an interval narrowed to this share of its half width, in logarithms."""
        lower = self.predicted * (self.lower / self.predicted) ** share
        upper = self.predicted * (self.upper / self.predicted) ** share
        return replace(self, lower=lower, upper=upper)

    def widened(self, deviation: float, kinds: tuple[str, ...]) -> "Outlook":
        """Return the outlook with a further independent error of this standard deviation in logarithms."""
        part = NORMAL_QUANTILE * deviation
        below = math.hypot(math.log(self.predicted / self.lower), part)
        above = math.hypot(math.log(self.upper / self.predicted), part)
        return replace(
            self,
            lower=self.predicted * math.exp(-below),
            upper=self.predicted * math.exp(above),
            shared=math.exp(part),
            kinds=kinds,
        )


def outlook_of(
    basis: Basis, loaded: RunRows, measurements: Measurements, kernel: int | None
) -> Outlook | None:
    """Return the outlook of a version, or of one kernel (by id); None without own laws or an interval."""
    assert basis.run is not None  # noqa: S101 -- the caller has its rows
    assert basis.metric is not None  # noqa: S101
    if measurements.models is None or measurements.models.posterior is None:
        return None
    snapshot = snapshot_load(basis.run, basis.metric, basis.target)
    alone = loaded.places.get(kernel or 0)
    if basis.beside:
        predicted, lower, upper = _joined_total(snapshot, loaded, measurements, alone)
    else:
        own = snapshot.program if alone is None else snapshot.joint.part(np.array([alone]))
        predicted, lower, upper = own.total
    if not all(math.isfinite(value) and value > 0 for value in (predicted, lower, upper)):
        return None
    target = dict(zip(basis.run.campaign.parameters, snapshot.target.tolist(), strict=True))
    outlook = Outlook(predicted, min(lower, predicted), max(upper, predicted), target)
    if measurements.groups is None:
        return outlook
    deviation, kinds = shared_at_target(
        measurements.points, measurements.values, measurements.models, measurements.groups, snapshot.target
    )
    return outlook.widened(deviation, kinds) if deviation > 0 else outlook


def _joined_total(
    snapshot: Snapshot, loaded: RunRows, measurements: Measurements, alone: int | None
) -> tuple[float, float, float]:
    """Return the total, or one kernel, with its interval, from models of all campaigns together."""
    joined = measurements.models
    assert joined is not None  # noqa: S101 -- the caller asked
    at = np.flatnonzero(np.isin(loaded.kernels, measurements.kernels))
    point = snapshot.target[None]
    predicted, lower, upper = snapshot.predicted.copy(), snapshot.lower.copy(), snapshot.upper.copy()
    predicted[at] = joined.predict(point)[:, 0]
    lower[at], upper[at] = (end[:, 0] for end in joined.interval(point, 0.95))
    whole = Joint(snapshot.joint.kernels, predicted, lower, upper, loaded.shared)
    return whole.part(np.flatnonzero(snapshot.counted) if alone is None else np.array([alone])).total


def with_interval(plan: Plan, outlook: Outlook | None) -> Plan:
    """Return the plan with the width that pages show, now and as expected."""
    if outlook is None or plan.expected is None:
        return plan
    expected = plan.expected
    return replace(
        plan,
        expected=replace(
            expected, width_before=outlook.width, width_after=outlook.width ** share_left(expected)
        ),
    )


def share_left(expected: Expected) -> float:
    """Return the expected half width after a plan, as a share of the present one (in logarithms)."""
    before = math.log(expected.width_before)
    return math.log(expected.width_after) / before if before > 0 else 1.0
