"""Scaling derived from laws: examples worked by hand, and array code compared with a loop over the draws."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.questions.scaling import isoefficiency, scaling
from modeling.engine.results.posterior import share_of_draws
from tests.modeling.engine.cases import GRID, law, noisy

COUNTS = np.array([2.0, 8.0, 64.0, 512.0])
DOUBLING = np.array([1.0, 2, 4, 8, 16, 32, 64])[:, None]
AMDAHL = law([6400.0], [[[-1, 0]]], constant=100.0)
"""A program with 100 s of serial work, and 6,400 s of work that is divided among all processes."""


def test_speed_up_and_efficiency_of_amdahls_law():
    found = scaling(AMDAHL, [1.0], COUNTS)
    assert found.base == 1
    time = 100 + 6400 / COUNTS
    np.testing.assert_allclose(found.speed_up.median, [6500 / time])
    np.testing.assert_allclose(found.strong_efficiency.median, [6500 / time / COUNTS])
    np.testing.assert_allclose(found.weak_efficiency.median, [6500 / time])
    np.testing.assert_allclose(found.core_hours.median, [time * COUNTS / 3600])
    np.testing.assert_allclose(found.strong_limit.median, [66], rtol=1e-3)  # (2·100 + 6400) / 100 processes
    assert found.divides.all()


def test_a_time_that_always_falls_has_no_best_number_of_processes():
    found = scaling(AMDAHL, [1.0], COUNTS)
    assert found.reach == 64 * 64
    assert np.isinf(found.fastest.median).all()
    assert np.isinf(found.weak_limit.median).all()


def test_beyond_the_best_number_of_processes_there_is_no_gain():
    models = law([6400.0, 1.0], [[[-1, 0]], [[1, 0]]])
    found = scaling(models, [1.0], COUNTS)
    np.testing.assert_allclose(found.fastest.median, [80], rtol=0.05)


def test_weak_scaling_falls_below_half_where_the_time_has_doubled():
    models = law([1.0], [[[0, 1]]], constant=5.0)
    found = scaling(models, [1.0], COUNTS)
    np.testing.assert_allclose(found.weak_efficiency.median, [5 / (5 + np.log2(COUNTS))])
    np.testing.assert_allclose(found.weak_limit.median, [32], rtol=1e-3)
    assert not found.divides.any()


def test_a_size_of_the_whole_program_grows_in_weak_scaling():
    models = law([3.0], [[[-1, 0], [1, 0]]], constant=0.0)  # The law 3·n/p.
    found = scaling(models, [1.0, 10.0], COUNTS, total_sizes=[1])
    np.testing.assert_allclose(found.weak_efficiency.median, 1)
    np.testing.assert_allclose(found.strong_efficiency.median, 1)


def test_speed_up_refers_to_the_smallest_number_of_processes():
    models = law([6400.0], [[[-1, 0]]], lower=np.array([16.0]))
    found = scaling(models, [16.0], [16.0, 32.0])
    assert found.base == 16
    np.testing.assert_allclose(found.speed_up.median, [[1, 401 / 201]])
    np.testing.assert_allclose(found.strong_efficiency.median, [[1, 401 / 402]])


def test_times_in_other_units_give_core_hours():
    found = scaling(AMDAHL, [1.0], [64.0], seconds=1e-3)
    np.testing.assert_allclose(found.core_hours.median, 200 * 64 / 3.6e6)


def test_a_single_law_has_no_interval():
    found = scaling(AMDAHL, [1.0], COUNTS)
    assert np.isnan([found.speed_up.lower, found.speed_up.upper]).all()


def test_the_problem_has_to_grow_like_p_log_p():
    models = law([1.0, 1.0], [[[-1, 0], [1, 0]], [[0, 1], [0, 0]]], constant=0.0)  # The law n/p + log2 p.
    counts = np.array([4.0, 16.0, 64.0])
    found = isoefficiency(models, [1.0, 1.0], counts, size=1, reach=1e6)
    np.testing.assert_allclose(found.size.median, [counts * np.log2(counts)], rtol=1e-2)


def test_sizes_that_keep_no_efficiency_and_all_sizes_that_do():
    models = law([1.0, 1.0], [[[-1, 0], [1, 0]], [[0, 1], [0, 0]]], constant=0.0)
    found = isoefficiency(models, [1.0, 1.0], [1.0, 2.0, 1024.0], size=1)
    assert found.size.median[0, 0] == found.smallest == 1
    assert np.isinf(found.size.median[0, 2])
    assert found.reach == 64 * 64


def test_draws_together_equal_draws_alone():
    models = fit(DOUBLING, noisy(3 + 500 / DOUBLING[:, 0], 0.3, kernels=3), trend=False)
    found = scaling(models, [1.0], COUNTS)
    posterior = models.posterior
    for kernel in range(3):
        speed_up, limit = [], []
        for draw in range(posterior.law.shape[1]):
            terms = posterior.exponents[kernel, posterior.law[kernel, draw]]
            constant, *coefficients = posterior.coefficients[kernel, draw]

            def time(p, constant=constant, coefficients=coefficients, terms=terms):
                return constant + sum(
                    c * p**i * np.log2(p) ** j for c, ((i, j),) in zip(coefficients, terms, strict=True)
                )

            speed_up.append(time(1.0) / time(COUNTS))
            p = np.geomspace(1, 4096, 4000)
            below = np.flatnonzero(time(1.0) / time(p) / p < 0.5)
            limit.append(p[below[0]] if below.size else np.inf)
        for name, probability in (
            ("lower", share_of_draws(0.025)),
            ("median", 0.5),
            ("upper", share_of_draws(0.975)),
        ):
            expected = np.quantile(speed_up, probability, axis=0, method="inverted_cdf")
            np.testing.assert_allclose(getattr(found.speed_up, name)[kernel], expected)
            at = np.quantile(limit, probability, method="inverted_cdf")
            np.testing.assert_allclose(getattr(found.strong_limit, name)[kernel], at, rtol=0.01)


def test_intervals_contain_the_truth():
    truth = 3 + 500 / DOUBLING[:, 0]
    models = fit(DOUBLING, noisy(truth, 0.3, kernels=60))
    limit = scaling(models, [1.0], COUNTS).strong_limit
    inside = (limit.lower <= 506 / 3) & (limit.upper >= 506 / 3)
    assert inside.mean() > 0.85
    assert np.isfinite(limit.upper).mean() > 0.9


def test_isoefficiency_of_a_measured_campaign():
    p, n = GRID.T
    models = fit(GRID, noisy(20 * n / p + 3 * np.log2(p), 0.02, kernels=5))
    found = isoefficiency(models, [4.0, 10.0], [64.0], size=1, reach=1e5)
    # The cost 20·n/4 + 6 is compared with 16·(20·n/64 + 18), so E = (5·n + 6)/(5·n + 288).
    np.testing.assert_allclose(found.size.median, np.full((5, 1), 276 / 5), rtol=0.1)
    assert (found.size.lower <= found.size.median).all()


def test_kernels_without_time_or_data_have_no_scaling():
    values = np.stack([np.zeros((7, 5)), np.full((7, 5), np.nan)])
    found = scaling(fit(DOUBLING, values), [1.0], COUNTS)
    for quantity in (found.speed_up, found.strong_limit, found.fastest):
        assert np.isnan(quantity.median[1]).all()
    assert np.isnan(found.speed_up.median[0]).all()


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"parameter": 1}, "parameters"),
        ({"total_sizes": [0]}, "parameters"),
        ({"threshold": 1.5}, "efficiency"),
        ({"reach": 0.5}, "reach"),
        ({"processes": [-1.0]}, "processes"),
        ({"at": [1.0, 2.0]}, "points"),
    ],
)
def test_invalid_arguments_are_named(options, names):
    arguments = {"at": [1.0], "processes": COUNTS} | options
    with pytest.raises(ValueError, match=names):
        scaling(AMDAHL, **arguments)
