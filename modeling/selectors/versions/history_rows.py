"""The rows of the history: each kernel's predictions, laws and verdicts over versions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ingest.models import Kernel, Metric
from modeling.models import Trend
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import IMPROVEMENTS, WORSENINGS, Verdict, verdict

Pair = tuple[int, int]
"""Ids of the campaigns before and after."""

Place = tuple[int, int]
"""Ids of a kernel and a campaign."""


@dataclass(frozen=True)
class Window:
    """The shown part of a line of versions, `line[start:stop]`."""

    line: tuple[Standing, ...]
    start: int
    stop: int

    @property
    def shown(self) -> tuple[Standing, ...]:
        """Return the versions that are shown, oldest first."""
        return self.line[self.start : self.stop]

    @property
    def pairs(self) -> list[tuple[Standing, Standing]]:
        """Return each shown version with the version before it, if there is one."""
        return list(pairwise(self.line[max(self.start - 1, 0) : self.stop]))


class KernelChange(NamedTuple):
    """The columns of a stored change that cells and marks need."""

    kind: str
    ratio: float | None


class Law(NamedTuple):
    """The columns of a stored law that are needed to write it."""

    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    parameters: list[str]


@dataclass(frozen=True)
class Cell:
    """A kernel in one version. `ratio` is to the previous version; None if either has no model.

    `new` says that the previous version lacks the kernel, and `gone` that this one does.
    """

    version: Standing
    present: bool
    predicted: float | None
    ratio: float | None
    verdict: Verdict | None  # None if either version lacks the kernel, or if they were not compared
    before: Standing | None = None
    predicted_before: float | None = None
    law: Law | None = None
    law_before: Law | None = None
    new: bool = False
    gone: bool = False
    kernel_id: int = 0  # a renamed kernel has another id in earlier versions

    @property
    def changed(self) -> bool:
        """Return whether the kernel differs from the previous version by more than noise."""
        return self.verdict not in (None, Verdict.SAME, Verdict.UNKNOWN)


@dataclass(frozen=True)
class HistoryRow:
    """A kernel with a cell for each shown version, oldest first.

    `impact` is the largest difference between neighbouring versions, in units of the metric. `course` has
    predictions of all versions at the default target. `marks` are the changes, as index of the version and
    "worse" or "better".
    """

    kernel: Kernel
    impact: float
    cells: tuple[Cell, ...]
    course: tuple[float | None, ...]
    marks: tuple[tuple[int, str], ...]
    former: tuple[str, ...] = ()  # earlier paths


@dataclass(frozen=True)
class KernelCourse:
    """A kernel over all versions, including those in which it had another id.

    By version: `predicted` at the default target, and the kernel's id in this version (`kernels`).
    """

    trend: Trend
    predicted: dict[int, float | None]
    kernels: dict[int, int]
    former: tuple[str, ...]

    @classmethod
    def of(cls, trend: Trend, former: Sequence[Trend], aliases: Mapping[int, int]) -> "KernelCourse":
        """Return the course from a kernel's own trend and those of its earlier ids in `former`."""
        earlier = [row for row in former if aliases[row.kernel_id] == trend.kernel_id]
        predicted: dict[int, float | None] = {}
        kernels: dict[int, int] = {}
        # If a version has several of the ids, the last one is used, which is the kernel's own.
        for row in (*earlier, trend):
            predicted.update(zip(row.versions, row.predicted, strict=True))
            kernels.update(dict.fromkeys(row.versions, row.kernel_id))
        return cls(trend, predicted, kernels, tuple(row.kernel.path for row in earlier))


@dataclass(frozen=True)
class HistoryTable:
    """The data from which rows are made.

    `laws` has at least those before and after changes. `predicted` are the predictions at a target; None if
    cells have the stored ones.
    """

    window: Window
    metric: Metric
    compared: dict[Pair, int]
    changes: dict[tuple[int, int], KernelChange]
    laws: Mapping[Place, Law]
    predicted: Mapping[Place, float | None] | None

    def row(self, course: KernelCourse) -> HistoryRow:
        """Return the row of one kernel."""
        trend, line = course.trend, self.window.line
        pairs = (
            (line[at - 1] if at else None, line[at]) for at in range(self.window.start, self.window.stop)
        )
        return HistoryRow(
            trend.kernel,
            trend.impact,
            tuple(self._cell(course, before, here) for before, here in pairs),
            tuple(map(course.predicted.get, self._versions)),
            tuple(self._marks(trend.kernel_id)),
            course.former,
        )

    def _cell(self, course: KernelCourse, before: Standing | None, here: Standing) -> Cell:
        kernel = course.kernels.get(here.version_id)
        earlier = course.kernels.get(before.version_id) if before else None
        value, law = self._modelled(course, kernel, here)
        value_before, law_before = self._modelled(course, earlier, before)
        ratio = value / value_before if value is not None and value_before else None
        comparison = self.compared.get((before.campaign_id, here.campaign_id)) if before else None
        found, new, gone = None, False, False
        if comparison is not None and (kernel is None or earlier is None):
            new, gone = kernel is not None, earlier is not None
        elif comparison is not None:
            change = self.changes.get((course.trend.kernel_id, comparison))
            found = self._verdict(change)
            if change and self.predicted is None and change.ratio is not None:
                ratio = change.ratio
        return Cell(
            here, kernel is not None, value, ratio, found, before, value_before, law, law_before, new, gone,
            kernel or 0,
        )  # fmt: skip

    def _modelled(
        self, course: KernelCourse, kernel: int | None, standing: Standing | None
    ) -> tuple[float | None, Law | None]:
        """Return the prediction and the law of a version that has the kernel under this id."""
        if kernel is None or standing is None:
            return None, None
        place = (kernel, standing.campaign_id)
        if self.predicted is None:
            return course.predicted.get(standing.version_id), self.laws.get(place)
        return self.predicted.get(place), self.laws.get(place)

    def _verdict(self, change: KernelChange | None) -> Verdict:
        kind, ratio = (change.kind, change.ratio) if change else (None, None)
        return verdict(kind, ratio, lower_is_better=self.metric.lower_is_better)

    def _marks(self, kernel: int) -> list[tuple[int, str]]:
        """Return the changes of a kernel on the line: index of the version, and "worse" or "better"."""
        found = []
        for at, change in self._changes_in_line.get(kernel, ()):
            kind = self._verdict(change)
            if kind in WORSENINGS:
                found.append((at, "worse"))
            elif kind in IMPROVEMENTS:
                found.append((at, "better"))
        return sorted(found)

    @cached_property
    def _versions(self) -> list[int]:
        return [standing.version_id for standing in self.window.line]

    @cached_property
    def _changes_in_line(self) -> dict[int, list[tuple[int, KernelChange]]]:
        """Return the changes of each kernel, with the index of the later version."""
        pairs = pairwise(standing.campaign_id for standing in self.window.line)
        places = {self.compared[pair]: at for at, pair in enumerate(pairs, 1) if pair in self.compared}
        found: dict[int, list[tuple[int, KernelChange]]] = defaultdict(list)
        for (kernel, comparison), change in self.changes.items():
            found[kernel].append((places[comparison], change))
        return found
