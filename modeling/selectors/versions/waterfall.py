"""How two versions' totals differ, kernel by kernel."""

from dataclasses import dataclass

import numpy as np

from modeling.selectors.run.snapshot import BoolArray, FloatArray
from modeling.selectors.versions.pairs import Pairs

NAMED_STEPS = 10

VISIBLE = 0.005
"""Steps below this part of the largest one could not be seen in a picture."""


@dataclass(frozen=True)
class Step:
    """What one kernel adds to the program's total between the versions.

    `changed`: it changed beyond noise, or only one version has it.
    """

    name: str
    difference: float
    changed: bool


@dataclass(frozen=True)
class Waterfall:
    """From one total to the other: the largest steps, all others that changed in one, and in another one what
    did not change, whose differences are noise.

    `common`: where the totals are sums of different kernels, the number of kernels that count in both; the
    two ends are then the sums of these.
    """

    before: float
    after: float
    steps: tuple[Step, ...]
    others: int
    rest: float
    unchanged: int = 0
    noise: float = 0.0
    common: int | None = None


def waterfall(pairs: Pairs) -> Waterfall | None:
    """How the kernels' differences at the target add up; None where no kernel counts, or nothing changed."""
    counted, common = _counted(pairs)
    before, after = (
        np.where(part, np.nan_to_num(column), 0.0)
        for part, column in zip(counted, pairs.predicted, strict=True)
    )
    differences = after - before
    used = counted[0] | counted[1]
    told = used & (pairs.changed | pairs.lone) if pairs.changes is not None else used
    if not told.any():
        return None
    steps, others = _steps(pairs, differences, told)
    quiet = used & ~told
    return Waterfall(
        float(before.sum()), float(after.sum()), steps, len(others), float(differences[others].sum()),
        int(quiet.sum()), float(differences[quiet].sum()), common,
    )  # fmt: skip


def _counted(pairs: Pairs) -> tuple[tuple[BoolArray, BoolArray], int | None]:
    """Which kernels make up the ends; those that count in both where the totals are of different kernels.

    A kernel that both versions have may count in one of them only: a total is a root's own value in one
    version and the sum of what it calls in the other. Its whole value would look like a change.
    """
    before, after = (
        part & ~np.isnan(column) for part, column in zip(pairs.counted, pairs.predicted, strict=True)
    )
    if np.array_equal(pairs.counted[0] & ~pairs.lone, pairs.counted[1] & ~pairs.lone):
        return (before, after), None
    both = before & after
    return (both, both), int(both.sum())


def _steps(pairs: Pairs, differences: FloatArray, told: BoolArray) -> tuple[tuple[Step, ...], list[int]]:
    """The largest steps by name, and the places of the others."""
    order = [at for at in np.argsort(-abs(differences), kind="stable").tolist() if told[at]]
    least = VISIBLE * abs(differences[order[0]])
    named = [at for at in order if abs(differences[at]) >= least][:NAMED_STEPS]
    steps = (
        Step(pairs.pair(at).name, float(differences[at]), bool(pairs.changed[at] or pairs.lone[at]))
        for at in named
    )
    return tuple(steps), order[len(named) :]
