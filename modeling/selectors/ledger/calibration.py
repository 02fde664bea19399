"""The calibration of forecasts in one metric on one machine: how often intervals were right."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from ingest.models import Campaign, Machine, Metric
from modeling.engine import FEWEST_SCORES, Calibration, Scores, by_distance, calibrate, group_begins
from modeling.models import Change, Comparison, Forecast, Prediction, State
from modeling.storage import arrays
from modeling.storage.columns import Sent, array_of

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

MOST_FORECASTS = 5_000
"""Limit on the `Forecast` rows, the latest ones. Reading them takes some 50 ms."""

MOST_PREDICTIONS = 500
"""Limit on the scored `Prediction` rows, the latest ones."""

MOST_KERNELS = 25_000
"""Limit on the kernels of all scored predictions together. Reading them takes some 60 ms."""


@dataclass(frozen=True)
class ProgramScored:
    """The predicted and the measured total of the whole program."""

    predicted: float
    lower: float
    upper: float
    measured: float

    @property
    def inside(self) -> bool:
        """Return whether the measured total lies in the interval."""
        return self.lower <= self.measured <= self.upper

    @property
    def error(self) -> float:
        """Return the prediction's relative error."""
        return self.predicted / self.measured - 1


@dataclass(frozen=True)
class Scored:
    """A scored prediction of a version. `program` is None if a part of it changed or was not measured."""

    prediction: Prediction
    calibration: Calibration
    program: ProgramScored | None


@dataclass(frozen=True)
class Ledger:
    """How often forecasts were right: `all`, and in `groups` by distance. `scored` begins with the latest.

    `waiting` counts predictions whose target was not measured yet, `older` those left out by the limits.
    """

    all: Calibration
    groups: tuple[tuple[float, Calibration], ...]
    scored: tuple[Scored, ...]
    waiting: int
    older: int = 0

    @property
    def programs(self) -> list[ProgramScored]:
        """Return the scored totals of whole programs."""
        return [scored.program for scored in self.scored if scored.program]

    @property
    def programs_inside(self) -> int:
        """Return the number of measured totals inside their intervals."""
        return sum(program.inside for program in self.programs)


def ledger_load(metric: Metric, machine: Machine) -> Ledger:
    """Return how often forecasts in a metric on a machine were right, with seven queries."""
    rows = Prediction.objects.filter(metric=metric, campaign__machine=machine)
    waiting = rows.filter(scored_by=None).count()
    scored_rows = rows.exclude(scored_by=None)
    latest, older = _latest(scored_rows)
    changed, compared = _changed(metric, machine), _compared(metric, machine)
    done = [row for row in _predictions(latest) if _same_version(row) or _last(row) in compared]
    parts, scored = [], []
    for row in done:
        numbers = _Numbers.of(row)
        same = _unchanged(row, numbers, changed)
        parts.append(_scores(row, numbers).part(same))
        scored.append(Scored(row, calibrate(parts[-1]), _program(row, numbers, same)))
    together = _joined([*parts, _forecasts(metric, machine)])
    return Ledger(calibrate(together), tuple(by_distance(together)), tuple(scored), waiting, older)


def _latest(rows: QuerySet[Prediction]) -> tuple[list[int], int]:
    """Return the ids of the predictions that are used, and the number of older ones that are not."""
    sizes = list(rows.values_list("pk", "campaign__kernel_count"))
    kernels = accumulate(size for _, size in sizes)
    ids = [pk for (pk, _), sum_so_far in zip(sizes, kernels, strict=True) if sum_so_far <= MOST_KERNELS]
    used = [pk for pk, _ in sizes[: max(len(ids), 1)]][:MOST_PREDICTIONS]
    return used, len(sizes) - len(used)


class _Numbers(NamedTuple):
    """The arrays of a prediction, in the order of its kernels. `counted` is empty without a total."""

    kernels: IntArray
    predicted: arrays.FloatArray
    lower: arrays.FloatArray
    upper: arrays.FloatArray
    measured: arrays.FloatArray
    counted: BoolArray

    @classmethod
    def of(cls, row: Any) -> "_Numbers":
        """Return the arrays of a row of `_predictions`."""
        return cls(*(array_of(getattr(row, _sent(name))) for name in cls._fields))


def _predictions(ids: Sequence[int]) -> list[Prediction]:
    """Return predictions, latest first, with their arrays as bytes for `_Numbers.of`."""
    rows = Prediction.objects.filter(pk__in=ids).select_related("campaign__version", "scored_by__version")
    large = [f"{side}__{name}" for side in ("campaign", "scored_by") for name in ("points", "metadata")]
    sent = {_sent(name): Sent(name) for name in _Numbers._fields}
    return list(rows.defer(*_Numbers._fields, *large).annotate(**sent))


def _sent(name: str) -> str:
    return f"sent_{name}"


def _changed(metric: Metric, machine: Machine) -> IntArray:
    """Return the changes on a machine, each as a row of the kernel's id and the version's position."""
    rows = Change.objects.filter(metric=metric, comparison__after__machine=machine)
    pairs = rows.values_list("kernel_id", "comparison__after__version__position")
    return np.array(list(pairs), np.int64).reshape(-1, 2)


def _compared(metric: Metric, machine: Machine) -> set[int]:
    """Return the positions of the versions that were compared with an earlier one."""
    rows = Comparison.objects.filter(
        application=metric.application_id, after__machine=machine, state=State.DONE, error=""
    )
    return set(rows.values_list("after__version__position", flat=True))


def _same_version(row: Prediction) -> bool:
    return row.scored_by is not None and row.scored_by.version_id == row.campaign.version_id


def _last(row: Prediction) -> int:
    """Return the position of the version whose measurements scored the prediction."""
    return row.scored_by.version.position if row.scored_by else row.campaign.version.position


def _unchanged(row: Prediction, numbers: _Numbers, changed: IntArray) -> BoolArray:
    """Return which kernels of a prediction are unchanged in the version that scored it."""
    first, last = row.campaign.version.position, _last(row)
    kernels, position = changed.T
    meanwhile = kernels[(position > first) & (position <= last)]
    return np.isin(numbers.kernels, meanwhile, invert=True)


def _program(row: Prediction, numbers: _Numbers, same: BoolArray) -> ProgramScored | None:
    """Return the program's scored total; None if a part was not measured or changed."""
    if row.total is None or row.total_lower is None or row.total_upper is None:
        return None
    measured = float(numbers.measured[numbers.counted].sum())
    if not same[numbers.counted].all() or not measured > 0:  # NaN: a part was not measured
        return None
    return ProgramScored(row.total, row.total_lower, row.total_upper, measured)


def _scores(row: Prediction, numbers: _Numbers) -> Scores:
    columns = (numbers.predicted, numbers.lower, numbers.upper, numbers.measured)
    return Scores(np.full(len(numbers.kernels), row.distance), *columns)


def _forecasts(metric: Metric, machine: Machine) -> Scores:
    """Return the scores of the `Forecast` rows."""
    rows = Forecast.objects.filter(model__metric=metric, campaign__machine=machine).order_by("-pk")
    columns = ("points", "predicted", "lower", "upper", "measured", "model__run__campaign_id")
    found = list(rows.values_list(*columns)[:MOST_FORECASTS])
    ranges = _ranges({row[-1] for row in found})
    parts = [
        Scores(
            _distances(np.array(points, float), *ranges[campaign]),
            *(np.array(each, float) for each in numbers),
        )
        for points, *numbers, campaign in found
    ]
    return _joined(parts)


def _ranges(campaigns: Iterable[int]) -> dict[int, tuple[arrays.FloatArray, arrays.FloatArray]]:
    rows = Campaign.objects.filter(pk__in=list(campaigns)).values_list("pk", "points")
    return {pk: (np.min(points, axis=0), np.max(points, axis=0)) for pk, points in rows}


def _distances(
    points: arrays.FloatArray, lower: arrays.FloatArray, upper: arrays.FloatArray
) -> arrays.FloatArray:
    return np.asarray(np.maximum(points / upper, lower / points).max(axis=1))


def _joined(parts: Iterable[Scores]) -> Scores:
    known = [*parts, Scores(*np.zeros((5, 0)))]
    names = ("distance", "predicted", "lower", "upper", "measured")
    return Scores(*(np.concatenate([getattr(part, name) for part in known]) for name in names))


@dataclass(frozen=True)
class Widening:
    """The factor by which intervals are widened, from `count` forecasts. The share `inside` of these was
    right.
    """

    factor: float
    count: int
    inside: float

    def interval(self, predicted: float, lower: float, upper: float) -> tuple[float, float]:
        """Return the interval, widened in logarithms, unless an end is not positive."""
        if min(predicted, lower) <= 0:
            return lower, upper
        low, high = (predicted * (end / predicted) ** self.factor for end in (lower, upper))
        return low, high


def widening_at(groups: Sequence[Mapping[str, Any]], distance: float) -> Widening | None:
    """Return the widening at a distance from the data; None if none is needed.

    `groups` are `LedgerSummary.groups`. If the distance's group is too small, that of all is used.
    """
    begin = float(group_begins(np.array(distance)))
    enough = [g for g in groups if g["begin"] == begin and g["count"] >= FEWEST_SCORES]
    chosen = enough or [g for g in groups if g["begin"] is None]
    if distance <= 1 or not chosen or chosen[0]["widening"] <= 1:
        return None
    return Widening(chosen[0]["widening"], chosen[0]["count"], chosen[0]["inside"])
