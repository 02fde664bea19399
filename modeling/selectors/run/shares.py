"""The kernels' shares of the predicted total along one parameter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.deviations.joint import Joint
from modeling.selectors.run.direction import Direction
from modeling.selectors.run.snapshot import Amount, FloatArray, Snapshot
from modeling.totals import parents_of

NAMED = 7
"""Number of kernels with an area of their own in the chart; pages have seven colours. If it were 5, kernels
that are expensive only at small scales would displace the second and third most expensive ones at the target.
"""
STEPS = 48


@dataclass(frozen=True)
class Shares:
    """The kernels' shares of the predicted total along one parameter, with the others as in the target.

    Attributes:
        parameter: the parameter's name.
        held: the values of the other parameters.
        x: (Q,) the parameter's values, ascending.
        names: names of the N kernels with the largest shares.
        others: number of the other kernels with a share.
        shares: (N + 1, Q) fractions of the total; the last row is for all other kernels together.
        total: (Q,) the predicted total, in units of the metric.
        measured: the parameter's measured values.
        without_callees: whether callees were subtracted for the shares, because values include them.
        total_ends: both ends of the total's interval at the target, as multiples of the total; None if not
            known.
        whole: all kernels without their callees at the target, for joint draws.
        named: (N,) indices of the named kernels' rows.
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
        """Return both ends of the 95 % intervals of the named kernels' shares at the target, (2, N), NaN if
        not known. They are computed when they are needed, because joint draws take some time.
        """
        if self.whole is None:
            return np.empty((2, 0))
        part = self.whole.part(np.array(self.named, np.int64))
        return np.array(part.shares(self.whole, np.ones(len(self.named), bool)))


def shares_along(snapshot: Snapshot, parameter: str) -> Shares | None:
    """Return the shares of the kernels with the largest shares at any value, and of all others together.

    The most expensive kernel at the target comes first. At the target, shares are those of the predictions,
    as in tables; elsewhere, shares of small kernels come from formulas. The result is None if a total is not
    positive, or if the parameter has a single value, which is also that of the target.
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
    )


def _total_ends(total: Amount) -> tuple[float | None, float | None]:
    if not total.predicted:
        return None, None
    ends = (None if end is None else end / total.predicted for end in (total.lower, total.upper))
    lower, upper = ends
    return lower, upper


def own_shares(snapshot: Snapshot) -> tuple[FloatArray, FloatArray]:
    """Return the amount that each kernel takes without its callees, and its share, (K,) each; NaN if values
    do not include callees.
    """
    amounts = np.nan_to_num(np.maximum(snapshot.predicted, 0.0))
    parts, nested = _own_parts(snapshot, amounts[:, None])
    own, whole = parts[:, 0], float(parts.sum())
    if not nested or not whole > 0:
        return np.full(len(own), np.nan), np.full(len(own), np.nan)
    own = np.where(np.isnan(snapshot.predicted), np.nan, own)
    return own, own / whole


def _own_parts(snapshot: Snapshot, curves: FloatArray) -> tuple[FloatArray, bool]:
    """Return what every kernel takes without its callees, from amounts (K, Q), and whether values include
    callees.

    Far from the data, the sum of the callees may exceed their caller, because laws are found separately. The
    caller's own part is then 0.
    """
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
    """Return the measured values, the target, and values in between with even logarithmic steps,
    ascending.
    """
    low, high = min(measured[0], target), max(measured[-1], target)
    even = np.geomspace(low, high, STEPS) if high > low else measured
    return np.unique(np.concatenate([measured, [target], even[1:-1]]))
