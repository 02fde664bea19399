"""Divide the difference of two versions' totals into the contributions of kernels."""

from dataclasses import dataclass

import numpy as np

from modeling.models import Shift
from modeling.selectors.run.snapshot import BoolArray, FloatArray
from modeling.selectors.versions.pairs import Pairs

NAMED_STEPS = 10

VISIBLE = 0.005
"""Steps smaller than this fraction of the largest step are not shown separately, because they are invisible
in a chart.
"""

EXPLAINED = 0.5
"""A part explains the difference of two totals if it makes up at least this share of the difference."""


def explains(part: float, difference: float) -> bool:
    """Return whether a part explains the difference of two totals: it has the same sign and is large
    enough.
    """
    return part * difference > 0 and abs(part) >= EXPLAINED * abs(difference)


def shift_explains(shift: Shift | None, before: float, difference: float) -> bool:
    """Return whether the factor that most kernels share explains by how much unchanged kernels differ.

    Args:
        before: the sum of the unchanged kernels in the earlier version.
        difference: by how much their sum differs in the later version.
    """
    # The size of a factor that grows is known where it was measured, but not at the target.
    return shift is not None and (bool(shift.growth) or explains((shift.ratio - 1) * before, difference))


@dataclass(frozen=True)
class Contribution:
    """The contribution of one kernel to the difference of the totals.

    `changed` is true if the kernel changed by more than noise, or if only one version has it. It is false if
    the comparison found the opposite of `difference`: better instead of worse, or the other way round
    (`KernelPair.contradicted`).
    """

    name: str
    difference: float
    changed: bool


@dataclass(frozen=True)
class Waterfall:
    """The steps from one total to the other: the largest ones, one for all other changes, and one for all
    unchanged kernels.

    `others` is the number of changed kernels without a step of their own, and `rest` the sum of their
    differences. `unchanged` is the number of unchanged kernels, and `noise` the sum of their differences,
    which are noise, or a factor that most kernels share; `unchanged_before` is the sum of these kernels in
    the earlier version. If the totals are sums of different kernels, `common` is the number of kernels that
    are part of both totals. `before` and `after` are then the sums of these kernels.
    """

    before: float
    after: float
    steps: tuple[Contribution, ...]
    others: int
    rest: float
    unchanged: int = 0
    unchanged_before: float = 0.0
    noise: float = 0.0
    common: int | None = None


def waterfall(pairs: Pairs) -> Waterfall | None:
    """Return how the kernels' differences at the target add up; None if no summand changed. If the versions
    were not compared, every summand counts as changed.
    """
    counted, common = _counted(pairs)
    before, after = (
        np.where(part, np.nan_to_num(column), 0.0)
        for part, column in zip(counted, pairs.predicted, strict=True)
    )
    differences = after - before
    used = counted[0] | counted[1]
    own_step = used & (pairs.changed | pairs.lone) if pairs.changes is not None else used
    if not own_step.any():
        return None
    steps, others = _steps(pairs, differences, own_step)
    quiet = used & ~own_step
    return Waterfall(
        float(before.sum()), float(after.sum()), steps, len(others), float(differences[others].sum()),
        int(quiet.sum()), float(before[quiet].sum()), float(differences[quiet].sum()), common,
    )  # fmt: skip


def _counted(pairs: Pairs) -> tuple[tuple[BoolArray, BoolArray], int | None]:
    """Return which kernels make up the sums before and after, (K,) each, and `Waterfall.common`.

    If the totals have different summands, only common ones are used. Otherwise the whole value of a summand
    that only one total has would look like a change, for example if one total is a main program, and the
    other the sum of its callees.
    """
    before, after = (
        part & ~np.isnan(column) for part, column in zip(pairs.counted, pairs.predicted, strict=True)
    )
    if same_total(pairs):
        return (before, after), None
    both = before & after
    return (both, both), int(both.sum())


def same_total(pairs: Pairs) -> bool:
    """Return whether both totals have the same summands among the kernels that both versions have."""
    before, after = pairs.counted
    return bool(np.array_equal(before & ~pairs.lone, after & ~pairs.lone))


def _steps(
    pairs: Pairs, differences: FloatArray, own_step: BoolArray
) -> tuple[tuple[Contribution, ...], list[int]]:
    """Return the largest steps, and the indices of all other changed kernels."""
    order = [at for at in np.argsort(-abs(differences), kind="stable").tolist() if own_step[at]]
    least = VISIBLE * abs(differences[order[0]])
    named = [at for at in order if abs(differences[at]) >= least][:NAMED_STEPS]
    kernels = [(pairs.pair(at), at) for at in named]
    steps = (
        Contribution(
            pair.name, float(differences[at]),
            bool(pairs.changed[at] or pairs.lone[at]) and not pair.contradicted,
        )
        for pair, at in kernels
    )  # fmt: skip
    return tuple(steps), order[len(named) :]
