"""The generator of synthetic data draws functions and points as its documentation says."""

import numpy as np
import pytest

from modeling.engine.laws.synthetic import SERIES, Functions, continued, grid, measure, random_functions


def test_functions_are_evaluated_as_written() -> None:
    law = Functions(
        constant=np.array([5.0]),
        coefficients=np.array([[2.0, 0.0]]),
        exponents=np.array([[[[0.5, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]),
    )
    np.testing.assert_allclose(law.evaluate(np.array([[16.0, 3.0]])), [[5 + 2 * 4 * 4 * 3]])


def test_every_parameter_is_in_one_term() -> None:
    drawn = random_functions(2000, 3, np.random.default_rng(0))
    terms_of_parameter = (drawn.exponents != 0).any(axis=3).sum(axis=1)
    assert terms_of_parameter.max() == 1
    assert set((drawn.coefficients > 0).sum(axis=1)) == {1, 2, 3}
    assert (drawn.constant >= 0.001).all()
    assert drawn.coefficients.max() <= 1000


def test_noise_is_uniform_of_the_given_width() -> None:
    truth = np.full((40, 25), 7.0)
    values = measure(truth, np.random.default_rng(0), noise=0.5, repetitions=4)
    assert values.shape == (40, 25, 4)
    assert 7 * 0.75 <= values.min() < 7 * 0.76
    assert 7 * 1.24 < values.max() <= 7 * 1.25
    np.testing.assert_allclose(values.std(), 7 * 0.5 / np.sqrt(12), rtol=0.02)


def test_a_grid_has_every_combination() -> None:
    points = grid(SERIES[:3])
    assert points.shape == (125, 3)
    assert len(np.unique(points, axis=0)) == 125


def test_the_same_seed_gives_the_same_functions() -> None:
    first, second = (random_functions(10, 2, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first.evaluate(grid(SERIES[:2])), second.evaluate(grid(SERIES[:2])))


def test_series_go_on_as_they_began() -> None:
    assert continued((4, 8, 16), 3).tolist() == [32, 64, 128]
    assert continued((10, 20, 30), 2).tolist() == [40, 50]
    with pytest.raises(ValueError, match="equal steps or equal factors"):
        continued((1, 2, 3, 5), 1)
