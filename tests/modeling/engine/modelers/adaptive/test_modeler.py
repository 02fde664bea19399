"""The adaptive modeler: when it uses the network, when it does not and why, and that it never makes a
campaign fail.
"""

import numpy as np
import pytest

from modeling.engine import Common, fit
from modeling.engine.laws.synthetic import SERIES, grid, measure, random_functions
from modeling.engine.modelers.adaptive import modeler
from modeling.engine.modelers.adaptive.adaptation import ADAPTED
from modeling.engine.modelers.adaptive.modeler import (
    FEW_VALUES,
    MANY_VALUES,
    NETWORK,
    NO_REPETITIONS,
    NOT_ASKED_TO,
    NOT_POSITIVE,
    REGRESSION,
)
from modeling.engine.modelers.adaptive.network import pretrained
from modeling.engine.validation import FloatArray

QUICK = f"{NETWORK}, {NOT_ASKED_TO}"


def campaign(
    *series: tuple[float, ...], noise: float, kernels: int = 60, repetitions: int = 5
) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(8)
    points = grid(series)
    truth = random_functions(kernels, len(series), rng).evaluate(points)
    return points, measure(truth, rng, noise=noise, repetitions=repetitions)


def methods(points: FloatArray, values: FloatArray) -> set[str]:
    models = fit(points, values, modeler="adaptive", adapts=False)
    assert models.method is not None
    return set(models.method.tolist())


def test_it_works() -> None:
    points, values = campaign(SERIES[0], noise=0.5)

    models = fit(points, values, modeler="adaptive", adapts=False)

    assert models.method is not None
    assert set(models.method) <= {QUICK, REGRESSION}
    assert (models.method == QUICK).mean() > 0.9
    assert np.isfinite(models.predict([[128.0]])).all()


def test_with_little_noise_the_better_law_is_used() -> None:
    points, values = campaign(SERIES[0], noise=0.02)

    assert methods(points, values) == {QUICK, REGRESSION}


def test_an_adapted_network_needs_no_comparison_at_noise_at_which_the_shipped_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points, values = campaign(SERIES[0], noise=0.1)
    monkeypatch.setattr(modeler, "network_for", lambda task, watch: (pretrained(), ADAPTED))

    adapted = fit(points, values, modeler="adaptive")

    assert adapted.method is not None
    assert set(adapted.method.tolist()) == {NETWORK}
    assert methods(points, values) == {QUICK, REGRESSION}


def test_with_three_parameters_a_network_that_is_not_adapted_is_always_compared() -> None:
    points, values = campaign(*SERIES[:3], noise=0.8, kernels=20)

    assert methods(points, values) == {QUICK, REGRESSION}


@pytest.mark.parametrize(
    ("series", "repetitions", "reason"),
    [
        ((4.0, 8.0, 16.0, 32.0), 5, FEW_VALUES),
        (tuple(float(x) for x in range(1, 13)), 5, MANY_VALUES),
        (SERIES[0], 1, NO_REPETITIONS),
    ],
)
def test_the_reason_for_using_the_regression_is_given(
    series: tuple[float, ...], repetitions: int, reason: str
) -> None:
    points, values = campaign(series, noise=0.3, repetitions=repetitions)

    models = fit(points, values, modeler="adaptive", adapts=False)

    assert models.method is not None
    assert set(models.method) == {reason}
    regression = fit(points, values, modeler="regression")
    for name in ("exponents", "constant", "coefficients", "holdout_error"):
        assert np.array_equal(getattr(models, name), getattr(regression, name), equal_nan=True)


def test_points_without_lines_use_the_regression() -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform(1, 100, (9, 2))

    assert methods(points, rng.uniform(1, 2, (3, 9, 5))) == {FEW_VALUES}


def test_a_kernel_with_zeros_uses_the_regression_and_affects_no_other() -> None:
    points, values = campaign(SERIES[0], noise=0.5, kernels=3)
    values[1, 2] = 0.0

    models = fit(points, values, modeler="adaptive", adapts=False)

    assert models.method is not None
    assert models.method.tolist() == [QUICK, NOT_POSITIVE, QUICK]


def test_falling_series_have_falling_laws() -> None:
    points = grid([SERIES[0]])
    values = measure(1000 / points.T.repeat(5, axis=0), np.random.default_rng(2), noise=0.5)

    models = fit(points, values, modeler="adaptive", adapts=False)

    assert (models.predict([[256.0]]) < values[:, -1].mean(axis=1)[:, None]).all()


def test_portions_give_the_same_models_as_the_whole_campaign() -> None:
    points, values = campaign(SERIES[0], SERIES[1], noise=0.4, kernels=30)
    whole = fit(points, values, modeler="adaptive", adapts=False)

    assert whole.common is not None
    common = Common.from_json(whole.common.to_json())
    part = fit(points, values[7:9], modeler="adaptive", adapts=False, common=common)

    assert part.common == whole.common
    assert np.array_equal(part.exponents, whole.exponents[7:9])
