"""Overheads: constants that were added or removed while the growth of a kernel stayed the same."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from modeling.engine import Changes, compare
from modeling.engine.changes.level_mixture import FACTORS
from modeling.engine.changes.likelihood import SCATTERS
from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.overhead import Overheads, _Base, _evidence, _nodes, recognisable
from modeling.engine.laws.synthetic import grid, measure
from modeling.engine.validation import FloatArray

LINE = grid([(8.0, 16, 32, 64, 128)])
PLANE = grid([(8.0, 16, 32, 64, 128), (10.0, 20, 40, 80, 160)])
FAR = np.array([512.0])


def growing(points: FloatArray, exponents: FloatArray, shares: FloatArray) -> FloatArray:
    """Return kernels whose value is 1 at the smallest point.

    A share of this value grows with a power of the product of all parameters.
    """
    size = points.prod(axis=1) / LINE[0, 0] / (10.0 if points.shape[1] == 2 else 1.0)
    return np.asarray((1 - shares) + shares * size**exponents)


def compared(
    points: FloatArray, before: FloatArray, after: FloatArray, seed: int, drift: float = 0.01
) -> Changes:
    rng = np.random.default_rng(seed)
    moved = after * np.exp(0.03 + drift * rng.standard_normal(after.shape))
    values = [measure(each, rng, noise=0.05, repetitions=5) for each in (before, moved)]
    return compare((points, values[0]), (points, values[1]), target=4 * points[-1])


def kernels(seed: int, count: int = 400) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    exponents, shares = rng.choice([0.5, 1, 1.5], (count, 1)), rng.uniform(0.2, 0.95, (count, 1))
    return exponents, shares, np.arange(count)[:, None] < 80


@pytest.mark.parametrize("points", [LINE, PLANE])
@pytest.mark.parametrize("removed", [False, True])
def test_an_added_constant_is_an_overhead(points: FloatArray, removed: bool) -> None:
    exponents, shares, changed = kernels(1)
    less = growing(points, exponents, shares)
    sides = less, np.where(changed, less + 1.0, less)
    found = compared(points, *(sides[::-1] if removed else sides), seed=2)
    assert np.mean(found.kind[:80] == "overhead") >= 0.9
    assert np.mean(found.kind[80:] != "same") <= 0.005
    base = growing(4 * points[-1:], exponents, shares)[:80, 0]
    truth = ((base + 1) / base) ** (-1 if removed else 1)
    told = found.kind[:80] == "overhead"
    inside = (found.ratio_interval[:80, 0] <= truth) & (truth <= found.ratio_interval[:80, 1])
    assert inside[told].mean() >= 0.9
    np.testing.assert_allclose(found.probabilities[:80].sum(axis=1), 1.0)


@pytest.mark.parametrize("points", [LINE, PLANE])
@pytest.mark.parametrize("drift", [0.01, 0.03])
@pytest.mark.parametrize("more", [0.25, -0.25])
def test_another_growth_is_no_overhead(points: FloatArray, drift: float, more: float) -> None:
    exponents, shares, changed = kernels(3)
    after = growing(points, exponents + np.where(changed, more, 0.0), shares)
    found = compared(points, growing(points, exponents, shares), after, seed=4, drift=drift)
    assert np.mean(found.kind[:80] == "overhead") <= 0.025


def test_a_constant_factor_is_no_overhead() -> None:
    exponents, shares, changed = kernels(5)
    before = growing(LINE, exponents, shares)
    found = compared(LINE, before, np.where(changed, 1.3 * before, before), seed=6)
    assert not (found.kind == "overhead").any()


def test_the_ratio_at_the_target_is_exact_without_noise() -> None:
    before = np.tile(25 + 2 * LINE[:, 0], (20, 1))[:, :, None]
    after = before.copy()
    after[0] += 10
    after[1] -= 10
    found = compare((LINE, before), (LINE, after), target=FAR)
    assert found.kind.tolist() == ["overhead", "overhead"] + ["same"] * 18
    truth = np.array([1059, 1039]) / 1049
    np.testing.assert_allclose(found.ratio[:2], truth, rtol=1e-3)
    assert found.ratio_interval[0, 0] > 1 > found.ratio_interval[1, 1]


def test_considering_overheads_raises_no_further_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same kernels are reported with the same probabilities, whether or not overheads are considered."""
    exponents, shares, changed = kernels(7)
    before = growing(LINE, exponents, shares)
    after = before + changed * np.random.default_rng(8).choice([0.02, 0.1, 0.5], (400, 1))
    found = compared(LINE, before, after, seed=9)
    monkeypatch.setattr("modeling.engine.changes.comparison.recognisable", lambda *_: np.zeros(0, np.int64))
    without = compared(LINE, before, after, seed=9)
    assert (found.kind == "overhead").any()
    assert not (without.kind == "overhead").any()
    np.testing.assert_array_equal(found.probability, without.probability)
    unreported = without.probability < 0.75
    np.testing.assert_array_equal(found.ratio_interval[unreported], without.ratio_interval[unreported])


def test_kernels_that_fall_or_hardly_grow_have_no_overhead() -> None:
    size = LINE[:, 0] / 8
    rows = np.stack([size, 1 / size, np.ones(5), 1 + 0.02 * size, size], axis=1)
    d = np.log(rows + 1.0) - np.log(rows)
    known = np.ones(d.shape, bool)
    known[2:, 4] = False
    ratios = LogRatios(np.where(known, d, 0.0), known, ~known, np.full(d.shape, 1e-4))
    assert recognisable(LINE, rows, ratios).tolist() == [0]
    assert recognisable(LINE[:0], rows[:0], ratios.part(np.arange(0))).tolist() == []


def test_the_evidence_is_the_integral_over_sizes() -> None:
    """The evidence agrees with numerical integration within 10 %, an error that changes no verdict."""
    relative = np.array([[1.0], [0.6], [0.3], [0.1], [0.05]])
    size, variance = 0.4, 0.02**2
    d = np.log1p(np.expm1(size) * relative) + 0.01 * np.array([[1.0], [-1], [0.5], [1], [-1]])
    base = _Base(np.ones(1), relative, np.ones(1))
    known = np.ones(d.shape, bool)
    ratios = LogRatios(d, known, ~known, np.full(d.shape, variance))
    sizes, prior = _nodes(ratios, base, np.array([size]))
    weight, mean, width = _evidence(ratios, base, sizes, prior)[:, 0, :, 3]
    level, spread = 0.01, 0.03**2
    found = (np.exp(weight) * norm.pdf(level, mean, np.sqrt(width + spread))).sum()

    total = variance + SCATTERS[3] ** 2
    covariance = total * np.eye(5) + spread
    inverse, log_determinant = np.linalg.inv(covariance), np.linalg.slogdet(2 * np.pi * covariance)[1]

    def density(of_size: float) -> float:
        error = d[:, 0] - level - np.log1p(np.expm1(of_size) * relative[:, 0])
        before = sum(w * norm.pdf(of_size, 0, s) for w, s in zip(*FACTORS, strict=True))
        return float(before * np.exp(-0.5 * (error @ inverse @ error + log_determinant)))

    expected = quad(density, 0.1, 0.8, points=[size], limit=200)[0]
    np.testing.assert_allclose(found, expected, rtol=0.1)


def test_ratios_exclude_the_overhead() -> None:
    added = Overheads(np.array([1.0, -1.0]), np.array([2.0, 2.0]), np.array([[np.log(2), 0.0]] * 2))
    before, after = np.log(np.full((2, 3), 10.0)), np.log(np.full((2, 3), 20.0))
    np.testing.assert_allclose(np.exp(added.log_ratios(before, after)), [[1.2] * 3, [1 / 1.1] * 3])
