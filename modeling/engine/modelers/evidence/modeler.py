"""The evidence modeler: the posterior over laws, with noise integrated out (docs/methods.md#evidence)."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from modeling.engine.modelers.evidence.lone_points import shaped
from modeling.engine.modelers.evidence.noise.runs import Runs, summarise
from modeling.engine.modelers.evidence.pooling import frequencies, with_growths, with_processes
from modeling.engine.modelers.evidence.repeated import Lawful, repeated_kernels, scatter
from modeling.engine.modelers.evidence.sharing import Weighed, pooled, shared_out
from modeling.engine.modelers.evidence.sparse import grouped
from modeling.engine.modelers.evidence.summary import summarised
from modeling.engine.modelers.evidence.weighing import LEARNING_DRAWS, Weigher
from modeling.engine.portions import kernels_at_once
from modeling.engine.results.common import Common
from modeling.engine.results.models import Models, join
from modeling.engine.results.posterior import DEVIATING
from modeling.engine.validation import BoolArray, FloatArray, IntArray


class Evidence:
    """Bayesian model averaging over the performance model normal form.

    Args:
        points: the values of m parameters at P points, (P, m).
        longer: whether longer laws are tried for kernels that no plain law explains. A longer law may have a
            parameter in several terms, and one more term than parameters.
        processes: indices of the parameters that are numbers of MPI processes. Steep growth with a number of
            MPI processes has a small prior probability.
    """

    def __init__(
        self,
        points: FloatArray,
        *,
        longer: bool = True,
        processes: tuple[int, ...] = (),
    ) -> None:
        self.points = points
        self.processes = processes
        self.weigher = Weigher.at(points, longer=longer, processes=processes)

    @property
    def kernels_at_once(self) -> int:
        """The number of kernels with few points that are modelled together."""
        return kernels_at_once(1, self.points.shape[1], 1)

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model K kernels from R repetitions at P points, (K, P, R). The frequencies of noise, processes,
        growth and factors come from `common`, or from these kernels if None.
        """
        return self.modelled(values, common, np.zeros(len(values), dtype=bool))

    def modelled(self, values: FloatArray, common: Common | None, surely: BoolArray) -> Models:
        """Model the kernels of `values` (K, P, R). The kernels marked in `surely` (K,) are modelled with
        deviations, the others only if they probably deviate from their likeliest law (`weighing.DEVIATES`).
        """
        with np.errstate(all="ignore"):
            groups = self._with_lone_points(values, surely)
            if common is None:
                weighed, common = _pooled(groups)
                common = replace(common, once=measured_once(values))
                parts = [group.models(own, common) for group, own in zip(groups, weighed, strict=True)]
            else:
                parts = [group.models(group.weighed(common), common) for group in groups]
        return replace(_in_order(parts, groups), common=common)

    def expected(self, values: FloatArray, at: IntArray) -> FloatArray:
        """Predict one value for each of K kernels, (K,), from R repetitions at P points, (K, P, R). Kernel k
        is predicted at the point `at[k]`. The likeliest laws are fitted by least squares. The prediction is 0
        for kernels with only zeros, and NaN for kernels without values.
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

    def _with_lone_points(self, values: FloatArray, surely: BoolArray) -> "list[_Group]":
        """Group the kernels. Kernels with positive values at only one of several points form the last
        group.
        """
        positive = (values > 0).any(axis=2)
        alone = (positive.sum(axis=1) == 1) & (values.shape[1] > 1)
        there = _there(values)
        groups = self._groups(values, there, np.flatnonzero(~alone), surely)
        if alone.any():
            groups.append(_LonePoint.at(self, np.flatnonzero(alone), positive.argmax(axis=1), values))
        return [group for group in groups if len(group.kernels)] or groups

    def _groups(
        self, values: FloatArray, there: BoolArray, some: IntArray, surely: BoolArray | None = None
    ) -> "list[_Group]":
        """Group the kernels `some` by their measured points `there`."""
        found = []
        surely = np.zeros(len(values), dtype=bool) if surely is None else surely
        for kernels, rows in grouped(there[some]):
            own = values if len(kernels) == len(values) else values[some[kernels]]
            own = own if len(rows) == own.shape[1] else own[:, rows]
            found.append(_Group.of(self.weigher.part(rows), some[kernels], rows, own, surely[some[kernels]]))
        return found

    def shapes(self, rows: IntArray, common: Common) -> Models:
        """Return one model for each of the points `rows`: of a kernel with the value 1 at this point only.
        Laws follow the prior.
        """
        values = np.full((len(rows), len(self.points), 1), np.nan)
        values[np.arange(len(rows)), rows] = 1.0
        groups = self._groups(values, ~np.isnan(values[..., 0]), np.arange(len(rows)))
        found = [group.models(group.weighed(common), common) for group in groups]
        return _in_order(found, groups)


@dataclass(frozen=True)
class _Group:
    """Kernels that were measured at nearly the same points.

    `kernels` (K,) and `rows` are the indices of the kernels and of the points in the campaign. `values` (K,
    P, R) are the kernels' values at these points, and `weigher` draws laws there. `known_of` has the indices,
    in the group, of kernels with any positive value. `known` has the repetitions of these kernels. `surely`
    marks the ones that are modelled with deviations whatever their values are.
    """

    weigher: Weigher
    kernels: IntArray
    rows: IntArray
    values: FloatArray
    runs: Runs
    known_of: IntArray
    known: Runs
    surely: BoolArray

    @classmethod
    def of(
        cls, weigher: Weigher, kernels: IntArray, rows: IntArray, values: FloatArray, surely: BoolArray
    ) -> "_Group":
        """Make a group of kernels with values (K, P, R) at the weigher's points."""
        runs = summarise(values)
        some = np.flatnonzero(runs.total > 0)
        return _Group(weigher, kernels, rows, values, runs, some, runs.part(some), surely[some])

    def lawful(self, common: Common) -> Lawful:
        """Draw laws as if no kernel deviated."""
        return self._weigher(common).lawful(self.known, common)

    def weighed(self, common: Common, lawful: Lawful | None = None, before: Weighed | None = None) -> Weighed:
        """Draw laws under all kinds of noise. `before` is the result of an earlier call, if any."""
        lawful = lawful or self.lawful(common)
        return self._weigher(common).weighed(self.known, lawful, self.surely, before)

    def without_rare_families(self, common: Common, lawful: Lawful, weighed: Weighed) -> Weighed:
        """Return `weighed` without the draws under families of noise that are not tried once their
        frequencies among laws are known. The results are the same as with these frequencies from the start.
        """
        weigher, some = self._weigher(common), lawful.where(self.known, common)
        kernels = weigher.deviating_kernels(some, self.known, self.surely)
        deviating = [part for part in weighed.parts if part.family == DEVIATING]
        if not np.array_equal(kernels, np.concatenate([kernels[:0], *(part.kernels for part in deviating)])):
            return weigher.weighed(self.known, some, self.surely, weighed)
        return replace(weighed, parts=[*some.parts, *deviating])

    def learning(self, common: Common, lawful: Lawful) -> Weighed:
        """Draw fewer laws, only to learn the frequencies of processes."""
        return self._weigher(common).weighed(self.known, lawful, self.surely, draws=LEARNING_DRAWS)

    def of_processes(self, weighed: Weighed, common: Common) -> FloatArray:
        """Return the log evidence of N processes in the K kernels that deviate, (N, K)."""
        return self._weigher(common).of_processes(weighed, self.known)

    def _weigher(self, common: Common) -> Weigher:
        processes, growths = common.by_process, common.by_growth
        return self.weigher.where(
            np.log(processes) if processes else None, np.array(growths) if growths else None
        )

    def models(self, weighed: Weighed, common: Common) -> Models:
        """Return models of all kernels of the group."""
        draws = [(self.known_of[those], each) for those, each in shared_out(weighed, common)]
        return summarised(self.weigher.basis, self.values, self.runs, draws)


@dataclass(frozen=True)
class _LonePoint(_Group):
    """Kernels with positive values at only one of several points: kernel k at the point `rows[k]`."""

    campaign: Evidence

    @classmethod
    def at(cls, campaign: Evidence, kernels: IntArray, at: IntArray, values: FloatArray) -> Self:
        """Make a group of `kernels`. Kernel k was measured at the point `at[k]` only."""
        weigher = Weigher.at(np.ones((1, campaign.points.shape[1])))
        own, surely = values[kernels, at[kernels]][:, None], np.zeros(len(kernels), dtype=bool)
        group = _Group.of(weigher, kernels, at[kernels], own, surely)
        return cls(**vars(group), campaign=campaign)

    def models(self, weighed: Weighed, common: Common) -> Models:
        """See `_Group`."""
        sizes = super().models(weighed, common)
        rows, which = np.unique(self.rows, return_inverse=True)
        return shaped(sizes, self.campaign.shapes(rows, common), self.campaign.points[rows], which)


def _pooled(groups: list[_Group]) -> tuple[list[Weighed], Common]:
    """Draw laws for all groups, and learn the frequencies that their kernels share."""
    scattered = [scatter(group.known.part(repeated_kernels(group.known))) for group in groups]
    common = Common.of_scatter(frequencies(np.concatenate(scattered, axis=1)))
    lawful = [group.lawful(common) for group in groups]
    weighed = [group.learning(common, own) for group, own in zip(groups, lawful, strict=True)]
    evidence = [
        group.of_processes(own, common)
        for group, own in zip(groups, weighed, strict=True)
        if not isinstance(group, _LonePoint)
    ]
    common = with_processes(common, groups[0].weigher.deviating.processes, evidence)
    known = [part.by_growth for own in weighed for part in own.parts if part.by_growth is not None]
    if known:
        common = with_growths(common, groups[0].weigher.growths_before, known)
    weighed = [
        group.weighed(common, own, before) for group, own, before in zip(groups, lawful, weighed, strict=True)
    ]
    common = pooled(common, weighed)
    weighed = [
        group.without_rare_families(common, own, found)
        for group, own, found in zip(groups, lawful, weighed, strict=True)
    ]
    return weighed, common


def _in_order(parts: list[Models], groups: list[_Group]) -> Models:
    """Join the models of all groups, in the order of the kernels."""
    return parts[0] if len(parts) == 1 else join(parts, [group.kernels for group in groups])


def _there(values: FloatArray) -> BoolArray:
    """Return whether each kernel of values (K, P, R) has a value at each point, (K, P)."""
    return np.asarray(~np.isnan(values).all(axis=2))


def measured_once(values: FloatArray) -> bool:
    """Return whether no kernel has more than one value. `values` (K, P, R) has K kernels, P points, R
    repetitions.
    """
    return bool((np.isfinite(values).sum(axis=(1, 2)) <= 1).all())
