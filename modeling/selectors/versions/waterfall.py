"""Divide the difference of two versions' totals into the contributions of kernels."""

from dataclasses import dataclass

import numpy as np

from modeling.models import Shift
from modeling.selectors.run.snapshot import BoolArray, FloatArray
from modeling.selectors.versions.pairs import Pairs

NAMED_STEPS = 10

VISIBLE = 0.005
"""Steps below this fraction of the largest step are not shown separately, because they are invisible."""

EXPLAINED = 0.5
"""A part explains a difference of totals if it is at least this share of the difference."""


def explains(part: float, difference: float) -> bool:
    """Return whether a part explains a difference: it has the same sign and is large enough."""
    return part * difference > 0 and abs(part) >= EXPLAINED * abs(difference)


def shift_explains(shift: Shift | None, before: float, difference: float) -> bool:
    """Return whether the shared factor explains by how much the sum `before` of unchanged kernels changed."""
    # The size of a growing factor is known where it was measured, but not at the target.
    return shift is not None and (bool(shift.growth) or explains((shift.ratio - 1) * before, difference))


@dataclass(frozen=True)
class Contribution:
    """The contribution of one kernel to the difference of the totals.

    `changed` is true if the kernel changed by more than noise, or only one version has it. It is false if the
    comparison found the opposite of `difference` (`KernelPair.contradicted`).
    """

    name: str
    difference: float
    changed: bool


@dataclass(frozen=True)
class Waterfall:
    """The steps from one total to the other.

    `others` is the number of changed kernels without a step, and `rest` the sum of their differences.
    `unchanged` is the number of unchanged kernels, `unchanged_before` their earlier sum, and `noise` the sum
    of their differences. If the totals have different summands, `common` is the number of common ones, and
    `before` and `after` are their sums.
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
    """Return how the kernels' differences at the target add up; None if no summand changed."""
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
    """Return which kernels make up the sums before and after, and `Waterfall.common`.

    If the totals have different summands, only common summands are used.
    """
    before, after = (
        part & ~np.isnan(column) for part, column in zip(pairs.counted, pairs.predicted, strict=True)
    )
    if same_total(pairs):
        return (before, after), None
    both = before & after
    return (both, both), int(both.sum())


def same_total(pairs: Pairs) -> bool:
    """Return whether both totals have the same summands among common kernels."""
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
