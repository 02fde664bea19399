"""One law for several campaigns, compared with theory, and in cases in which a single campaign misleads."""

import numpy as np
import pytest

from modeling.engine import pooled_law

P = np.array([[4.0], [8.0], [16.0], [32.0], [64.0]])
CONSTANT = np.zeros((0, 1, 2))
SHAPES = [CONSTANT, *(np.array([[[i, 0.0]]]) for i in (-1.0, 1 / 3, 1.0))]


def campaigns(law, count, noise, drift, seed=0):
    random = np.random.default_rng(seed)
    return [
        law(P[:, 0]) * np.exp(drift * random.normal()) * np.exp(noise * random.normal(size=len(P)))
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("law", "shape"),
    [
        (lambda p: 3.0 + 0 * p, CONSTANT),
        (lambda p: 1.0 + 20.0 / p, SHAPES[1]),
        (lambda p: 1.0 + 0.5 * p ** (1 / 3), SHAPES[2]),
        (lambda p: 1.0 + 0.2 * p, SHAPES[3]),
    ],
)
def test_the_exponents_common_to_all_campaigns_are_found(law, shape):
    found = [pooled_law(SHAPES, [P] * 8, campaigns(law, 8, 0.02, 0.03, seed)) for seed in range(100)]
    assert sum(np.array_equal(each.exponents, shape) for each in found) >= 95


def test_without_noise_the_law_is_exact_at_the_level_of_the_last_campaign():
    first, last = (factor * (1.0 + 0.5 * P[:, 0] ** (1 / 3)) for factor in (1.3, 1.0))
    found = pooled_law(SHAPES, [P, P], [first, last])
    assert found.constant == pytest.approx(1.0)
    assert found.coefficients == pytest.approx([0.5])
    assert found.lead_exponents == pytest.approx(np.array([[1 / 3, 0.0]]))
    assert found.relative_error < 1e-9


def test_a_constant_has_no_lead_terms():
    found = pooled_law(SHAPES, [P, P], [np.full(5, 3.0)] * 2)
    assert found.exponents.size == 0
    assert found.lead_exponents.tolist() == [[0.0, 0.0]]


def test_campaigns_may_have_other_points_and_missing_values():
    law = 1.0 + 0.2 * P[:, 0]
    missing = np.where(np.arange(5) == 2, np.nan, law)
    found = pooled_law(SHAPES, [P[:3], P], [law[:3], missing])
    assert found.coefficients == pytest.approx([0.2])


def test_too_few_values_give_no_law():
    assert pooled_law([SHAPES[1]], [P[:1], P[:1]], [np.array([1.0]), np.array([1.0])]) is None
    assert pooled_law(SHAPES, [P, P], [np.full(5, np.nan)] * 2) is None
    assert pooled_law(SHAPES, [P, P], [np.ones(5), np.full(5, np.nan)]) is None
