"""Models of some parameters predict the same for all values of the parameters that are added."""

from dataclasses import replace

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.results.lifted import lifted
from tests.modeling.engine.cases import GRID, noisy, regression

PARAMETERS = np.array([0, 2])
P, N = GRID.T
STEPS = 1 + 0.4 * (np.arange(len(GRID)) % 2)
VALUES = np.concatenate([noisy(2 + P * N, 0.05), noisy((3 + N) * STEPS, 0.01), noisy(50 * N / P, 0.1)])
TARGETS = np.array([(2.0, 5, 10), (64, 1, 50), (64, 9, 80), (128, 3, 20), (20, 700, 33)])


def like(models):
    """Return models whose shape and measured range are those of three parameters."""
    count, terms = models.exponents.shape[:2]
    return replace(
        models,
        exponents=np.zeros((count, terms + 1, 3, 2)),
        lower=np.array([models.lower[0], 1, models.lower[1]]),
        upper=np.array([models.upper[0], 8, models.upper[1]]),
    )


@pytest.fixture(scope="module", params=["regression", "evidence"])
def models(request):
    """Return models of two parameters."""
    return fit(GRID, VALUES) if request.param == "evidence" else regression(GRID, VALUES)


def test_predictions_do_not_depend_on_the_added_parameter(models):
    wide = lifted(models, PARAMETERS, like(models))
    few = TARGETS[:, PARAMETERS]
    # The lengths of deviations of two and of three parameters are similar, but not equal.
    np.testing.assert_allclose(wide.predict(TARGETS), models.predict(few), rtol=0.02)
    for found, expected in zip(wide.interval(TARGETS), models.interval(few), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0.02)
    np.testing.assert_array_equal(wide.lead_exponents[:, PARAMETERS], models.lead_exponents)
    assert not wide.lead_exponents[:, 1].any()
    assert wide.expressions(["p", "k", "n"]) == models.expressions(["p", "n"])


def test_the_measured_range_is_that_of_all_parameters(models):
    wide = lifted(models, PARAMETERS, like(models))
    assert (wide.lower.tolist(), wide.upper.tolist()) == ([4, 1, 10], [64, 8, 50])


def test_models_of_another_modeler_are_refused(models):
    larger = replace(models, exponents=np.zeros((3, 5, 2, 2)))
    with pytest.raises(ValueError, match="expected those of the same one"):
        lifted(larger, PARAMETERS, like(models))
    posterior = None if models.posterior is not None else object()
    with pytest.raises(ValueError, match="expected those of the same one"):
        lifted(models, PARAMETERS, replace(like(models), posterior=posterior))
