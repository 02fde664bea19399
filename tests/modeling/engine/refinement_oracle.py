"""The refinement of Reisert et al. 2017, section 3.3, for one kernel: slow, one step after the other."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, log2

import numpy as np

Pair = tuple[Fraction, Fraction]
Slice = Callable[[Fraction], Pair]

ZERO = Fraction(0)


def refined(x: list[float], y: list[float]) -> Pair:
    """Return the exponents (α, β) of the term, or (0, 0) if a constant is chosen."""
    slices, sign = _slices(x, y)
    bests, bounds, errors = [], [], []
    for own, largest in slices:
        found = {Fraction(e): _error(own(Fraction(e)), x, y, sign) for e in range(largest + 1)}
        best = min(found, key=lambda e: found[e][0])
        bests.append(best)
        bounds.append((max(best - 1, ZERO), best + 1))
        errors.append(found[best])
    accepted, accepted_smape = _candidate(slices, bests, errors)
    for _ in range(10):
        before = [smape for _, smape in errors]
        for s, (own, _) in enumerate(slices):
            (low, high), best = bounds[s], bests[s]
            left, right = _mediant(low, best), _mediant(best, high)
            found = {e: _error(own(e), x, y, sign) for e in (best, left, right)}
            bests[s] = min(found, key=lambda e: found[e][0])
            errors[s] = found[bests[s]]
            bounds[s] = {left: (low, best), right: (best, high), best: (left, right)}[bests[s]]
        candidate, smape = _candidate(slices, bests, errors)
        if accepted_smape > 1e-13 and 1.5 * smape <= accepted_smape < inf:
            accepted, accepted_smape = candidate, smape
        if not any(
            old > 1e-13 and 2 * new <= old < inf for old, (_, new) in zip(before, errors, strict=True)
        ):
            break
    mean = sum(y) / len(y)
    return accepted if 2 * accepted_smape <= _smape([mean] * len(y), y) else (ZERO, ZERO)


def _slices(x: list[float], y: list[float]) -> tuple[list[tuple[Slice, int]], int]:
    """Return the slices of the search with their largest integers, and the sign of the exponents.

    Series that fall have one slice of their own.
    """
    if np.polyfit(np.log(x), y, 1)[0] < 0:
        return [(lambda e: (-e, ZERO), 5)], -1
    return [
        (lambda e: (e, ZERO), 5),
        (lambda e: (e, Fraction(1)), 5),
        (lambda e: (e, Fraction(2)), 5),
        (lambda e: (ZERO, e), 2),
    ], 1


def _mediant(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(one.numerator + other.numerator, one.denominator + other.denominator)


def _candidate(
    slices: list[tuple[Slice, int]], bests: list[Fraction], errors: list[tuple[float, float]]
) -> tuple[Pair, float]:
    """Return the exponents and the SMAPE of the slice with the smallest RSS."""
    s = min(range(len(slices)), key=lambda s: errors[s][0])
    return slices[s][0](bests[s]), errors[s][1]


def _error(pair: Pair, x: list[float], y: list[float], sign: int) -> tuple[float, float]:
    """Return RSS and SMAPE of the fitted law.

    Both are infinite for the constant, and for terms with a negative coefficient.
    """
    if pair == (ZERO, ZERO):
        return inf, inf
    term = np.array([value ** float(pair[0]) * log2(value) ** float(pair[1]) for value in x])
    size = term.max()
    columns = np.stack([np.ones(len(x)), term / size], axis=1)
    (constant, coefficient), *_ = np.linalg.lstsq(columns, np.array(y), rcond=None)
    if coefficient <= 0:
        return inf, inf
    if sign < 0 and constant < 0:
        constant, coefficient = 0.0, float(term / size @ y / (term / size @ (term / size)))
    fitted = constant + coefficient * term / size
    return float(((fitted - y) ** 2).sum()), _smape(list(fitted), y)


def _smape(fitted: list[float], y: list[float]) -> float:
    return sum(2 * abs(f - v) / (abs(f) + abs(v)) for f, v in zip(fitted, y, strict=True)) / len(y)
