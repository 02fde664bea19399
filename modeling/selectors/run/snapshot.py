"""All models of a run in one metric, with their predictions at a target.

Intervals come from joint draws, in which the kernels' deviations from their laws are correlated.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ingest.models import Campaign
from modeling.engine import TOO_FEW_VALUES, Models
from modeling.engine.deviations.joint import Joint, numbers
from modeling.engine.laws.growth import NOT_IDENTIFIABLE
from modeling.selectors.run.judged import Judged, judged
from modeling.selectors.run.rows import CONSTANT, NOTABLE_SHARE, POSTERIORS_KEPT, ModelRow, RunRows
from modeling.storage import arrays

SHARES_DRAWN = 1_000
"""Limit on the kernels whose shares have an interval, largest first. All others are nearly 0."""

FloatArray = arrays.FloatArray

BoolArray = arrays.BoolArray

IntArray = arrays.IntArray


@dataclass(frozen=True)
class Amount:
    """A prediction with its 95 % interval, in units of the metric; None where unknown.

    `founded` is False if the prediction is an extrapolation, and too few values were measured for any law.
    """

    predicted: float | None
    lower: float | None
    upper: float | None
    founded: bool = True


def over(after: float | None, before: float | None) -> float | None:
    """Return after / before; None if a value is unknown, or the one before is 0."""
    return after / before if after is not None and before else None


@dataclass(frozen=True)
class Snapshot:
    """A run's models with predictions at `target`, NaN without a law. It is cached: do not change it."""

    loaded: RunRows
    target: FloatArray  # in the order of the campaign's parameters
    predicted: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def rows(self) -> list[ModelRow]:
        """Return the models."""
        return self.loaded.rows

    @property
    def campaign(self) -> Campaign:
        """Return the modelled campaign."""
        return self.loaded.campaign

    @cached_property
    def counted(self) -> BoolArray:
        """Return which kernels make up the program's total."""
        return np.array([row.counts_to_total for row in self.rows], bool)

    @cached_property
    def notable(self) -> BoolArray:
        """Return which kernels grow, or take at least `NOTABLE_SHARE` of the total."""
        grows = np.array([row.growth != CONSTANT for row in self.rows], bool)
        least = NOTABLE_SHARE * (self.predicted_total or np.inf)
        return np.asarray(grows | (np.nan_to_num(self.predicted) >= least))

    @cached_property
    def largest(self) -> FloatArray:
        """Return the medians measured at the largest point."""
        return np.array([row.largest for row in self.rows], float)

    @cached_property
    def judged(self) -> list[Judged]:
        """Return the value of each kernel's formula, and the trust in its prediction."""
        certainty = [row.lead_certainty for row in self.rows]
        return judged(self.loaded.models, certainty, self.target, (self.predicted, self.lower, self.upper))

    @cached_property
    def joint(self) -> Joint:
        """Return all kernels for joint draws."""
        paths = [row.path for row in self.rows]
        return Joint(numbers(paths), self.predicted, self.lower, self.upper, self.loaded.shared)

    @cached_property
    def program(self) -> Joint:
        """Return the kernels that make up the program's total, for joint draws."""
        counted = np.flatnonzero(self.counted)
        unknown = np.array([row.growth == NOT_IDENTIFIABLE for row in self.rows], bool)
        return self.joint.part(counted).with_constant(unknown[counted])

    @cached_property
    def predicted_total(self) -> float | None:
        """Return the whole program's total, without its interval, which takes longer to compute."""
        counted = self.predicted[self.counted]
        known = counted[~np.isnan(counted)]
        return float(known.sum()) if len(known) else None

    @cached_property
    def total(self) -> Amount:
        """Return the whole program's total, with its interval from joint draws."""
        laws = any(
            row.status != TOO_FEW_VALUES and counts
            for row, counts in zip(self.rows, self.counted.tolist(), strict=True)
        )
        predicted, lower, upper = map(arrays.known, self.program.total)
        return Amount(predicted, lower, upper, founded=laws or self.inside)

    def shares(self, rows: Sequence[int]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the shares of the total of some kernels, with 95 % intervals; NaN where unknown.

        Only the `SHARES_DRAWN` largest kernels have intervals. Each interval contains its share.
        """
        shares = self.predicted[list(rows)]
        total = self.predicted_total
        ends = np.full((2, len(shares)), np.nan)
        if not total or total <= 0:
            return np.full(len(shares), np.nan), ends[0], ends[1]
        shares = shares / total
        heaviest = np.argsort(-np.nan_to_num(shares), kind="stable")[:SHARES_DRAWN]
        some = np.asarray(rows, np.int64)[heaviest]
        ends[:, heaviest] = self.joint.part(some).shares(self.program, self.counted[some])
        return shares, np.minimum(ends[0], shares), np.maximum(ends[1], shares)

    def divided(self, parts: FloatArray) -> Joint:
        """Return the kernels for joint draws of a whole that is the sum of `parts` at the target."""
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(self.predicted > 0, parts / self.predicted, 0.0)
        return replace(self.joint, predicted=parts, lower=self.lower * factor, upper=self.upper * factor)

    @property
    def alone(self) -> ModelRow | None:
        """Return the kernel that is the whole program, or None if the program is a sum."""
        counted = np.flatnonzero(self.counted).tolist()
        return self.rows[counted[0]] if len(counted) == 1 else None

    @property
    def summed(self) -> int:
        """Return the number of kernels whose predictions make up the total."""
        return int((self.counted & ~np.isnan(self.predicted)).sum())

    @property
    def correlation(self) -> float | None:
        """Return the correlation of the kernels' deviations from their laws; None if not estimated."""
        shared = self.loaded.shared
        return shared.correlation if shared.freedom > 0 else None

    @cached_property
    def total_largest(self) -> float | None:
        """Return the program's measured value at the largest point; None if a part was not measured."""
        counted = self.largest[self.counted]
        return float(counted.sum()) if counted.size and not np.isnan(counted).any() else None

    @property
    def beyond(self) -> dict[str, float]:
        """Return the ratios of the target to the largest measured values, where the target is larger."""
        most = np.max(self.campaign.points, axis=0)
        factors = zip(self.campaign.parameters, (self.target / most).tolist(), strict=True)
        return {name: factor for name, factor in factors if factor > 1}

    @property
    def inside(self) -> bool:
        """Return whether the target lies within the measured range of every parameter."""
        points = np.asarray(self.campaign.points)
        return bool(((points.min(axis=0) <= self.target) & (self.target <= points.max(axis=0))).all())

    def amount(self, at: int) -> Amount:
        """Return the prediction of the kernel with this index."""
        columns = (self.predicted, self.lower, self.upper)
        predicted, lower, upper = (arrays.known(column[at]) for column in columns)
        return Amount(predicted, lower, upper)

    @cached_property
    def before(self) -> "Before":
        """Return the numbers with which the next version is compared."""
        known = zip(self.loaded.kernels.tolist(), self.predicted.tolist(), strict=True)
        predicted = {kernel: value for kernel, value in known if not math.isnan(value)}
        counted = dict(zip(self.loaded.kernels.tolist(), self.counted.tolist(), strict=True))
        return Before(self.campaign, predicted, counted, self.predicted_total, self.total_largest)

    def curves(self, points: FloatArray, *, laws_alone: bool = False) -> FloatArray:
        """Return the values of all kernels, (kernels, points); NaN without a law.

        Kernels that are large, even if only by their formulas, are predicted by posteriors. Far from the
        data, the most probable law alone may give several times as much as the posterior. `laws_alone` leaves
        out the slow deviations from laws.
        """
        shown = _without_deviations if laws_alone else _as_they_are
        curves = self.loaded.curves(points)
        curves[self.loaded.heaviest] = shown(self.loaded.heaviest_weighed).predict(points)
        heavy = self._made_heavy(curves)
        if heavy.size:
            curves[heavy] = shown(self.loaded.weighed(heavy)).predict(points)
        return curves

    def _made_heavy(self, curves: FloatArray) -> IntArray:
        """Return the kernels with a notable share by formulas at some point, but not among `heaviest`."""
        total = np.maximum(np.nansum(curves, axis=0), np.finfo(float).tiny)
        share = np.nan_to_num(curves / total).max(axis=1, initial=0.0)
        share[self.loaded.heaviest] = 0.0
        largest = np.argsort(-share, kind="stable")[:POSTERIORS_KEPT]
        return np.sort(largest[share[largest] >= NOTABLE_SHARE])

    def totals(self, points: FloatArray) -> FloatArray:
        """Return the predicted total at each point."""
        made: FloatArray = self.loaded.derived.get(
            ("totals", points.tobytes()), lambda: np.nansum(self.curves(points)[self.counted], axis=0)
        )
        return made

    def totals_by_laws(self, points: FloatArray) -> FloatArray:
        """Return the predicted total at each point, without the slow deviations from laws."""
        made: FloatArray = self.loaded.derived.get(
            ("totals by laws", points.tobytes()),
            lambda: np.nansum(self.curves(points, laws_alone=True)[self.counted], axis=0),
        )
        return made


def _without_deviations(models: Models) -> Models:
    """Return models that predict without deviations and trends."""
    if models.posterior is None:
        return models
    return replace(models, posterior=replace(models.posterior, deviation=None, trend=None))


def _as_they_are(models: Models) -> Models:
    return models


@dataclass(frozen=True)
class Before:
    """The predictions of the previous version at a target. `counted` marks summands of the total."""

    campaign: Campaign
    predicted: dict[int, float]
    counted: dict[int, bool]
    total: float | None
    total_largest: float | None

    def adds_up_alike(self, later: "Before") -> bool:
        """Return whether the totals of both versions have the same summands among the common kernels."""
        both = self.counted.keys() & later.counted.keys()
        return all(self.counted[kernel] == later.counted[kernel] for kernel in both)
