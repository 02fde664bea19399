"""Laws of kernels whose parameters were always varied together."""

import numpy as np
import pytest

from modeling.engine import fit, fit_profiled, holdout_error
from modeling.engine.questions.identifiability import lead_certainty
from modeling.engine.results.models import join
from tests.modeling.engine.cases import noisy

RANKS = 2.0 ** np.arange(3, 10)
TOGETHER = np.stack([RANKS / 8, RANKS], axis=1)
KEEPS, BREAKS = [512.0, 4096.0], [512.0, 2048.0]
TRUTH = 3 + 0.1 * RANKS
NAMES = ("nodes", "ranks")


@pytest.mark.parametrize("modeler", ["evidence", "regression", "refinement"])
def test_the_law_is_that_of_one_parameter_written_in_the_chosen_one(modeler):
    values = noisy(TRUTH, 0.02, kernels=3)
    models = fit(TOGETHER, values, modeler=modeler, first=1)
    alone = fit(RANKS[:, None], values, modeler=modeler)
    assert models.status.tolist() == alone.status.tolist() == ["ok"] * 3
    assert models.expressions(NAMES) == alone.expressions(("ranks",))
    for found, expected in zip(models.estimates([KEEPS]), alone.estimates([[4096.0]]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(
        holdout_error(TOGETHER, values, modeler=modeler),
        holdout_error(RANKS[:, None], values, modeler=modeler),
    )


def test_nothing_is_known_about_points_that_break_the_relation():
    models = fit(TOGETHER, noisy(TRUTH, 0.02, kernels=3))
    for lower, upper in (models.interval([KEEPS, BREAKS]), models.prediction_interval([KEEPS, BREAKS])):
        assert np.isfinite(lower[:, 0]).all()
        assert np.isnan(lower[:, 1]).all()
        assert np.isnan(upper[:, 1]).all()


def test_each_parameter_is_as_certain_as_the_one_from_which_it_follows():
    certainty = lead_certainty(fit(TOGETHER, noisy(TRUTH, 0.02)))
    assert certainty is not None
    assert certainty[0, 0] == certainty[0, 1] > 0.9


def test_a_third_parameter_is_modelled_as_without_the_bound_one():
    points = np.array([(p, 1000 * p, n) for p in (2, 4, 8, 16, 32) for n in (1, 2, 4, 8, 16)], float)
    values = noisy(points[:, 0] + 2 * points[:, 2] ** 2, 0.02, kernels=2)
    models, fewer = fit(points, values), fit(points[:, [0, 2]], values)
    at = np.array([[64.0, 64_000, 32]])
    # Deviations of three parameters have fewer lengths than those of two.
    np.testing.assert_allclose(models.predict(at), fewer.predict(at[:, [0, 2]]), rtol=0.005)
    assert models.unknown([[64.0, 64_000, 32], [64, 1000, 32]]).tolist() == [[False, True]] * 2


def test_a_kernel_measured_only_on_a_line_is_modelled_along_it():
    points = np.array([(p, n) for p in (2, 4, 8, 16, 32) for n in (100, 200, 400, 800, 1600)], float)
    values = noisy(5 * points[:, 0] + points[:, 1], 0.02, kernels=3)
    line = np.isclose(points[:, 1], 50 * points[:, 0])
    values[1, ~line] = np.nan
    models = fit(points, values)
    assert models.status.tolist() == ["ok"] * 3
    assert models.unknown([[64.0, 3200.0], [64.0, 100.0]]).tolist() == [
        [False] * 2,
        [False, True],
        [False] * 2,
    ]
    assert models.predict([[64.0, 3200.0]])[:, 0] == pytest.approx([3520] * 3, rel=0.05)
    parts = [fit(points, values[[at]], common=models.common) for at in range(3)]
    np.testing.assert_allclose(join(parts).predict(points), models.predict(points))


def test_a_law_of_ranks_does_not_contradict_a_profile_that_names_nodes():
    values = noisy(TRUTH, 0.02, kernels=2)
    depends_on = np.array([[True, False], [False, False]])
    models = fit_profiled(TOGETHER, values, depends_on, first=1)
    assert models.method is not None
    assert models.method.tolist() == ["profile", "contradicts the profile"]
    # A kernel that is known not to depend on ranks is known for any number of ranks.
    assert models.unknown([BREAKS]).tolist() == [[False], [True]]


def test_a_few_points_off_the_line_are_used():
    points = np.concatenate([TOGETHER, [[2.0, 64.0], [16.0, 64.0]]])
    models = fit(points, noisy(3 + 0.1 * points[:, 1], 0.02, kernels=2))
    assert models.status.tolist() == ["few values"] * 2
    predicted, lower, upper = models.estimates([[512.0, 512.0]])
    assert predicted[:, 0] == pytest.approx([54.2] * 2, rel=0.02)
    assert (lower < upper).all()
