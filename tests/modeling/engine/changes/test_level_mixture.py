"""The densities of levels of kernels that are the same or changed."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from modeling.engine.changes.level_mixture import (
    FACTORS,
    KINDS_OF_FACTORS,
    LARGE_FROM,
    LARGE_WIDTH,
    SIMILAR,
    SIMILAR_PRIOR,
    SIMILAR_WIDTH,
    TAILS,
    LevelMixture,
    densities,
    kinds_of_changes,
    level_mixture,
)
from modeling.engine.changes.likelihood import PLAIN, SCATTERS, Levels
from modeling.engine.validation import FloatArray

SHIFTS, DRIFT, ADDED = np.array([-0.1, 0.05]), 0.06, 0.02**2


def mixture() -> LevelMixture:
    """Return levels of two kernels, with two classes of scatter and with different laws."""
    same = np.array([[0.7, 0.3], [1.0, 0.2]]), np.array([[0.1, 0.12], [-0.4, -0.3]]), np.full((2, 2), 0.03**2)
    changed = (
        np.array([[1.0, 0.5], [1.2, 0.1]]),
        np.array([[0.1, 0.2], [-0.4, -0.5]]),
        np.full((2, 2), 0.05**2),
    )
    return LevelMixture(same, changed)


def integrated(parts: tuple[FloatArray, FloatArray, FloatArray], distance: Any, shift: float) -> float:
    """Integrate the likelihood of a level times the density of its distance from the shift."""

    def product(level: float) -> float:
        likelihood = sum(w * norm.pdf(level, m, np.sqrt(v)) for w, m, v in zip(*parts, strict=True))
        return float(likelihood * distance(level - shift))

    return float(quad(product, -2.5, 2.5, points=sorted({shift, *parts[1].tolist()}), limit=500)[0])


@pytest.mark.parametrize("kernel", [0, 1])
@pytest.mark.parametrize("tail", [0, 1])
@pytest.mark.parametrize("place", [0, 1])
def test_densities_are_integrals_over_the_level(kernel: int, tail: int, place: int) -> None:
    levels, shift, own = mixture(), float(SHIFTS[place]), np.sqrt(DRIFT**2 + ADDED)
    found = densities(levels, SHIFTS, DRIFT, tail, ADDED)[:, kernel, place]
    same = tuple(part[kernel] for part in levels.same)
    plain, law = (tuple(part[kernel, [e]] for part in levels.changed) for e in (0, 1))

    def drift(distance: float) -> float:
        return float(
            sum(
                w * norm.pdf(distance, 0, np.hypot(DRIFT * s, 0.02))
                for w, s in zip(*TAILS[tail], strict=True)
            )
        )

    def unlike(distance: float) -> float:
        return float(
            sum(w * norm.pdf(distance, 0, np.sqrt(s**2 + own**2)) for w, s in zip(*FACTORS, strict=True))
        )

    expected = [integrated(same, drift, shift), integrated(plain, unlike, shift)]
    for centre in SIMILAR:
        around = norm(centre, np.hypot(SIMILAR_WIDTH * centre, own)).pdf
        expected.append(integrated(plain, around, shift))
    expected.append(integrated(plain, norm(0, np.hypot(LARGE_WIDTH, own)).pdf, shift))
    expected.append(integrated(law, unlike, shift))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-12)


def test_factors_are_unlike_or_around_a_centre_or_around_it_and_its_opposite() -> None:
    centres = len(SIMILAR)
    assert KINDS_OF_FACTORS.shape == (2 + centres + centres // 2, 2 + centres)
    for pair in KINDS_OF_FACTORS[1 + centres : -1, 1:-1]:
        np.testing.assert_allclose(pair[SIMILAR > 0], pair[SIMILAR < 0])
        assert np.count_nonzero(pair) == 2
    np.testing.assert_allclose(KINDS_OF_FACTORS.sum(axis=1), 1)


def test_similar_factors_have_their_prior_in_addition_to_that_of_unlike_factors() -> None:
    shares, kinds, prior = kinds_of_changes()
    large = kinds == len(KINDS_OF_FACTORS) - 1
    assert (large == (shares > LARGE_FROM)).all()
    unlike = kinds == 0
    assert prior[unlike | large].sum() == pytest.approx(1)
    assert sorted(kinds[~unlike & ~large]) == list(range(1, len(KINDS_OF_FACTORS) - 1))
    for share, relative, places in SIMILAR_PRIOR:
        some = np.isin(kinds, np.arange(len(KINDS_OF_FACTORS))[places]) & ~unlike
        assert set(shares[some]) == {share}
        assert prior[some].sum() == pytest.approx(relative * prior[unlike & (shares == share)].sum())


def test_an_unchanged_kernel_has_the_weights_of_all_classes_of_scatter() -> None:
    """Only the likeliest classes are kept. If the others were simply left out, every kernel would be more
    probably changed.
    """
    rng = np.random.default_rng(0)
    classes = 2 * len(SCATTERS)
    evidence, scatter = rng.normal(0, 1, (5, 2, classes)), rng.dirichlet(np.ones(classes))
    levels = Levels(
        evidence, rng.normal(0, 0.1, evidence.shape), np.full(evidence.shape, 1e-3), np.ones(5, bool)
    )
    found = level_mixture(levels, scatter, slice(None))
    for kernel in range(5):
        weights = [
            sum(np.exp(evidence[kernel, explanation, j]) * scatter[j] for j in range(classes))
            for explanation in (0, 1)
        ]
        changed = found.changed[0][kernel]
        assert changed[1] / changed[0] == pytest.approx(weights[1] / weights[0])
        assert found.same[0][kernel].sum() == pytest.approx(changed[PLAIN])
