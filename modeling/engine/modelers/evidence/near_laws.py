"""Search for laws near kernels that deviate, or that were measured once.

Kernels of several parameters deviate from the laws found: plain laws or, if they were measured once, also
sums of two terms. Kernels of one parameter have exact posteriors of their own (module `draws.exact`), whose
shapes are a lattice. The nearest shape may miss values by more than the noise. So laws with any coefficients
are tried, too, if they follow the values closely.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from modeling.engine.modelers.evidence.draws.deviations import Deviating, log_sum
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import points_for_more
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, rescored
from modeling.engine.modelers.evidence.noise.runs import Runs
from modeling.engine.modelers.evidence.repeated import best_values
from modeling.engine.modelers.evidence.search.alternating import IN_TERMS, alternated
from modeling.engine.modelers.evidence.search.extension import paired, rising_again
from modeling.engine.modelers.evidence.search.likely_laws import search
from modeling.engine.validation import BoolArray, FloatArray, IntArray

MANY_VALUES = 7
LAWFUL_DEVIATION, LAWFUL_DEVIATION_OF_MANY = 0.003, 0.01
"""Below this relative deviation, a kernel may follow a law closely. The second limit is for kernels with at
least `MANY_VALUES` used values.

With the first limit for all, intervals of kernels measured once at seven points, with noise of 0.5 %, are a
factor of 1.5 instead of 1.06 wide at four times the largest value. With 0.03 for many values, smooth
deviations of 30 % count as laws with several terms. Few values may lie near a law by chance: with the second
limit for all, intervals of one public campaign contain 80 instead of 92 % of the first values beyond the
measured range.
"""

RISING_AGAIN_DEVIATION = 0.03
"""The same limit for laws that fall and rise again, with any number of values.

Kernels b/p + c·p that were measured once from p = 8 to 512, with noise of 2 %, are then predicted 1.5 instead
of 39 % wrong at 16 times the largest p, with intervals of a factor of 1.2 instead of 2,000. With 0.06, errors
at the first value beyond the data of 22 public campaigns are 6.75 instead of 6.68 %.
"""

SUM_DEVIATION, SUM_DEVIATION_OF_MANY = 0.001, 0.003
"""The same limits for sums of two terms. Counted values, such as visits and bytes, follow such sums exactly.

With 0.003 for few values, the interval score of 22 public campaigns is 1.34 instead of 1.29 at the first
value beyond the data, because smooth deviations of a few values often lie near some sum.
"""

FEWEST_VALUES_OF_SUMS = 5
"""Kernels with fewer values have no sums of two terms: three coefficients and two exponents would fit any."""

SUM_ERROR = 3e-4
"""The relative error of values that is assumed in the search for sums of two terms."""

LEAST_FALL = 1 / 4
"""Laws that fall and rise again are tried if the first used values fall at least with this power. Otherwise,
smooth deviations of 30 % from a constant would often count as such laws.
"""

NOISE_FACTOR = 3.0
"""Deviations of up to this number of standard errors do not prevent a kernel from following a law closely.

Without this allowance, up to 3 % of 400 noisy kernels with a constant and a steep term are predicted 10 to
500 times too small at four times the largest value. With the allowance, at most 0.3 % are. The value 4 gives
the same results, but takes up to a fifth longer.
"""

LEAST_GAIN = 15.0
"""Kernels of several parameters that were measured once follow a sum of two terms if its log likelihood is
larger than that of their plain law by more than this. Both are summed over all processes of deviations.

With 6, smooth waves of 5 % around plain laws are taken for sums, and 88 instead of 99 % of the intervals at
16 times the measured values contain the truth. With 30, 85 instead of 91 % of those for counts at nine points
do.
"""

DEGREE, FREEDOM, SMOOTHER = 3, 3, 2.0
"""Sums are searched for if the variance around a polynomial of the logarithms is below that around the plain
law, by more than the factor `SMOOTHER`. The polynomial has at most this degree, and leaves this number of
degrees of freedom. Values that only noise moves off a plain law seldom fulfil this. Without this condition,
campaigns measured once take three times as long.
"""

NEAR_LAW_FACTOR = 4.0
"""Closer laws are tried if the first law's deviation, apart from noise, is below this multiple of
its limit (`LAWFUL_DEVIATION`).
"""


@dataclass(frozen=True)
class NearLaws:
    """Searches for laws at the points of a basis."""

    basis: Basis
    deviating: Deviating

    def of(self, runs: Runs, values: FloatArray, known: Laws) -> tuple[Laws, Located]:
        """Return laws of K kernels, and the values of the points with the variance of their deviations.

        With one parameter, the variance is infinite for kernels that follow no law closely. `known` has one
        law of each kernel, and `values` (P, K) its values at P points, which are NaN where no law is known.
        """
        unknown = np.flatnonzero(np.isnan(values).any(axis=0))
        if len(unknown):
            own = self.deviating.locate(runs.part(unknown))
            laws = search(self.basis, own)
            known.classes[:, :, 0, unknown], values[:, unknown] = best_values(self.basis, laws, own)
        located = self.deviating.relocate(values, runs)
        if self.basis.parameter_count == 1:
            return self._close(runs, located, known)
        if self.basis.parameter_count in IN_TERMS:
            return self._of_several(runs, located, known)
        return self._around(runs, located, known)

    def _of_several(self, runs: Runs, located: Located, known: Laws) -> tuple[Laws, Located]:
        """Return laws of kernels of two or three parameters. Kernels measured once get sums of two terms if
        these are much likelier than plain laws with smooth deviations (`LEAST_GAIN`).
        """
        found = self._around(runs, located, known)
        enough = np.isfinite(located.variance).sum(axis=0) >= points_for_more(self.basis.parameter_count)
        once = _of_noise(runs) == 0  # or all repetitions are equal, as counts often are
        some = np.flatnonzero(enough & once & self._is_smoother(found[1]))
        if not len(some):
            return found
        own, plain = runs.part(some), (found[0].part(some), found[1].part(some))
        sums = self._sums(own, located.part(some), known.part(some))
        laws = np.stack([best_values(self.basis, *each)[1] for each in (plain, sums)], axis=1)
        likelihood = log_sum(self.deviating.likelihoods(laws, own).astype(float), axis=1)
        likelier = np.flatnonzero(likelihood[:, 1] - likelihood[:, 0] > LEAST_GAIN)
        return _with(found, some[likelier], sums, likelier)

    def _is_smoother(self, near: Located) -> BoolArray:
        """Return whether the values of K kernels may be smoother than their distances from plain laws show,
        (K,): whether a polynomial of the logarithms comes closer (`SMOOTHER`). It is True for kernels that
        were not measured at all points.
        """
        logs = np.log(self.basis.points)
        columns = [np.ones(len(logs))]
        for degree in range(1, DEGREE + 1):
            factors = combinations_with_replacement(logs.T, degree)
            more = [np.prod(each, axis=0) for each in factors]
            if len(columns) + len(more) + FREEDOM > len(logs):
                break
            columns += more
        directions = np.linalg.qr(np.stack(columns, axis=1))[0]
        y = np.log(near.y)
        rest = y - directions @ (directions.T @ y)
        variance = (rest**2).sum(axis=0) / (len(logs) - len(columns))
        whole = np.isfinite(near.variance).all(axis=0)
        return np.asarray(~whole | (SMOOTHER * variance < _mean_variance(near)))

    def _around(self, runs: Runs, located: Located, known: Laws) -> tuple[Laws, Located]:
        """Search near the laws `known`."""
        return self._relocated(runs, located, search(self.basis, located, known, again=False))

    def _close(self, runs: Runs, located: Located, known: Laws) -> tuple[Laws, Located]:
        """Return laws of kernels of one parameter that may follow a law closely.

        Closer laws are tried if the law in `known` is near the values or uncertain. A law is uncertain if it
        was also fitted to points that are not used (`near_points`), or if the kernel has no repetitions.
        """
        points = (runs.count > 0).sum(axis=0)
        enough = points > 2  # any law of two coefficients fits two points
        unsure = (np.isfinite(located.variance).sum(axis=0) < points) | (runs.total == points)
        limit = _lawful_deviation(located)
        least = (NEAR_LAW_FACTOR * limit) ** 2 + _of_noise(runs)
        begun = enough & (unsure | (_mean_variance(located) < least))
        precise = (points >= FEWEST_VALUES_OF_SUMS) & (_of_noise(runs) < SUM_DEVIATION_OF_MANY**2)
        left = np.ones(len(points), dtype=bool)
        found = known, Located(located.y, np.full_like(located.variance, np.inf))
        for find, most, tried in (
            (self._around, limit, begun),
            (self._sums, _limits(located, SUM_DEVIATION, SUM_DEVIATION_OF_MANY), precise),
            (
                self._rising_again,
                np.full_like(limit, RISING_AGAIN_DEVIATION),
                begun & self._falls_at_first(located),
            ),
        ):
            some = np.flatnonzero(tried & left)
            if not len(some):
                continue
            laws, near = find(runs.part(some), located.part(some), known.part(some))
            close = _mean_variance(near) < most[some] ** 2 + _of_noise(runs.part(some))
            found = _with(found, some[close], (laws, near), np.flatnonzero(close))
            left[some[close]] = False
        return found

    def _sums(self, runs: Runs, located: Located, known: Laws) -> tuple[Laws, Located]:
        """Search for sums of two terms. Noise and the deviation from one term are ignored in this search, as
        for values that were counted.
        """
        precise = Located(located.y, np.where(np.isfinite(located.variance), SUM_ERROR**2, np.inf))
        laws = paired(self.basis, precise, rescored(self.basis, known, precise))
        return self._relocated(runs, precise, alternated(self.basis, precise, laws))

    def _rising_again(self, runs: Runs, located: Located, known: Laws) -> tuple[Laws, Located]:
        """Search for laws that fall and rise again. The variance is that of kernels which follow them
        closely. With the variance around a law that only falls or rises, other laws would not seem better.
        """
        limit = _lawful_deviation(located) ** 2 + _of_noise(runs)
        close = Located(located.y, np.where(np.isfinite(located.variance), limit, np.inf))
        laws = rising_again(self.basis, close, rescored(self.basis, known, close))
        return self._relocated(runs, close, laws)

    def _relocated(self, runs: Runs, located: Located, laws: Laws) -> tuple[Laws, Located]:
        """Return the laws, and the values with the variance of their deviations from the best law."""
        near = self.deviating.relocate(best_values(self.basis, laws, located)[1], runs)
        return rescored(self.basis, laws, near), near

    def _falls_at_first(self, located: Located) -> BoolArray:
        """Return whether each of K kernels falls between its first two used values (`LEAST_FALL`), (K,)."""
        order = np.argsort(self.basis.points[:, 0], kind="stable")
        x, y = np.log(self.basis.points[order, 0]), np.log(located.y[order])
        used = np.isfinite(located.variance[order])
        first = used.argmax(axis=0)
        second = (used & (np.arange(len(used))[:, None] > first)).argmax(axis=0)
        kernels = np.arange(used.shape[1])
        fallen = y[first, kernels] - y[second, kernels]
        return np.asarray(fallen > LEAST_FALL * (x[second] - x[first]))


def _with(
    known: tuple[Laws, Located], kernels: IntArray, others: tuple[Laws, Located], some: IntArray
) -> tuple[Laws, Located]:
    """Replace the laws and values of `kernels` by those of `some` of the others."""
    (laws, located), (own, near) = known, others
    laws = laws.with_terms(len(own.classes)).widened(len(own.log_evidence))
    laws.put(kernels, own.part(some).widened(len(laws.log_evidence)))
    located.put(kernels, near.part(some))
    return laws, located


def _lawful_deviation(located: Located) -> FloatArray:
    """Return the largest deviation of kernels that may follow a law closely, (K,)."""
    return _limits(located, LAWFUL_DEVIATION, LAWFUL_DEVIATION_OF_MANY)


def _limits(located: Located, few: float, many: float) -> FloatArray:
    """Return the limits of K kernels, (K,): `many` with at least `MANY_VALUES` used values, else `few`."""
    return np.where(np.isfinite(located.variance).sum(axis=0) >= MANY_VALUES, many, few)


def _mean_variance(located: Located) -> FloatArray:
    """Return the mean variance of the used values of K kernels, (K,), infinite without used values."""
    used = np.isfinite(located.variance)
    total = np.where(used, located.variance, 0.0).sum(axis=0)
    return np.asarray(np.where(used.any(axis=0), total / used.sum(axis=0), np.inf))


def _of_noise(runs: Runs) -> FloatArray:
    """Return the squared deviations of K kernels' points that noise may explain, (K,)."""
    repeated = runs.total > (runs.count > 0).sum(axis=0)
    return np.where(repeated, (NOISE_FACTOR * runs.error) ** 2, 0.0)
