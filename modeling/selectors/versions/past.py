"""What came before a version: its predecessor's predictions, and every kernel's changes and course."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db.models import Q

from ingest.models import Metric
from modeling.models import Change, Trend
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import Verdict, verdict


@dataclass(frozen=True)
class Past:
    """The line of versions up to one of them, and what is known about kernels along it.

    `before`: predictions of the version before at the same target, by kernel. `changes`: by kernel and
    later campaign, for neighbours of the line. `courses`: predictions at the default target by kernel and
    version.
    """

    line: tuple[Standing, ...]
    metric: Metric
    before: Mapping[int, float]
    changes: Mapping[tuple[int, int], Change]
    courses: Mapping[int, Mapping[int, float | None]]

    @property
    def changed(self) -> list[int]:
        """The kernels that differ from the version before."""
        last = self.line[-1].campaign_id
        return [kernel for kernel, campaign in self.changes if campaign == last]

    def since(self, kernel_id: int) -> Change | None:
        """How the kernel differs from the version before; None: not at all."""
        return self.changes.get((kernel_id, self.line[-1].campaign_id))

    def verdict(self, kernel_id: int, ratio: float | None) -> Verdict | None:
        """On the step to the last version; None where the kernel is new or nothing came before."""
        if kernel_id not in self.before:
            return None
        change = self.since(kernel_id)
        return self._verdict(change, ratio if change is None else change.ratio)

    def course(self, kernel_id: int) -> list[float | None]:
        """The kernel's predictions over the line, oldest first."""
        known = self.courses.get(kernel_id, {})
        return [known.get(standing.version_id) for standing in self.line]

    def marks(self, kernel_id: int) -> list[tuple[int, str]]:
        """Where on the line the kernel changed, and whether for the worse or the better."""
        found = []
        for at, standing in enumerate(self.line):
            change = self.changes.get((kernel_id, standing.campaign_id))
            kind = self._verdict(change, change.ratio) if change else None
            if kind in (Verdict.LAW_WORSE, Verdict.WORSE):
                found.append((at, "worse"))
            elif kind in (Verdict.LAW_BETTER, Verdict.BETTER):
                found.append((at, "better"))
        return found

    def _verdict(self, change: Change | None, ratio: float | None) -> Verdict:
        kind = change.kind if change else None
        return verdict(kind, ratio, lower_is_better=self.metric.lower_is_better)


def past_load(
    line: Sequence[Standing], metric: Metric, before: Mapping[int, float], kernels: Sequence[int]
) -> Past:
    """Changes of these kernels anywhere on the line and of all kernels at its end, courses of these."""
    neighbours = {(a.campaign_id, b.campaign_id) for a, b in pairwise(line)}
    last = line[-1].campaign_id
    rows = Change.objects.filter(
        Q(kernel__in=kernels) | Q(comparison__after=last),
        metric=metric,
        comparison__after__in=[standing.campaign_id for standing in line],
    ).select_related("comparison")
    changes = {
        (row.kernel_id, row.comparison.after_id): row
        for row in rows
        if (row.comparison.before_id, row.comparison.after_id) in neighbours
    }
    trends = Trend.objects.filter(metric=metric, machine=line[-1].machine, kernel__in=kernels)
    courses = {row.kernel_id: dict(zip(row.versions, row.predicted, strict=True)) for row in trends}
    return Past(tuple(line), metric, before, changes, courses)
