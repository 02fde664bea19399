"""Powers between those of the exponent pairs, such as x^0.4, for up to three parameters.

A kernel may grow with any power. If only the powers of the exponent pairs were possible, another one would be
taken for a law that is similar at the measured points but not far beyond, and the interval would be too
narrow. Therefore laws are added in which one factor has a power i around the best one. Each stands for a
*range* of powers, about as wide as the standard deviation of the power. So the sum of their evidence is an
integral over the power. A power has a much smaller standard deviation in a law without a constant, so there
are ranges around the best power of either law. Powers in the ranges of both laws count twice.

With one parameter, only rising powers are between those of the exponent pairs. Falling values of real kernels
are mostly divided work plus overhead. A power that is fitted to them, such as −1.02, predicts too narrow
intervals. With several parameters, the other parameters distinguish n·p^(−0.6) from such sums.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    EVERY_PAIR,
    FIRST_RANGE,
    LARGEST_POWER,
    LEAST_POWER,
    WIDTHS,
    range_classes,
)
from modeling.engine.modelers.evidence.hypotheses.gaussian import Fit, solve
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    best_weights,
    canonical,
    fitted,
    merged,
    rescored,
    scored,
)
from modeling.engine.modelers.evidence.search.powers import products
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FEWEST_VALUES = 5
"""Kernels with fewer values have only the powers of the exponent pairs."""

HOPELESS_SHARE = 0.003
"""If the law with the best power has less than this share of the evidence of the best other law, no powers
between those of the exponent pairs are tried.
"""

RANGES_ASIDE = 3
"""The number of ranges on either side of the best power."""

MISSES = 2.0
"""With several parameters, another power is tried if it differs by more than this number of standard
deviations from that of the law.
"""

AS_GOOD = 1.0
"""A law fits as well as another one if the sum of squared residuals, relative to their variance, is larger by
less than this.
"""

STEPS, LARGEST_STEP = 4, 0.3
"""The number of steps of Newton's method towards the best power, and the largest change of the power."""


def with_powers_between(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws of K kernels with laws of ranges of powers: one factor of a kernel's best laws gets
    another power. With several parameters, only factors are changed that miss the values (`MISSES`).
    """
    if not basis.has_ranges:
        return laws
    weights = best_weights(basis, laws, located)
    best = fitted(basis, laws.classes[:, :, 0], located, weights)
    misfit = (weights * (located.y - best) ** 2).sum(axis=0)
    enough = np.isfinite(located.variance).sum(axis=0) >= FEWEST_VALUES
    found, begun_from = laws, _changed(basis, located, laws, weights)
    places = np.ndindex(laws.classes.shape[:2])
    for (term, parameter), rank in product(places, range(begun_from.shape[2])):
        classes = begun_from[:, :, rank]
        begun = _begun(basis, classes[term, parameter], parameter)
        tried = ((begun > 0) | ((begun < 0) & (basis.parameter_count > 1))) & enough
        tried &= ~_known(begun_from[:, :, :rank], classes, term, parameter)
        some = np.flatnonzero(tried)
        factor = _Factor(basis, located, weights, classes, term, parameter).part(some)
        if len(some) and basis.parameter_count > 1:
            missing = np.flatnonzero(factor.misses(begun[some], misfit[some]))
            some, factor = some[missing], factor.part(missing)
        if len(some):
            more = factor.ranges(begun[some], laws.log_evidence[0, some])
            found = _with(basis, located, found, some, more)
    return found


def _changed(basis: Basis, located: Located, laws: Laws, weights: FloatArray) -> IntArray:
    """Return the laws of which factors are changed, (T, m, H, K): the best law and, with several parameters,
    the product of powers that a regression of logarithms suggests. A power that is in no exponent pair may
    spoil the other factors of the best law, too.
    """
    best = laws.classes[:, :, :1]
    if basis.parameter_count == 1:
        return best
    powers = np.zeros_like(best)
    powers[0] = products(basis, located, weights).classes[0, :, -1:]
    return np.concatenate([best, powers], axis=2)


def _known(others: IntArray, classes: IntArray, term: int, parameter: int) -> BoolArray:
    """Return whether one of the other laws (T, m, H, K) of each kernel differs from `classes` (T, m, K) in
    this factor only, (K,).
    """
    same = others == classes[:, :, None]
    same[term, parameter] = others[term, parameter] != 0
    return np.asarray(same.all(axis=(0, 1)).any(axis=0))


def _with(basis: Basis, located: Located, laws: Laws, kernels: IntArray, more: Laws) -> Laws:
    """Merge the laws of `kernels` with others. If one of these is the best, compute the evidence again with
    the precision that it implies.
    """
    likely = np.flatnonzero(np.isfinite(more.log_evidence).any(axis=0))
    if not len(likely):
        return laws
    some = kernels[likely]
    found = merged(laws.part(some), more.part(likely), LAWS_KEPT)
    again = np.flatnonzero((found.classes[:, :, 0] >= FIRST_RANGE).any(axis=(0, 1)))
    if len(again):
        found.put(again, rescored(basis, found.part(again), located.part(some[again])))
    wide = laws.widened(len(found.log_evidence))
    if wide is laws:
        wide = Laws(laws.classes.copy(), laws.log_evidence.copy())
    wide.put(some, found.widened(len(wide.log_evidence)))
    return wide


def _begun(basis: Basis, classes: IntArray, parameter: int) -> FloatArray:
    """Return the powers from which the search starts, (K,): the slopes of the factors of these `classes` (K,)
    at the largest value of the parameter, or 0 without a factor.
    """
    pairs = EVERY_PAIR[classes]
    return np.asarray(
        pairs[:, 0] + pairs[:, 1] / np.maximum(np.log(basis.campaign.points[:, parameter].max()), 1.0)
    )


@dataclass(frozen=True)
class _Factor:
    """One factor of a law of each of K kernels: that of `parameter` in the term with the index `term`. The
    laws have the `classes` (T, m, K).
    """

    basis: Basis
    located: Located
    weights: FloatArray
    classes: IntArray
    term: int
    parameter: int

    def part(self, kernels: IntArray) -> "_Factor":
        """Return the factor in the laws of the given kernels."""
        return replace(
            self,
            located=self.located.part(kernels),
            weights=self.weights[:, kernels],
            classes=self.classes[..., kernels],
        )

    def misses(self, power: FloatArray, misfit: FloatArray) -> BoolArray:
        """Return whether the best power, with a constant or without, differs from the given one (`MISSES`),
        and the law with it fits as well as the best law, with the sum of squared residuals `misfit` (K,).
        """
        found = np.zeros(len(power), dtype=bool)
        for constant in (False, True):
            fit = self._steps(power, 1, constant=constant)[2]
            far = np.abs(fit.coefficients[-1]) > MISSES * fit.deviations[-1]
            found |= far & (fit.misfit < misfit + AS_GOOD)
        return found

    def ranges(self, begun: FloatArray, known: FloatArray) -> Laws:
        """Return laws of ranges around the best powers, found from `begun` (K,). Their log evidence is −∞ for
        kernels with the evidence `known` (K,) of a law that is much likelier.
        """
        alone = self._steps(begun, STEPS, constant=False)[:2]
        power, deviation, _ = self._steps(begun, STEPS, constant=True)
        # A constant ≥ 0 makes the factor steeper.
        steeper = np.sign(begun) * np.maximum(np.abs(power), np.abs(alone[0]))
        both = alone, (steeper, deviation)
        best = self._scored(np.concatenate([_ranges(one, width, aside=0) for one, width in both]))
        likely = best.log_evidence.max(axis=0) > known + np.log(HOPELESS_SHARE)
        ranges = np.concatenate([_ranges(*each) for each in both])
        some = np.flatnonzero(likely)
        factor = self.part(some)
        found = factor._scored(ranges[:, some])
        evidence = np.full(ranges.shape, -np.inf)
        evidence[:, some] = found.log_evidence
        classes = np.zeros((*self.classes.shape[:2], *ranges.shape), dtype=np.int64)
        classes[..., some] = found.classes
        return Laws(classes, evidence)

    def _scored(self, ranges: IntArray) -> Laws:
        """Return the laws with a class of `ranges` (H, K) as the factor, and all other factors unchanged."""
        classes = np.repeat(self.classes[:, :, None], len(ranges), axis=2)
        classes[self.term, self.parameter] = ranges
        return scored(self.basis, canonical(classes), self.located, self.weights)

    def _columns(self, root: FloatArray) -> tuple[FloatArray, list[FloatArray], list[FloatArray]]:
        """Return the other factors of the term, (P, K), and the other terms, (P, K) each, all weighted by the
        `root` of the precision, and for each of these terms 1 where a law has it, (K,).
        """
        others = self.classes.copy()
        others[self.term, self.parameter] = 0
        columns = self.basis.columns(others) * root
        present = np.asarray(others.any(axis=1))
        rest = np.where(present[self.term], columns[self.term], root)
        stay = [t for t in range(len(others)) if t != self.term and present[t].any()]
        return rest, [columns[t] for t in stay], [present[t].astype(float) for t in stay]

    def _steps(self, power: FloatArray, steps: int, *, constant: bool) -> tuple[FloatArray, FloatArray, Fit]:
        """Take steps of Newton's method towards the power of the factor with which the law fits best. The
        other factors stay. The law has a constant or not. Return the power, (K,), its standard deviation,
        (K,), and the last solution.
        """
        x = np.log(self.basis.points[:, self.parameter, None])
        x = x - x.mean()
        limits = np.sort(np.sign(power) * np.array([[LEAST_POWER], [LARGEST_POWER]]), axis=0)
        root = np.sqrt(self.weights)
        values = root * self.located.y
        rest, stay, there = self._columns(root)
        if constant:
            stay, there = [root, *stay], [np.ones(1), *there]
        for _ in range(steps):
            term = rest * np.exp(x * power)
            every = [*stay, term, term * x]
            gram = [[(one * other).sum(axis=0) for other in every[: n + 1]] for n, one in enumerate(every)]
            for row, given in zip(gram, there, strict=False):
                row[-1] = row[-1] + (1 - given)
            fit = solve(gram, [(one * values).sum(axis=0) for one in every], (values * values).sum(axis=0))
            size = np.maximum(np.abs(fit.coefficients[-2]), 1e-12)
            step = np.clip(np.nan_to_num(fit.coefficients[-1] / size), -LARGEST_STEP, LARGEST_STEP)
            deviation = fit.deviations[-1] / size
            power = np.clip(power + step, *limits)
        return power, deviation, fit


def _ranges(power: FloatArray, deviation: FloatArray, aside: int = RANGES_ASIDE) -> IntArray:
    """Return the classes of ranges around the powers of K kernels, (ranges, K)."""
    wide = np.clip(np.nan_to_num(deviation), WIDTHS[-1], WIDTHS[0])
    level = np.rint(np.log2(WIDTHS[0] / wide)).astype(int)
    places = np.arange(-aside, aside + 1)[:, None]
    near = power + places * WIDTHS[level]
    # A power of the other sign is another factor; the range at the limit counts once.
    return range_classes(np.where(near * np.sign(power) > 0, near, np.sign(power) * LEAST_POWER), level)
