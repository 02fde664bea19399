"""The comparison of two campaigns: which kernels changed, and by how much."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.changes.change_evidence import levels
from modeling.engine.changes.judgement import Judgement, judge, undecided
from modeling.engine.changes.law_ratio import LEAST_SHARE, law_draws, law_ratio_draws, mixed_ratio
from modeling.engine.changes.learning import ENOUGH_KERNELS, shared
from modeling.engine.changes.likelihood import Levels, join_levels
from modeling.engine.changes.located import best_location, located
from modeling.engine.changes.locations import Location
from modeling.engine.changes.log_ratios import LogRatios, log_ratios
from modeling.engine.changes.overhead import Overheads, divided, no_overheads, recognisable
from modeling.engine.changes.pair import Measured, Pair, Sides, checked_pair
from modeling.engine.changes.point_shifts import point_shifts
from modeling.engine.changes.shared_change import Shared
from modeling.engine.changes.shared_growth import shared_growth
from modeling.engine.changes.usual_drift import UsualDrift
from modeling.engine.validation import FloatArray, check_evaluation_points, check_level

KINDS = ("same", "factor", "law", "overhead")

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Changes:
    """The differences of K kernels between two campaigns, before and after.

    The kinds "factor", "overhead" and "law" are those of the package's docstring. Ratios of kernels are
    relative to the `shift`.

    A kernel without log ratios at common points is "unknown". Its ratio is that of the laws before and after,
    if known. A kernel is also "unknown" if either the shift or a change of its own may explain its ratio
    (see `judgement.undecided`). The ratio then includes the shift.
    """

    kind: NDArray[np.str_]  # (K,) one of `KINDS`, or `UNKNOWN`
    ratio: FloatArray  # (K,) after / before at the target, NaN if unknown
    ratio_interval: FloatArray  # (K, 2) bounds of the ratio
    probability: FloatArray  # (K,) probability that the kernel changed, NaN without log ratios
    probabilities: FloatArray  # (K, 4) of same, factor, law, overhead
    shift: float  # after / before of unchanged kernels
    shift_interval: FloatArray  # (2,) the 95 % interval of the shift
    growth: FloatArray  # (m, 3) exponents of the shift for m parameters, see `shared_growth`


def compare(
    before: Measured,
    after: Measured,
    *,
    target: ArrayLike,
    level: float = 0.95,
    common: Shared | None = None,
    usual: UsualDrift | None = None,
) -> Changes:
    """Decide for each of K kernels whether it is the same in two campaigns, or how it changed.

    The verdict is based on the log ratios at common points. The probability of being the same with which a
    kernel is reported as changed is limited (see `verdict_threshold`). A kernel with another factor counts as
    the same if the interval of its ratio contains 1.

    Args:
        before, after: points (P, m) and values (K, P, R) of the same kernels. P and R may differ.
        target: (m,) point at which ratios are computed.
        level: probability of the intervals of ratios.
        common: result of `compare_common` for all kernels; None if `before` and `after` contain all kernels.
        usual: drift of earlier campaigns. It is only used if `common` is None.

    Raises:
        ValueError: as in `fit`; or kernels or parameters differ in number, or the target or the level is
            wrong.
    """
    check_level(level)
    pair = checked_pair(before, after)
    wanted = check_evaluation_points(target, pair.old[0].shape[1])
    ratios, location = _ratios(pair.sides(), common.location if common else None)
    points = common.points if common else point_shifts(ratios)
    found = _levels(ratios, points, pair.columns)
    known = common or replace(
        shared(found, points, location, usual), growth=shared_growth(ratios, pair.common_points)
    )
    judged = _with_untouched(ratios, found, judge(found, known), known, pair.columns)
    judged, overheads = _divided(pair, ratios, found, judged, known)
    probabilities = judged.probabilities
    probabilities[~found.known] = np.nan
    effects = _effects(pair, known, judged, overheads, target=wanted, level=level)
    nothing = np.concatenate([each.nothing.any(axis=0) for each in ratios]) & ~found.known
    probabilities[nothing], effects[nothing] = (1.0, 0.0, 0.0, 0.0), np.nan
    kind = _kinds(probabilities, known)
    differs, measured = undecided(found, judged, known)
    differs &= kind == KINDS[0]
    effects[differs] = _bounds(measured, level)[differs]
    with np.errstate(over="ignore"):
        ratio = np.exp(effects)
    shift = np.exp(known.shift)
    changed = 1.0 - probabilities[:, 0]
    kind[(kind == KINDS[1]) & (ratio[:, 1] <= 1) & (ratio[:, 2] >= 1)] = KINDS[0]
    kind[differs] = UNKNOWN
    return Changes(
        kind, ratio[:, 0], ratio[:, 1:], changed, probabilities, float(shift[0]), shift[1:], known.growth
    )


def compare_common(parts: Iterable[tuple[Measured, Measured]], usual: UsualDrift | None = None) -> Shared:
    """Return the properties that all kernels of two campaigns share, for the argument `common` of `compare`.

    The result does not depend on the division into parts. Only log ratios and their noise are kept in memory.

    Args:
        parts: pairs of `before` and `after` as for `compare`. Each kernel must be in one part.
        usual: drift of earlier campaigns.

    Raises:
        ValueError: as in `compare`, or there are no parts.
    """
    columns = common_points = None

    def sides() -> Iterator[Sides]:
        nonlocal columns, common_points
        for before, after in parts:
            pair = checked_pair(before, after)
            columns, common_points = pair.columns, pair.common_points
            yield from pair.sides()

    found, location = _ratios(sides())
    if columns is None or common_points is None:
        raise ValueError("parts: found none, expected the measurements of at least one kernel")
    points = point_shifts(found)
    known = shared(_levels(found, points, columns), points, location, usual)
    return replace(known, growth=shared_growth(found, common_points))


def _ratios(sides: Iterable[Sides], location: Location | None = None) -> tuple[list[LogRatios], Location]:
    """Return all log ratios and their location: `location`, or else the best one for the first kernels."""
    found: list[LogRatios] = []
    waiting: list[Sides] = []
    for each in sides:
        waiting.append(each)
        if location is None and sum(old.count.shape[0] for old, _ in waiting) >= ENOUGH_KERNELS:
            location = best_location(waiting, ENOUGH_KERNELS)
        if location is not None:
            found += [log_ratios(*those, location) for those in waiting]
            waiting = []
    location = location or best_location(waiting, ENOUGH_KERNELS)
    return found + [log_ratios(*those, location) for those in waiting], location


def _levels(ratios: list[LogRatios], points: FloatArray, columns: FloatArray) -> Levels:
    """Return the levels of all kernels after the shifts of single points are removed."""
    return join_levels([levels(each.shifted(points), columns) for each in ratios])


def _with_untouched(
    ratios: list[LogRatios], found: Levels, judged: Judgement, known: Shared, columns: FloatArray
) -> Judgement:
    """Judge again the kernels that seem changed: perhaps the shift did not affect them.

    If it did not, their factors are computed from ratios that include the shift.
    """
    some = np.flatnonzero(found.known & (judged.probabilities[:, 0] <= known.most))
    if not len(some):
        return judged
    starts = np.cumsum([0, *(part.d.shape[1] for part in ratios)])
    raw = join_levels(
        [
            levels(part.part(some[(some >= start) & (some < end)] - start), columns)
            for part, start, end in zip(ratios, starts, starts[1:], strict=False)
        ]
    )
    again = judge(found.part(some), known, raw).probabilities
    spared = again[:, 0] > known.most
    at_rest = replace(known, alternatives=replace(known.alternatives, shift=0 * known.alternatives.shift))
    probabilities, factor = judged.probabilities.copy(), judged.factor.copy()
    probabilities[some[spared]] = again[spared]
    factor[some[spared]] = judge(raw.part(np.flatnonzero(spared)), at_rest).factor
    return replace(judged, probabilities=probabilities, factor=factor)


def _kinds(probabilities: FloatArray, known: Shared) -> NDArray[np.str_]:
    # If a law and another change are equally probable, the law is reported as the more serious change.
    likeliest = np.nan_to_num(probabilities[:, [2, 3, 1]]).argmax(axis=1)
    changed = np.array(KINDS)[np.array([2, 3, 1])[likeliest]]
    kind = np.where(probabilities[:, 0] > known.most, KINDS[0], changed)
    return np.where(np.isnan(probabilities[:, 0]), UNKNOWN, kind)


def _divided(
    pair: Pair, ratios: list[LogRatios], found: Levels, judged: Judgement, known: Shared
) -> tuple[Judgement, Overheads]:
    """Add the probability that the overhead changed to the judgement, and return the overheads."""
    probabilities = np.pad(judged.probabilities, ((0, 0), (0, 1)))
    overheads = no_overheads(len(probabilities))
    changed, start = found.known & (probabilities[:, 0] <= known.most), 0
    for part in ratios:
        own = np.flatnonzero(changed[start : start + part.d.shape[1]])
        some, chosen = own + start, part.shifted(known.points).part(own)
        start += part.d.shape[1]
        before = located(pair.old[1][some][:, pair.places[:, 0]], known.location).location.T
        may_have = recognisable(pair.common_points, before, chosen)
        if len(may_have):
            at = some[may_have]
            ratios_of_part, values = chosen.part(may_have), before[:, may_have]
            of_part = divided(ratios_of_part, values, found.part(at), judged.part(at), known)
            probabilities[at], overheads = of_part[0], overheads.replaced(at, of_part[1])
    return replace(judged, probabilities=probabilities), overheads


def _effects(
    pair: Pair, known: Shared, judged: Judgement, overheads: Overheads, *, target: FloatArray, level: float
) -> FloatArray:
    """Return the log ratios at the target with their bounds, (kernels, 3).

    The distribution of a ratio is a mixture for three causes: factor, law and overhead. The bounds contain
    the interval of each cause that is not improbable, so that they hold for changed laws, too. Without log
    ratios at common points, only the laws count.
    """
    effects = _bounds(judged.factor, level)
    of_laws = judged.probabilities[:, 2:]
    law, overhead = np.where(np.isnan(of_laws), [1.0, 0.0], of_laws).T
    some = np.flatnonzero(law + overhead > LEAST_SHARE)
    if len(some):
        old, new = law_draws(*pair.unshifted(some, known), target, judged.scatter[some], known.location)
        laws = law_ratio_draws(old, new, known.drift_variance)
        added = overheads.part(some).log_ratios(old, new)
        shares = law[some], overhead[some]
        effects[some] = mixed_ratio((laws, added), shares, judged.factor[some], level)
    return effects


def _bounds(normal: FloatArray, level: float) -> FloatArray:
    """Return means with the bounds of their normal intervals, for pairs of mean and variance."""
    mean, variance = normal.T
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance)
    found: FloatArray = mean[:, None] + np.multiply.outer(half, [0.0, -1.0, 1.0])
    return found
