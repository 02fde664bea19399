"""The kernels' shares of the predicted total along one parameter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.deviations.joint import Joint
from modeling.selectors.run.direction import Direction
from modeling.selectors.run.snapshot import Amount, FloatArray, Snapshot
from modeling.totals import parents_of

NAMED = 7
"""Number of kernels with a colour of their own. With 5, important kernels were missing."""
STEPS = 48


@dataclass(frozen=True)
class Shares:
    """The kernels' shares of the predicted total along one parameter: N named kernels, Q values.

    Attributes:
        held: values of the other parameters.
        x: (Q,) the parameter's values, ascending.
        names: names of the kernels with the largest shares.
        others: number of the other kernels with a share.
        shares: (N + 1, Q) fractions of the total; the last row is for all other kernels.
        total: (Q,) the predicted total, in units of the metric.
        measured: the parameter's measured values.
        without_callees: whether callees were subtracted, because values include them.
        total_ends: both ends of the total's interval at the target, divided by the total; None if not known.
        whole: all kernels without their callees at the target, for joint draws.
        named: (N,) rows of the named kernels.
        kernels: (N,) ids of the named kernels.
    """

    parameter: str
    held: dict[str, float]
    x: FloatArray
    names: tuple[str, ...]
    others: int
    shares: FloatArray
    total: FloatArray
    measured: tuple[float, ...]
    without_callees: bool = False
    total_ends: tuple[float | None, float | None] = (None, None)
    whole: Joint | None = None
    named: tuple[int, ...] = ()
    kernels: tuple[int, ...] = ()

    @property
    def measured_to(self) -> float:
        """Return the largest measured value, beyond which shares are extrapolated."""
        return self.measured[-1]

    @property
    def undivided(self) -> bool:
        """Return whether a single kernel is the whole total."""
        return len(self.names) == 1 and not self.others

    @cached_property
    def ends(self) -> FloatArray:
        """Return both ends of the 95 % intervals of the named kernels' shares, (2, N), NaN if unknown."""
        if self.whole is None:
            return np.empty((2, 0))
        part = self.whole.part(np.array(self.named, np.int64))
        return np.array(part.shares(self.whole, np.ones(len(self.named), bool)))


def shares_along(snapshot: Snapshot, parameter: str) -> Shares | None:
    """Return the kernels with the largest shares at any value, and the sum of all others.

    The most expensive kernel at the target comes first. Away from the target, small kernels are predicted by
    formulas. The result is None if a total is not positive, or the parameter has a single value.
    """
    key = ("shares", parameter, *snapshot.target.tolist())
    made: Shares | None = snapshot.loaded.derived.get(key, lambda: _shares_along(snapshot, parameter))
    return made


def _shares_along(snapshot: Snapshot, parameter: str) -> Shares | None:
    axis = snapshot.campaign.parameters.index(parameter)
    measured = np.unique(np.array(snapshot.campaign.points, float)[:, axis])
    x = scale(measured, snapshot.target[axis])
    along = Direction.along(axis, snapshot.campaign.points)
    curves = snapshot.curves(along.line(snapshot.target.tolist(), x))
    curves[:, np.searchsorted(x, snapshot.target[axis])] = snapshot.predicted
    curves = np.nan_to_num(np.maximum(curves, 0.0))
    total = (curves * snapshot.counted[:, None]).sum(axis=0)
    if len(x) < 2 or not (total > 0).all():
        return None
    curves, inclusive = _own_parts(snapshot, curves)
    whole = curves.sum(axis=0)
    at_target = curves[:, np.searchsorted(x, snapshot.target[axis])]
    most = (curves / whole).max(axis=1)
    heaviest = [at for at in np.argsort(-most, kind="stable")[:NAMED] if most[at] > 0]
    named = sorted(heaviest, key=lambda at: -at_target[at])
    rest = np.delete(curves, named, axis=0)
    held = {snapshot.campaign.parameters[at]: float(snapshot.target[at]) for at in along.others}
    return Shares(
        parameter=parameter,
        held=held,
        x=x,
        names=tuple(snapshot.rows[at].name for at in named),
        others=int((rest > 0).any(axis=1).sum()),
        shares=np.vstack([curves[named], rest.sum(axis=0)]) / whole,
        total=total,
        without_callees=inclusive,
        measured=tuple(measured.tolist()),
        total_ends=_total_ends(snapshot.total),
        whole=snapshot.divided(at_target),
        named=tuple(named),
        kernels=tuple(snapshot.rows[at].kernel_id for at in named),
    )


def _total_ends(total: Amount) -> tuple[float | None, float | None]:
    if not total.predicted:
        return None, None
    ends = (None if end is None else end / total.predicted for end in (total.lower, total.upper))
    lower, upper = ends
    return lower, upper


def own_shares(snapshot: Snapshot) -> tuple[FloatArray, FloatArray]:
    """Return each kernel's amount without callees and its share; NaN if values exclude callees."""
    amounts = np.nan_to_num(np.maximum(snapshot.predicted, 0.0))
    parts, nested = _own_parts(snapshot, amounts[:, None])
    own, whole = parts[:, 0], float(parts.sum())
    if not nested or not whole > 0:
        return np.full(len(own), np.nan), np.full(len(own), np.nan)
    own = np.where(np.isnan(snapshot.predicted), np.nan, own)
    return own, own / whole


def _own_parts(snapshot: Snapshot, curves: FloatArray) -> tuple[FloatArray, bool]:
    """Return what each kernel takes without callees, at least 0, and whether values include callees."""
    counted = snapshot.counted
    if counted.all():
        return curves, False
    parents = parents_of([row.path for row in snapshot.rows])
    called = ~counted & (parents >= 0)
    if not called.any():
        return curves * counted[:, None], False
    below = np.zeros_like(curves)
    np.add.at(below, parents[called], curves[called])
    return np.maximum(curves - below, 0.0) * (counted | called)[:, None], True


def scale(measured: FloatArray, target: float) -> FloatArray:
    """Return the measured values, the target, and evenly spread logarithms in between, ascending."""
    low, high = min(measured[0], target), max(measured[-1], target)
    even = np.geomspace(low, high, STEPS) if high > low else measured
    return np.unique(np.concatenate([measured, [target], even[1:-1]]))
