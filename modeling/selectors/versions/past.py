"""Read the past of a version: previous predictions, and every kernel's changes and predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from ingest.models import Machine, Metric
from modeling.models import Change, Trend
from modeling.selectors.versions.aliases import compared_as, formers_of
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import IMPROVEMENTS, WORSENINGS, Verdict, verdict


class KernelChange(NamedTuple):
    """A kernel's change between two campaigns, with only the numbers that overviews show."""

    kernel_id: int
    before_id: int
    after_id: int
    kind: str
    ratio: float | None


@dataclass(frozen=True)
class Past:
    """A line of versions, oldest first, with the kernels' changes and predictions. Keys are final ids.

    `before` are the previous version's predictions at the target. `changes` are by kernel and later campaign.
    `courses` are predictions at the default target, by kernel and version. `named` maps ids in the last
    version to final ids, where these differ.
    """

    line: tuple[Standing, ...]
    metric: Metric
    before: Mapping[int, float]
    changes: Mapping[tuple[int, int], KernelChange]
    courses: Mapping[int, Mapping[int, float | None]]
    named: Mapping[int, int]

    @property
    def changed(self) -> list[int]:
        """Return the ids of the kernels that changed since the previous version."""
        last = self.line[-1].campaign_id
        own = {final: kernel for kernel, final in self.named.items()}
        return [own.get(kernel, kernel) for kernel, campaign in self.changes if campaign == last]

    def predicted_before(self, kernel_id: int) -> float | None:
        """Return the previous version's prediction of a kernel at the target; None if it has none."""
        return self.before.get(self._final(kernel_id))

    def since(self, kernel_id: int) -> KernelChange | None:
        """Return the kernel's change since the previous version; None if unchanged."""
        return self.changes.get((self._final(kernel_id), self.line[-1].campaign_id))

    def verdict(self, kernel_id: int, ratio: float | None) -> Verdict | None:
        """Return the verdict since the previous version; None if that version does not predict the kernel."""
        if self._final(kernel_id) not in self.before:
            return None
        change = self.since(kernel_id)
        return self._verdict(change, ratio if change is None else change.ratio)

    def course(self, kernel_id: int) -> list[float | None]:
        """Return the kernel's predictions over the versions of the line, oldest first."""
        known = self.courses.get(self._final(kernel_id), {})
        return [known.get(standing.version_id) for standing in self.line]

    def marks(self, kernel_id: int) -> list[tuple[int, str]]:
        """Return the changes of a kernel on the line: index of the version, and "worse" or "better"."""
        found = []
        for at, standing in enumerate(self.line):
            change = self.changes.get((self._final(kernel_id), standing.campaign_id))
            kind = self._verdict(change, change.ratio) if change else None
            if kind in WORSENINGS:
                found.append((at, "worse"))
            elif kind in IMPROVEMENTS:
                found.append((at, "better"))
        return found

    def _final(self, kernel_id: int) -> int:
        return self.named.get(kernel_id, kernel_id)

    def _verdict(self, change: KernelChange | None, ratio: float | None) -> Verdict:
        kind = change.kind if change else None
        return verdict(kind, ratio, lower_is_better=self.metric.lower_is_better)


def past_load(
    line: Sequence[Standing],
    metric: Metric,
    before: Mapping[int, float],
    kernels: Sequence[int],
    *,
    present: NDArray[np.int64],
    aliases: Mapping[int, int],
) -> Past:
    """Return the past of a line's last version, with its shown `kernels` and all `present` ones.

    `before` are the previous version's predictions by kernel. `aliases` maps renamed kernels to final ids.
    """
    neighbours = {(a.campaign_id, b.campaign_id) for a, b in pairwise(line)}
    last = line[-1].campaign_id
    named = _named(present, aliases)
    shown = {named.get(kernel, kernel) for kernel in kernels}
    every = [*shown, *formers_of(shown, aliases)]
    rows = Change.objects.filter(
        Q(kernel__in=every) | Q(comparison__after=last),
        metric=metric,
        comparison__after__in=[standing.campaign_id for standing in line],
    ).values_list("kernel_id", "comparison__before", "comparison__after", "kind", "ratio")
    changes = {
        (aliases.get(step.kernel_id, step.kernel_id), step.after_id): step
        for step in map(KernelChange._make, rows)
        if (step.before_id, step.after_id) in neighbours
    }
    earlier = _named(np.array(list(before), np.int64), aliases)
    return Past(
        tuple(line),
        metric,
        {earlier.get(kernel, kernel): predicted for kernel, predicted in before.items()},
        changes,
        _courses(metric, line[-1].machine, every, aliases),
        named,
    )


def _named(kernels: NDArray[np.int64], aliases: Mapping[int, int]) -> dict[int, int]:
    """Return the final ids of renamed kernels of one version, by their ids."""
    if not aliases:
        return {}
    pairs = zip(kernels.tolist(), compared_as(kernels, aliases).tolist(), strict=True)
    return {kernel: final for kernel, final in pairs if kernel != final}


def _courses(
    metric: Metric, machine: Machine, kernels: Sequence[int], aliases: Mapping[int, int]
) -> dict[int, dict[int, float | None]]:
    """Return each kernel's predictions by version. The final id takes precedence over earlier ids."""
    found: dict[int, dict[int, float | None]] = {}
    trends = Trend.objects.filter(metric=metric, machine=machine, kernel__in=kernels)
    for row in sorted(trends, key=lambda row: row.kernel_id not in aliases):
        course = found.setdefault(aliases.get(row.kernel_id, row.kernel_id), {})
        course.update(zip(row.versions, row.predicted, strict=True))
    return found
