"""Laws that multiply parameters which never meet are excluded, as an enumeration of all draws shows."""

from collections import Counter

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.design.deduced.additive import FEWEST_DRAWS, without_products
from tests.modeling.engine.cases import GRID, noisy

P, N = GRID.T
TRUTHS = (P + N + 30, np.sqrt(P * N) + 10, np.log2(P) * 2 + N, P * np.log2(N) / 5 + 40)
LEAST = 0.05
APART = np.broadcast_to(np.eye(2, dtype=bool), (len(TRUTHS), 2, 2))
VALUES = np.concatenate(
    [noisy(truth, 1.4, repetitions=3, seed=seed) for seed, truth in zip((1, 2, 3, 6), TRUTHS, strict=True)]
)


@pytest.fixture(scope="module")
def models():
    """Return models of sums and products, with much noise."""
    return fit(GRID, VALUES)


def multiplies(exponents):
    """Return whether any term of a law (T, m, 2) has both parameters."""
    return any((term[0] != 0).any() and (term[1] != 0).any() for term in exponents)


def drawn(posterior, kernel):
    """Return a kernel's draws: their law and coefficients."""
    return [
        (posterior.exponents[kernel, law].tobytes(), coefficients.tobytes())
        for law, coefficients in zip(posterior.law[kernel], posterior.coefficients[kernel], strict=True)
    ]


def test_draws_without_products_are_kept_equally_often(models):
    found = without_products(models, GRID, VALUES, APART, LEAST)
    old, new = models.posterior, found.models.posterior
    assert found.changed.any()
    assert not found.changed.all()
    for kernel in range(len(TRUTHS)):
        products = np.array([multiplies(law) for law in old.exponents[kernel]])
        agreement = old.probability[kernel, ~products].sum() / old.probability[kernel].sum()
        kept = ~products[old.law[kernel]]
        enough = LEAST <= agreement < 1 and kept.sum() >= FEWEST_DRAWS
        assert found.agreement[kernel] == pytest.approx(agreement)
        assert found.changed[kernel] == enough
        if not enough:
            assert drawn(new, kernel) == drawn(old, kernel)
            continue
        expected = Counter(draw for draw, keep in zip(drawn(old, kernel), kept, strict=True) if keep)
        counts = Counter(drawn(new, kernel))
        assert counts.keys() == expected.keys()
        times = [counts[draw] / expected[draw] for draw in counts]
        assert max(times) - min(times) <= 1
        assert new.probability[kernel].sum() == pytest.approx(old.probability[kernel].sum())
        assert (np.diff(new.probability[kernel, 1:]) <= 0).all()
        assert not any(
            multiplies(law)
            for law, share in zip(new.exponents[kernel], new.probability[kernel], strict=True)
            if share > 0
        )
        assert not multiplies(found.models.exponents[kernel])


def test_measurements_may_contradict_the_profile(models):
    found = without_products(models, GRID, VALUES, APART, LEAST)
    assert found.agreement[1] < LEAST
    assert not found.changed[1]
    assert multiplies(found.models.exponents[1])
    strict = without_products(models, GRID, VALUES, APART, least=0.99)
    assert not strict.changed[found.agreement < 0.99].any()


def test_nothing_changes_if_all_parameters_meet(models):
    found = without_products(models, GRID, VALUES, np.ones_like(APART), LEAST)
    assert found.models is models
    assert (found.agreement == 1).all()
