"""Models of kernels by only the parameters that they are known to depend on."""

import numpy as np
import pytest

from modeling.engine import PROFILE_CONTRADICTED, PROFILE_FOLLOWED, fit, fit_profiled
from modeling.engine.design.deduced.profiled import merged
from modeling.storage.posteriors import pack, unpack

NAMES = ("p", "n", "m")
AHEAD = np.array([[256.0, 320.0, 640.0], [256.0, 20.0, 10.0]])
OF_P = np.array([True, False, False])


def together(steps: int = 5) -> np.ndarray:
    """Points of a deduced design: p and m vary at the same time."""
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
    free = fit(points, values).interval(AHEAD)
    assert upper[0, 1] / lower[0, 1] < 0.5 * free[1][0, 1] / free[0][0, 1]


def test_models_are_those_of_the_merged_points() -> None:
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


def test_measurements_may_contradict() -> None:
    points = np.array([[p, n, 7.0] for p in (4.0, 8.0, 16.0, 32.0, 64.0) for n in (10.0, 20.0, 40.0)])
    values = measured([1 + 0.1 * points[:, 0] * points[:, 1], 3 + points[:, 0]])
    models = fit_profiled(points, values, np.tile(OF_P, (2, 1)))
    assert models.method is not None
    assert models.method.tolist() == [PROFILE_CONTRADICTED, PROFILE_FOLLOWED]
    assert models.predict(AHEAD[:, :] * [1, 1, 0] + [0, 0, 7]) == pytest.approx(
        np.array([[8193, 513], [259, 259]]), rel=0.05
    )


def test_kernels_change_nothing_for_each_other() -> None:
    points = together()
    values = measured([3 + 2 * points[:, 0], 5 + points[:, 1]])
    values[1, 3:] = np.nan
    depends_on = np.array([[True, False, False], [True, True, True]])
    models = fit_profiled(points, values, depends_on)
    alone = fit_profiled(points, values[:1], depends_on[:1], common=models.common)
    assert models.predict(AHEAD)[0] == pytest.approx(alone.predict(AHEAD)[0])
    empty = fit_profiled(points, np.full_like(values, np.nan), np.tile(OF_P, (2, 1)))
    assert empty.status.tolist() == ["no data"] * 2
