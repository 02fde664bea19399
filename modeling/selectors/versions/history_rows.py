"""The rows of the history: each kernel's predictions, laws and verdicts over versions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ingest.models import Kernel, Metric
from modeling.models import Change, Trend
from modeling.selectors.run.campaign import Amounts
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import IMPROVEMENTS, WORSENINGS, Verdict, verdict

Pair = tuple[int, int]
"""Ids of the campaigns before and after."""


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


class CoursePlace(NamedTuple):
    """A kernel's prediction at the default target in one version, and its id in this version."""

    kernel: int
    predicted: float | None


@dataclass(frozen=True)
class KernelCourse:
    """A kernel over all versions, including those in which it had another id."""

    trend: Trend
    places: dict[int, CoursePlace]  # by version
    former: tuple[str, ...]

    @classmethod
    def of(cls, trend: Trend, former: Sequence[Trend], aliases: Mapping[int, int]) -> "KernelCourse":
        """Return the course from a kernel's own trend and those of its earlier ids in `former`."""
        earlier = [row for row in former if aliases[row.kernel_id] == trend.kernel_id]
        places = {
            version: CoursePlace(row.kernel_id, predicted)
            # If a version has several of the ids, the last one is used, which is the kernel's own.
            for row in (*earlier, trend)
            for version, predicted in zip(row.versions, row.predicted, strict=True)
        }
        return cls(trend, places, tuple(row.kernel.path for row in earlier))


@dataclass(frozen=True)
class StoredLaw:
    """A kernel's model in one version: its law, and its prediction if requested."""

    law: Law
    amounts: Amounts | None


@dataclass(frozen=True)
class HistoryTable:
    """The data from which rows are made. `stored` says whether cells have the stored predictions."""

    window: Window
    metric: Metric
    compared: dict[Pair, int]
    changes: dict[tuple[int, int], Change]
    models: dict[tuple[int, int], StoredLaw]
    stored: bool

    def row(self, course: KernelCourse) -> HistoryRow:
        """Return the row of one kernel."""
        trend, line = course.trend, self.window.line
        pairs = (
            (line[at - 1] if at else None, line[at]) for at in range(self.window.start, self.window.stop)
        )
        values = (course.places.get(standing.version_id) for standing in line)
        return HistoryRow(
            trend.kernel,
            trend.impact,
            tuple(self._cell(course, before, here) for before, here in pairs),
            tuple(place.predicted if place else None for place in values),
            tuple(self._marks(trend.kernel_id)),
            course.former,
        )

    def _cell(self, course: KernelCourse, before: Standing | None, here: Standing) -> Cell:
        place = course.places.get(here.version_id)
        earlier = course.places.get(before.version_id) if before else None
        value, value_before = self._predicted(place, here), self._predicted(earlier, before)
        ratio = value / value_before if value is not None and value_before else None
        cell = Cell(
            here, place is not None, value, ratio, None, before, value_before,
            self._law(place, here), self._law(earlier, before), kernel_id=place.kernel if place else 0,
        )  # fmt: skip
        comparison = self.compared.get((before.campaign_id, here.campaign_id)) if before else None
        if comparison is None:
            return cell
        if place is None or earlier is None:
            return replace(cell, new=place is not None, gone=place is None and earlier is not None)
        change = self.changes.get((course.trend.kernel_id, comparison))
        ratio_shown = change.ratio if change and self.stored and change.ratio is not None else ratio
        return replace(cell, verdict=self._verdict(change), ratio=ratio_shown)

    def _predicted(self, place: CoursePlace | None, standing: Standing | None) -> float | None:
        if place is None or standing is None:
            return None
        if self.stored:
            return place.predicted
        found = self.models.get((place.kernel, standing.campaign_id))
        return found.amounts[0] if found and found.amounts else None

    def _law(self, place: CoursePlace | None, standing: Standing | None) -> Law | None:
        if place is None or standing is None:
            return None
        found = self.models.get((place.kernel, standing.campaign_id))
        return found.law if found else None

    def _verdict(self, change: Change | None) -> Verdict:
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
    def _changes_in_line(self) -> dict[int, list[tuple[int, Change]]]:
        """Return the changes of each kernel, with the index of the later version."""
        pairs = pairwise(standing.campaign_id for standing in self.window.line)
        places = {self.compared[pair]: at for at, pair in enumerate(pairs, 1) if pair in self.compared}
        found: dict[int, list[tuple[int, Change]]] = defaultdict(list)
        for (kernel, comparison), change in self.changes.items():
            found[kernel].append((places[comparison], change))
        return found
