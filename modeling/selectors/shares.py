"""Where the program's time goes as the scale grows: each kernel's share along one parameter."""

from dataclasses import dataclass

import numpy as np

from modeling.selectors.snapshot import FloatArray, Snapshot

NAMED = 5
STEPS = 48


@dataclass(frozen=True)
class Shares:
    """Shares of the predicted total along one parameter, the others held at the target.

    `x` (Q,) rises; `shares` (kernels + 1, Q) are fractions, the last row being all other kernels; `total`
    (Q,) in units of the metric. `measured` are the parameter's measured values, the rest is extrapolated.
    """

    parameter: str
    held: dict[str, float]
    x: FloatArray
    names: tuple[str, ...]
    others: int
    shares: FloatArray
    total: FloatArray
    measured: tuple[float, ...]

    @property
    def measured_to(self) -> float:
        """Where extrapolation begins."""
        return self.measured[-1]


def shares_along(snapshot: Snapshot, parameter: str) -> Shares | None:
    """The shares of the kernels that weigh most anywhere along the way, and of all others together.

    The most expensive at the target comes first.

    None where nothing can be told: no kernel with a law, or the target's total is not positive.
    """
    axis = snapshot.campaign.parameters.index(parameter)
    measured = np.unique(np.array(snapshot.campaign.points, float)[:, axis])
    x = scale(measured, snapshot.target[axis])
    points = np.tile(snapshot.target, (len(x), 1))
    points[:, axis] = x
    curves = np.nan_to_num(np.maximum(snapshot.curves(points), 0.0)) * snapshot.counted[:, None]
    total = curves.sum(axis=0)
    if not (total > 0).all():
        return None
    at_target = curves[:, np.searchsorted(x, snapshot.target[axis])]
    most = (curves / total).max(axis=1)
    heaviest = [at for at in np.argsort(-most, kind="stable")[:NAMED] if most[at] > 0]
    named = sorted(heaviest, key=lambda at: -at_target[at])
    rest = np.delete(curves, named, axis=0)
    held = zip(snapshot.campaign.parameters, snapshot.target.tolist(), strict=True)
    return Shares(
        parameter=parameter,
        held={name: value for name, value in held if name != parameter},
        x=x,
        names=tuple(snapshot.rows[at].name for at in named),
        others=int((rest > 0).any(axis=1).sum()),
        shares=np.vstack([curves[named], rest.sum(axis=0)]) / total,
        total=total,
        measured=tuple(measured.tolist()),
    )


def scale(measured: FloatArray, target: float) -> FloatArray:
    """Measured values, the target, and steps between them that look even on a logarithmic axis."""
    low, high = min(measured[0], target), max(measured[-1], target)
    even = np.geomspace(low, high, STEPS) if high > low else measured
    return np.unique(np.concatenate([measured, [target], even[1:-1]]))
