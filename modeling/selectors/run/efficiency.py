"""Parallel efficiency of the predicted total, and where it falls below one half."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Metric
from modeling.engine import HALF_EFFICIENCY
from modeling.models import ModelRun
from modeling.selectors.run.rows import rows_load
from modeling.selectors.run.shares import Shares
from modeling.selectors.run.snapshot import FloatArray


@dataclass(frozen=True)
class Efficiency:
    """Parallel efficiency relative to the smallest measured number of processes.

    Under strong scaling, processes divide the same work, so ideally time falls like 1/p. Under weak scaling,
    work grows with the processes, so ideally time is constant. Scaling counts as strong if the total at the
    most measured processes is less than half of that at the fewest.
    """

    strong: bool
    base: float
    at_target: float
    lower: float | None  # lower end of the 95 % interval of `at_target`
    upper: float | None
    below_half: float | None  # number of processes; None if it never falls below one half


def efficiency(shares: Shares, target: float) -> Efficiency | None:
    """Return the efficiency with `target` processes; None if only one number of processes was measured."""
    x, total = shares.x, shares.total
    if len(shares.measured) < 2:
        return None
    low, high = np.searchsorted(x, [shares.measured[0], shares.measured_to])
    strong = bool(total[high] < total[low] / 2)
    ideal = total[low] * (x[low] / x if strong else np.ones_like(x))
    values = ideal / total
    at_target = float(values[np.searchsorted(x, target)])
    shortest, longest = shares.total_ends
    return Efficiency(
        strong=strong,
        base=float(x[low]),
        at_target=at_target,
        lower=at_target / longest if longest else None,
        upper=at_target / shortest if shortest else None,
        below_half=_crossing(x[low:], values[low:]),
    )


def program_divides(run: ModelRun, metric: Metric, at: Sequence[float], axis: int) -> bool:
    """Return whether the processes divide the program's work, so that its total falls by more than half."""
    loaded = rows_load(run, metric)
    values = np.array(run.campaign.points, float)[:, axis]
    ends = np.tile(np.array(at, float), (2, 1))
    ends[:, axis] = values.min(), values.max()
    counted = np.array([row.counts_to_total for row in loaded.rows], bool)
    fewest, most = np.nansum(loaded.curves(ends)[counted], axis=0).tolist()
    return bool(most < fewest / 2)


def _crossing(x: FloatArray, values: FloatArray) -> float | None:
    """Return where the values first fall below one half, interpolated in the logarithm of x."""
    below = np.flatnonzero(values < HALF_EFFICIENCY)
    if not below.size or below[0] == 0:
        return None
    at = below[0]
    part = (values[at - 1] - HALF_EFFICIENCY) / (values[at - 1] - values[at])
    return float(np.exp(np.log(x[at - 1]) + part * np.log(x[at] / x[at - 1])))
