"""The summary of a comparison: how the totals of two versions differ, and which kernels cause it."""

from dataclasses import dataclass

import numpy as np

from ingest.models import Metric
from ingest.selectors import main_axis
from modeling.models import Shift
from modeling.selectors.run.snapshot import over
from modeling.selectors.versions.comparison import Crossover, crossover
from modeling.selectors.versions.pairs import CHANGED, Group, KernelPair, Pairs
from modeling.selectors.versions.waterfall import (
    Waterfall,
    explains,
    same_total,
    shift_explains,
    waterfall,
)
from perfweb.portal.asked.focus import Focus
from perfweb.portal.charts.waterfall import waterfall_figure


@dataclass(frozen=True)
class Lone:
    """The kernels that only one of two versions has: their number, cost and share of the version's total."""

    label: str
    count: int
    cost: float
    share: float | None


def summary(
    focus: Focus, metric: Metric, pairs: Pairs, labels: tuple[str, str], shift: Shift | None
) -> dict[str, object]:
    """Return the totals, their ratio, the parameter's value at which they cross, and the waterfall."""
    before, after = pairs.before.snapshot, pairs.after.snapshot
    lone = [_lone(pairs, Group.GONE, labels[0]), _lone(pairs, Group.NEW, labels[1])]
    differs = bool(pairs.changed.any() or pairs.lone.any())
    steps = waterfall(pairs)
    return {
        "counts": pairs.counts,
        "totals": (before.total, after.total),
        "ratio": over(after.predicted_total, before.predicted_total),
        "ratio_largest": _measured_ratio(pairs),
        "cause": _cause(pairs, max(part.cost for part in lone)),
        "by_noise": steps is not None and differs and explains(steps.noise, steps.after - steps.before),
        "by_shift": _shift_explains(shift, steps, pairs),
        "lone": [part for part in lone if part.count],
        "nothing_common": bool(pairs.lone.all()),
        "differs": differs,
        "undecided": pairs.counts[Group.UNKNOWN],
        # If nothing changed, the totals cross because of noise.
        "crossover": _crossover(focus, metric, pairs) if differs or pairs.changes is None else None,
        "same_total": same_total(pairs),
        "common": steps.common if steps else None,
        "figure": waterfall_figure(steps, *labels, metric) if steps else None,
    }


def _shift_explains(shift: Shift | None, steps: Waterfall | None, pairs: Pairs) -> bool:
    """Return whether the shared factor explains the difference that unchanged kernels make in the totals."""
    if steps is not None:
        return shift_explains(shift, steps.unchanged_before, steps.noise)
    before, after = (side.snapshot.predicted_total or 0.0 for side in (pairs.before, pairs.after))
    return shift_explains(shift, before, after - before)


def _lone(pairs: Pairs, group: Group, label: str) -> Lone:
    places = [at for at, each in enumerate(pairs.groups) if each is group]
    side, version = (0, pairs.before) if group is Group.GONE else (1, pairs.after)
    costs = [pairs.predicted[side][at] for at in places if pairs.counted[side][at]]
    cost, total = float(np.nansum(costs)), version.snapshot.predicted_total
    return Lone(label, len(places), cost, cost / total if total else None)


def _cause(pairs: Pairs, lone_cost: float) -> KernelPair | None:
    """Return the changed kernel that explains most of the difference of the totals.

    None: no kernel does, or kernels that only one version has explain more.
    """
    first = next(iter(pairs.select(CHANGED)), None)
    if first is None:
        return None
    kernel = pairs.pair(first)
    difference = kernel.difference or 0.0
    before, after = (side.snapshot.predicted_total or 0.0 for side in (pairs.before, pairs.after))
    return kernel if abs(difference) > lone_cost and explains(difference, after - before) else None


def _measured_ratio(pairs: Pairs) -> float | None:
    """Return the ratio of the measured totals at the largest point.

    None if the versions have different largest points, or the point is the target.
    """
    before, after = pairs.before.snapshot, pairs.after.snapshot
    if not pairs.same_largest or max(after.campaign.points) == after.target.tolist():
        return None
    return over(after.total_largest, before.total_largest)


def _crossover(focus: Focus, metric: Metric, pairs: Pairs) -> Crossover | None:
    """Return where the totals cross along the processes, else along the first parameter that varies."""
    before, after = pairs.before.snapshot, pairs.after.snapshot
    axis = main_axis(after.campaign, focus.parameters)
    return crossover(before, after, axis.name, metric) if axis else None
