"""Model kernels that change their behaviour inside the measured range, with a law for each segment of this
range. Breaks are searched for along every parameter with enough values. With several parameters, the mean of
the lines along a parameter is used. It has the form a + b · term if each line has this form.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from modeling.engine.measured.layout import Axis, axes, patterns
from modeling.engine.modelers.evidence.modeler import Evidence
from modeling.engine.modelers.evidence.noise.runs import summarise
from modeling.engine.modelers.segmented.breaks import SHORTEST_SEGMENT, find_breaks
from modeling.engine.results.common import Common
from modeling.engine.results.models import SEGMENTED, Models, join
from modeling.engine.results.posterior import DEVIATING, Posterior, join_posteriors
from modeling.engine.results.segments import Segments
from modeling.engine.validation import BoolArray, FloatArray, IntArray

SEGMENTED_PROBABILITY = 0.6
"""The probability of several segments from which a kernel is modelled by segments."""

SURELY_DEVIATE = 1
"""With at most this number of parameters, segments are always modelled with deviations. A kernel that left
its law once may do so again.

Without deviations, intervals of such kernels contained only 60 % of the first values beyond the measured
range, and 31 % of the second ones (19 and 17 kernels of public campaigns). With several parameters,
deviations would give all segmented kernels trends, and the errors of predictions of MPI collectives would be
35 instead of 21 %.
"""


class SegmentedEvidence(Evidence):
    """The evidence modeler, with a law for each segment of the range if no single law describes all
    values.
    """

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model K kernels from R repetitions at P points, (K, P, R). Frequencies that kernels share are taken
        from `common`, or learned if `common` is None: from kernels with one law, and from each segment of the
        others.
        """
        parts = find_segments(self.points, values)
        if parts is None:
            return super().__call__(values, common)
        of_segments = _within(values[parts.kernel], parts.inside(self.points))
        whole, cut = parts.uncut(len(values)), np.unique(parts.kernel)
        every = super().__call__(np.concatenate([values[whole], of_segments]), common)
        uncut, fitted = every.part(np.arange(len(whole))), every.part(np.arange(len(whole), len(every)))
        if self.points.shape[1] <= SURELY_DEVIATE:
            fitted = replace(fitted, posterior=_deviating(self, of_segments, fitted))
        as_one = join([uncut, super().__call__(values[cut], every.common)], [whole, cut])
        return replace(_with_segments(uncut, parts, fitted), **_whole(as_one, parts, fitted))

    def predicting(self, values: FloatArray, common: Common) -> Models:
        """Model the kernels of `values` (K, P, R) only for predictions, in half the time of a call. Formulas
        and errors of segmented kernels are those of their last segment alone.
        """
        parts = find_segments(self.points, values)
        if parts is None:
            return super().__call__(values, common)
        whole = parts.uncut(len(values))
        every = np.concatenate([values[whole], _within(values[parts.kernel], parts.inside(self.points))])
        rows = np.arange(len(every))
        surely = (rows >= len(whole)) & (self.points.shape[1] <= SURELY_DEVIATE)
        fitted = self.modelled(every, common, surely)
        return _with_segments(fitted.part(rows[: len(whole)]), parts, fitted.part(rows[len(whole) :]))

    def expected(self, values: FloatArray, at: IntArray) -> FloatArray:
        """Predict one value for each of K kernels, (K,), from R repetitions at P points, (K, P, R). Kernel k
        is predicted at the point `at[k]`, by the likeliest laws of the segment with this point.
        """
        said = super().expected(values, at)
        parts = find_segments(self.points, values)
        if parts is None:
            return said
        inside = parts.inside(self.points)
        some = np.flatnonzero(inside[np.arange(len(inside)), at[parts.kernel]])
        kernels = parts.kernel[some]
        said[kernels] = super().expected(_within(values[kernels], inside[some]), at[kernels])
        return said


def _deviating(evidence: Evidence, values: FloatArray, models: Models) -> Posterior | None:
    """Return the posterior of kernels of `values` (K, P, R), all modelled with deviations from their laws.
    `models` are those in which only some kernels deviate.
    """
    posterior = models.posterior
    if posterior is None:
        return None
    deviates = (posterior.family == DEVIATING).all(axis=1)
    rest, others = np.flatnonzero(deviates), np.flatnonzero(~deviates)
    if not len(others):
        return posterior
    surely = evidence.modelled(values[others], models.common, np.ones(len(others), dtype=bool)).posterior
    return surely and join_posteriors([posterior.part(rest), surely], [rest, others])


def _with_segments(whole: Models, parts: "Parts", fitted: Models) -> Models:
    """Return models of all kernels: those without segments, `whole`, and the others with the laws `fitted` to
    their segments.
    """
    last, earlier = (np.flatnonzero(each) for each in (np.isnan(parts.following), ~np.isnan(parts.following)))
    several = parts.kernel[last]
    rest = np.setdiff1d(np.arange(len(whole) + len(several)), several)
    kept = {field.name: getattr(parts, field.name)[earlier] for field in fields(Parts)}
    segments = Segments(**kept, models=fitted.part(earlier))
    return replace(join([whole, fitted.part(last)], [rest, several]), segments=segments)


@dataclass(frozen=True)
class _Cuts:
    """Where the segments of kernels begin along one parameter, and the probability of several segments."""

    parameter: int
    x: FloatArray
    begins: BoolArray
    probability: FloatArray

    @classmethod
    def along(cls, parameter: int, axis: Axis, values: FloatArray) -> "_Cuts":
        """Find the segments of kernels along a parameter."""
        x, kernels = axis.x, len(values)
        y, there, variance = _profile(axis, values)
        cuts = cls(parameter, x, np.zeros((len(x), kernels), dtype=bool), np.zeros(kernels))
        for pattern, some in patterns(there):
            measured = np.flatnonzero(pattern)
            if len(measured) < 2 * SHORTEST_SEGMENT:
                continue
            with np.errstate(all="ignore"):
                breaks = find_breaks(x[measured], y[np.ix_(measured, some)], variance[some])
            cuts.probability[some] = 1 - breaks.probability[0]
            segments = breaks.probability[1:].argmax(axis=0) + 1
            starts = breaks.starts[segments, :, np.arange(len(some))]
            cuts.begins[measured[starts], some[:, None]] = True
        return cuts

    def parts(self, kernels: IntArray) -> "Parts":
        """Return the segments of these kernels."""
        begins = self.begins[:, kernels]
        which, value = np.nonzero(begins.T)
        more = np.append(which[1:] == which[:-1], np.zeros(len(which[:1]), dtype=bool))
        after = np.where(more, np.roll(value, -1), len(self.x))
        return Parts(
            kernel=kernels[which],
            number=np.cumsum(begins, axis=0)[value, which] - 1,
            parameter=np.full(len(which), self.parameter),
            first=self.x[value],
            last=self.x[after - 1],
            following=np.append(self.x, np.nan)[after],
            probability=self.probability[kernels][which],
        )


def _profile(axis: Axis, values: FloatArray) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Return the mean of the longest lines along a parameter, where it is known, and its relative
    variance.
    """
    runs = summarise(values)
    w = (runs.count > 0).astype(float)
    y = np.exp(runs.log_mean) * w
    of_line = axis.on_line(y) / np.maximum(axis.on_line(w), 1)
    of_line[of_line == 0] = 1
    profile, there = axis.average(y / of_line[axis.line_of_point], w)
    freedom = np.maximum(runs.count - 1, 0).sum(axis=0)
    of_run = np.where(freedom > 0, runs.log_spread.sum(axis=0) / np.maximum(freedom, 1), 0.0)
    of_point = of_run * (w / np.maximum(runs.count, 1)).sum(axis=0) / np.maximum(w.sum(axis=0), 1)
    return profile, there > 0, of_point / axis.lines_averaged(w)


@dataclass(frozen=True)
class Parts:
    """The N segments of all kernels that have several segments, ordered by kernel and value. All fields are
    (N,).

    Attributes:
        kernel: the index of the kernel.
        number: the number of the segment within its kernel, from 0.
        parameter: the parameter along which the kernel is cut.
        first: the smallest value of the parameter in the segment.
        last: the largest value of the parameter in the segment.
        following: the first value of the next segment, NaN for the last segment.
        probability: the probability that the kernel has several segments.
    """

    kernel: IntArray
    number: IntArray
    parameter: IntArray
    first: FloatArray
    last: FloatArray
    following: FloatArray  # NaN for the last segment
    probability: FloatArray

    def uncut(self, kernels: int) -> IntArray:
        """Return the indices of those among `kernels` kernels that have no segments."""
        return np.setdiff1d(np.arange(kernels), self.kernel)

    def inside(self, points: FloatArray) -> BoolArray:
        """Return which of P points with m parameters, (P, m), are in each of N segments, (N, P)."""
        x = points.T[self.parameter]
        return np.asarray((x >= self.first[:, None]) & ~(x >= self.following[:, None]))


def find_segments(points: FloatArray, values: FloatArray) -> "Parts | None":
    """Find the segments of K kernels with R repetitions at P points, (K, P, R). Each kernel is cut along the
    parameter with the most probable segments. The result is None if no kernel has several segments.
    """
    if not ((values > 0).any(axis=2).sum(axis=1) >= 2 * SHORTEST_SEGMENT).any():
        return None
    cuts = [
        _Cuts.along(parameter, axis, values)
        for parameter, axis in enumerate(axes(points))
        if len(axis.x) >= 2 * SHORTEST_SEGMENT
    ]
    if not cuts:
        return None
    probability = np.array([cut.probability for cut in cuts])
    clearest = np.where(probability.max(axis=0) >= SEGMENTED_PROBABILITY, probability.argmax(axis=0), -1)
    if (clearest < 0).all():
        return None
    parts = [cut.parts(np.flatnonzero(clearest == number)) for number, cut in enumerate(cuts)]
    names = [field.name for field in fields(Parts)]
    return Parts(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _within(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Return the values of segments, with NaN at points outside."""
    return np.where(inside[..., None], values, np.nan)


def _whole(models: Models, parts: Parts, fitted: Models) -> dict[str, Any]:
    """Return the fields of `Models`, such as errors, that describe all segments of a kernel together.
    `models` have one law for each kernel, and `fitted` one for each segment.
    """
    several = np.zeros(len(models), dtype=bool)
    several[parts.kernel] = True
    points = _summed(fitted.points_used, parts, several)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = models.rss / (1 - models.r_squared)
    rss = _summed(fitted.rss, parts, several)
    whole = {
        name: np.where(
            several,
            _summed(getattr(fitted, name) * fitted.points_used, parts, several) / np.maximum(points, 1),
            getattr(models, name),
        )
        for name in ("smape", "relative_error", "cv_smape")
    }
    return whole | {
        "status": np.where(several, SEGMENTED, models.status),
        "points_used": models.points_used,
        "noise": models.noise,
        "holdout_error": models.holdout_error,
        "rss": np.where(several, rss, models.rss),
        "r_squared": np.where(
            several & (total > 0), 1 - rss / np.where(total > 0, total, 1), models.r_squared
        ),
    }


def _summed(of_segment: FloatArray | IntArray, parts: Parts, several: BoolArray) -> FloatArray:
    """Sum a quantity of each segment over the segments of each kernel."""
    return np.asarray(np.bincount(parts.kernel, of_segment, len(several)), dtype=float)
