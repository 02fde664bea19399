"""Models of kernels by only the parameters that they are known to depend on."""

import numpy as np
import pytest

from modeling.engine import (
    PROFILE_ADDED,
    PROFILE_CONTRADICTED,
    PROFILE_FOLLOWED,
    PROFILE_PRODUCT,
    fit,
    fit_profiled,
)
from modeling.engine.design.deduced.profiled import merged
from modeling.storage.posteriors import pack, unpack

NAMES = ("p", "n", "m")
AHEAD = np.array([[256.0, 320.0, 640.0], [256.0, 20.0, 10.0]])
OF_P = np.array([True, False, False])


def together(steps: int = 5) -> np.ndarray:
    """Return the points of a deduced design, in which p and m vary at the same time."""
    return np.array([[4.0 * 2**step, n, 10.0 * 2**step] for step in range(steps) for n in (10.0, 20.0)])


def measured(laws: list[np.ndarray], noise: float = 0.02, repetitions: int = 3) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.stack([law[:, None] * np.exp(rng.normal(0, noise, (len(law), repetitions))) for law in laws])


def test_laws_use_only_what_kernels_depend_on() -> None:
    points = together()
    p, n, m = points.T
    values = measured([3 + 2 * p, 1 + m, 5 + 0 * n, 2 + 0.5 * p * n])
    depends_on = np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=bool)
    models = fit_profiled(points, values, depends_on)
    assert models.method is not None
    assert models.method.tolist() == [PROFILE_FOLLOWED] * 3 + [""]
    used = (models.exponents != 0).any(axis=(1, 3))
    assert not (used & ~depends_on).any()
    assert models.status[:3].tolist() == ["ok"] * 3
    lower, upper = models.interval(AHEAD)
    assert (lower[0] <= 515).all()
    assert (upper[0] >= 515).all()
    truth = [[515, 515], [641, 11], [5, 5]]
    assert models.predict(AHEAD)[:3] == pytest.approx(np.array(truth), rel=0.1)
    # without the profile nobody can tell p from m, which were always varied together
    assert np.isfinite(upper[0]).all()
    assert np.isnan(fit(points, values).interval(AHEAD)[1][0]).tolist() == [False, True]


def test_models_equal_those_of_the_merged_points() -> None:
    points = np.array([[p, n, 7.0] for p in (4.0, 8.0, 16.0, 32.0, 64.0) for n in (10.0, 20.0, 40.0)])
    p = points[:, 0]
    wave = np.exp(0.1 * np.sin(2 * np.log(p)))  # most kernels deviate from their laws
    values = measured([(3 + 2 * p) * wave, (1 + 0.1 * p**2) * wave, 50 * wave], noise=0.005)
    models = fit_profiled(points, values, np.tile(OF_P, (3, 1)))
    data = merged(points, values, np.array([0]))
    alone = fit(data.points, data.values)
    assert models.posterior is not None
    assert models.posterior.deviates is not None
    assert models.posterior.deviates.all()
    at = np.array([[8.0, 20.0, 7.0], [90.0, 500.0, 7.0], [90.0, 1.0, 7.0]])
    found = models.predict(at)
    assert found == pytest.approx(alone.predict(at[:, :1]), rel=0.03)
    assert found[:, 1] == pytest.approx(found[:, 2])
    stored = unpack(pack(models.posterior))
    assert stored.values(at) == pytest.approx(models.posterior.values(at), rel=1e-5)


def test_measurements_may_contradict_the_profile() -> None:
    points = np.array([[p, n, 7.0] for p in (4.0, 8.0, 16.0, 32.0, 64.0) for n in (10.0, 20.0, 40.0)])
    values = measured([1 + 0.1 * points[:, 0] * points[:, 1], 3 + points[:, 0]])
    models = fit_profiled(points, values, np.tile(OF_P, (2, 1)))
    assert models.method is not None
    assert models.method.tolist() == [PROFILE_CONTRADICTED, PROFILE_FOLLOWED]
    assert models.predict(AHEAD[:, :] * [1, 1, 0] + [0, 0, 7]) == pytest.approx(
        np.array([[8193, 513], [259, 259]]), rel=0.05
    )


def test_kernels_do_not_affect_each_other() -> None:
    points = together()
    values = measured([3 + 2 * points[:, 0], 5 + points[:, 1]])
    values[1, 3:] = np.nan
    depends_on = np.array([[True, False, False], [True, True, True]])
    models = fit_profiled(points, values, depends_on)
    alone = fit_profiled(points, values[:1], depends_on[:1], common=models.common)
    assert models.predict(AHEAD)[0] == pytest.approx(alone.predict(AHEAD)[0])
    empty = fit_profiled(points, np.full_like(values, np.nan), np.tile(OF_P, (2, 1)))
    assert empty.status.tolist() == ["no data"] * 2


def lines_and_a_crossing() -> np.ndarray:
    """Return the points of a sparse design, at which noisy values hardly distinguish sum and product."""
    lines = [[p, 10.0] for p in (4.0, 8.0, 16.0, 32.0, 64.0)] + [[4.0, n] for n in (20.0, 30.0, 40.0, 50.0)]
    return np.array([*lines, [8.0, 20.0]])


def products(exponents: np.ndarray) -> np.ndarray:
    """Return whether laws (..., T, m, 2) have a term of both parameters."""
    return np.asarray((exponents != 0).any(axis=-1).all(axis=-1).any(axis=-1))


def test_parameters_that_never_act_together_are_not_multiplied() -> None:
    points = lines_and_a_crossing()
    p, n = points.T
    truth = 20 + p + n
    values = measured([truth] * 12, noise=0.1)
    both = np.ones((12, 2), dtype=bool)
    apart = np.tile(np.eye(2, dtype=bool), (12, 1, 1))
    free = fit_profiled(points, values, both)
    models = fit_profiled(points, values, both, apart)
    assert free.posterior is not None
    assert models.posterior is not None
    assert models.method is not None
    assert products(free.exponents).any()
    changed = models.method == PROFILE_ADDED
    assert changed.sum() >= 6
    assert not products(models.exponents[changed]).any()
    likely = models.posterior.probability[changed] > 0
    assert not (products(models.posterior.exponents[changed]) & likely).any()
    assert (np.diff(models.posterior.probability[changed, 1:], axis=1) <= 0).all()
    assert models.posterior.probability.sum(axis=1) == pytest.approx(free.posterior.probability.sum(axis=1))
    # the draws are those of the same laws as before, and of no others
    for kernel in np.flatnonzero(changed):
        before = {tuple(row) for row in free.posterior.coefficients[kernel]}
        assert {tuple(row) for row in models.posterior.coefficients[kernel]} < before
    far = np.array([[512.0, 400.0]])
    widths = [np.log(upper / lower) for lower, upper in (each.interval(far) for each in (free, models))]
    assert np.median((widths[1] / widths[0])[changed]) < 0.9
    at = models.law(points)[changed]
    assert np.abs(at / truth - 1).mean() < 0.1
    assert models.smape[changed] == pytest.approx(
        (2 * np.abs(at - (y := np.median(values[changed], axis=2))) / (at + y)).mean(axis=1), rel=1e-6
    )


def test_a_product_that_the_measurements_show_is_kept() -> None:
    points = np.array([[p, n] for p in (4.0, 8.0, 16.0, 32.0, 64.0) for n in (10.0, 20.0, 30.0, 40.0, 50.0)])
    p, n = points.T
    values = measured([5 + 0.1 * p * n, 5 + p + n], noise=0.01)
    apart = np.tile(np.eye(2, dtype=bool), (2, 1, 1))
    models = fit_profiled(points, values, np.ones((2, 2), dtype=bool), apart)
    assert models.method is not None
    assert models.method[0] == PROFILE_PRODUCT
    assert models.method[1] != PROFILE_PRODUCT
    assert products(models.exponents).tolist() == [True, False]
