"""The evidence modeler: the posterior over laws, with noise integrated out (docs/methods.md#evidence)."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from modeling.engine.modelers.evidence.lone_points import shaped
from modeling.engine.modelers.evidence.pooling import frequencies, with_growths, with_processes
from modeling.engine.modelers.evidence.repeated import Lawful, repeated_kernels, scatter
from modeling.engine.modelers.evidence.runs import Runs, summarise
from modeling.engine.modelers.evidence.sharing import Weighed, pooled, shared_out
from modeling.engine.modelers.evidence.sparse import grouped
from modeling.engine.modelers.evidence.summary import summarised
from modeling.engine.modelers.evidence.weighing import Weigher
from modeling.engine.portions import kernels_at_once
from modeling.engine.results.common import Common
from modeling.engine.results.models import Models, join
from modeling.engine.validation import BoolArray, FloatArray, IntArray


class Evidence:
    """Bayesian model averaging over the performance model normal form.

    Parameters
    ----------
    points : (P, m)

    """

    def __init__(self, points: FloatArray) -> None:
        self.points = points
        self.weigher = Weigher.at(points)

    @property
    def kernels_at_once(self) -> int:
        """As many as a portion has where there are a few points."""
        return kernels_at_once(1, self.points.shape[1], 1)

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model the kernels of `values` (K, P, R) by what they have in `common`, or by what is theirs."""
        with np.errstate(all="ignore"):
            groups = self._with_lone_points(values)
            if common is None:
                weighed, common = _pooled(groups)
                common = replace(common, once=measured_once(values))
                parts = [group.models(own, common) for group, own in zip(groups, weighed, strict=True)]
            else:
                parts = [group.models(group.weighed(common), common) for group in groups]
        return replace(_in_order(parts, groups), common=common)

    def expected(self, values: FloatArray, at: IntArray) -> FloatArray:
        """What the likeliest laws say at one of each kernel's points, by number, (K,): quick, no interval.

        From least squares alone. 0 where nothing but zeros was measured, NaN where nothing was.
        """
        there = _there(values)
        said = np.where(there.any(axis=1), 0.0, np.nan)
        there[np.arange(len(at)), at] = True
        with np.errstate(all="ignore"):
            for group in self._groups(values, there, np.arange(len(at))):
                kernels = group.kernels[group.known_of]
                if len(kernels):
                    place = np.searchsorted(group.rows, at[kernels])
                    said[kernels] = group.weigher.expected(group.known, place)
        return said

    def _with_lone_points(self, values: FloatArray) -> "list[_Group]":
        """The kernels in groups, those with values at a single one of several points apart."""
        positive = (values > 0).any(axis=2)
        alone = (positive.sum(axis=1) == 1) & (values.shape[1] > 1)
        there = _there(values)
        groups = self._groups(values, there, np.flatnonzero(~alone))
        if alone.any():
            groups.append(_LonePoint.at(self, np.flatnonzero(alone), positive.argmax(axis=1), values))
        return [group for group in groups if len(group.kernels)] or groups

    def _groups(self, values: FloatArray, there: BoolArray, some: IntArray) -> "list[_Group]":
        """Some kernels of values (K, P, R), needed where they are `there`, (K, P), in groups with much the
        same points, at which alone they are modelled."""
        found = []
        for kernels, rows in grouped(there[some]):
            own = values if len(kernels) == len(values) else values[some[kernels]]
            own = own if len(rows) == own.shape[1] else own[:, rows]
            found.append(_Group.of(self.weigher.part(rows), some[kernels], rows, own))
        return found

    def shapes(self, rows: IntArray, common: Common) -> Models:
        """Models of what was measured as 1 at one point each, by number: what is beforehand known of laws."""
        values = np.full((len(rows), len(self.points), 1), np.nan)
        values[np.arange(len(rows)), rows] = 1.0
        groups = self._groups(values, ~np.isnan(values[..., 0]), np.arange(len(rows)))
        found = [group.models(group.weighed(common), common) for group in groups]
        return _in_order(found, groups)


@dataclass(frozen=True)
class _Group:
    """Kernels that were measured at much the same points, by number, and what models them at these: `values`
    (K, P, R), and the runs of those `known_of`, by number in the group, that have any."""

    weigher: Weigher
    kernels: IntArray
    rows: IntArray
    values: FloatArray
    runs: Runs
    known_of: IntArray
    known: Runs

    @classmethod
    def of(cls, weigher: Weigher, kernels: IntArray, rows: IntArray, values: FloatArray) -> "_Group":
        """Kernels by their values (K, P, R) at the weigher's points."""
        runs = summarise(values)
        known_of = np.flatnonzero(runs.total > 0)
        return _Group(weigher, kernels, rows, values, runs, known_of, runs.part(known_of))

    def lawful(self, common: Common) -> Lawful:
        """Those with runs as though none deviated, families of noise being as frequent as in common."""
        return self._weigher(common).lawful(self.known, np.log(common.by_scatter))

    def weighed(self, common: Common, lawful: Lawful | None = None, before: Weighed | None = None) -> Weighed:
        """Those with runs, processes being as frequent as they have in common; they may have been weighed
        `before` by others."""
        return self._weigher(common).weighed(self.known, lawful or self.lawful(common), before)

    def of_processes(self, weighed: Weighed, common: Common) -> FloatArray:
        """Logarithm of the evidence of each process in those that deviate, (N, K)."""
        return self._weigher(common).of_processes(weighed, self.known)

    def _weigher(self, common: Common) -> Weigher:
        processes, growths = common.by_process, common.by_growth
        return self.weigher.where(
            np.log(processes) if processes else None, np.array(growths) if growths else None
        )

    def models(self, weighed: Weighed, common: Common) -> Models:
        """Models of all of them."""
        draws = [(self.known_of[those], each) for those, each in shared_out(weighed, common)]
        return summarised(self.weigher.basis, self.values, self.runs, draws)


@dataclass(frozen=True)
class _LonePoint(_Group):
    """Kernels that were measured at one of the campaign's points each, (K,) by number in `rows`.

    Their runs tell the size there, as those of a campaign of one point do. Of the law's shape nothing is
    known but what is beforehand, which is the same for all at that point.
    """

    campaign: Evidence

    @classmethod
    def at(cls, campaign: Evidence, kernels: IntArray, at: IntArray, values: FloatArray) -> Self:
        """Some of the kernels of values at all points, (K, P, R), with values at these points."""
        weigher = Weigher.at(np.ones((1, campaign.points.shape[1])))
        group = _Group.of(weigher, kernels, at[kernels], values[kernels, at[kernels]][:, None])
        return cls(**vars(group), campaign=campaign)

    def models(self, weighed: Weighed, common: Common) -> Models:
        """See `_Group`."""
        sizes = super().models(weighed, common)
        rows, which = np.unique(self.rows, return_inverse=True)
        return shaped(sizes, self.campaign.shapes(rows, common), self.campaign.points[rows], which)


def _pooled(groups: list[_Group]) -> tuple[list[Weighed], Common]:
    """All groups weighed by what their kernels have in common, and that.

    Which processes there are around laws is learnt first, and then weighed again.
    """
    scattered = [scatter(group.known.part(repeated_kernels(group.known))) for group in groups]
    common = Common.of_scatter(frequencies(np.concatenate(scattered, axis=1)))
    lawful = [group.lawful(common) for group in groups]
    weighed = [group.weighed(common, own) for group, own in zip(groups, lawful, strict=True)]
    evidence = [
        group.of_processes(own, common)
        for group, own in zip(groups, weighed, strict=True)
        if not isinstance(group, _LonePoint)
    ]
    common = with_processes(common, groups[0].weigher.deviating.processes, evidence)
    known = [part.by_growth for own in weighed for part in own.parts if part.by_growth is not None]
    if known:
        common = with_growths(common, groups[0].weigher.growths_before, known)
    if common.by_process:
        weighed = [
            group.weighed(common, own, before)
            for group, own, before in zip(groups, lawful, weighed, strict=True)
        ]
    return weighed, pooled(common, weighed)


def _in_order(parts: list[Models], groups: list[_Group]) -> Models:
    """The models of all groups in the order of their kernels."""
    if len(parts) == 1:
        return parts[0]
    return join(parts).part(np.argsort(np.concatenate([group.kernels for group in groups])))


def _there(values: FloatArray) -> BoolArray:
    """Where kernels have values (K, P, R), (K, P)."""
    return np.asarray(~np.isnan(values).all(axis=2))


def measured_once(values: FloatArray) -> bool:
    """Whether no kernel of values (K, P, R) has more than one."""
    return bool((np.isfinite(values).sum(axis=(1, 2)) <= 1).all())
