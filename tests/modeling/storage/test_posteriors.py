"""Posteriors are stored in rows, and models read from rows give the same predictions as the fitted ones."""

import struct
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ingest.selectors import law_roles
from modeling.engine import fit
from modeling.engine.deviations.deviation import NO_PROCESS, Deviation
from modeling.engine.deviations.processes import Kind, Processes, processes
from modeling.engine.deviations.trend import TREND_LENGTH, Trend
from modeling.engine.laws.terms import EXPONENTS
from modeling.engine.modelers.evidence.summary import LAWS_STORED
from modeling.engine.questions.stability import stability
from modeling.engine.results.posterior import Posterior, join_posteriors
from modeling.models import ModelRun
from modeling.storage import arrays, packed_deviations
from modeling.storage.posteriors import FLAGGED, SHORTER, TRENDING, pack, unpack
from modeling.tasks import run_execute
from tests.factories import make_project
from tests.modeling.stored import store

X = 4 * 2.0 ** np.arange(10)
AT = np.array([[1.0], [4.0], [50.0], [512.0], [2048.0], [3000.0], [1e5]])


@pytest.fixture(scope="module")
def models():
    """Fit kernels that follow a law, kernels that deviate from one, and kernels with missing points."""
    rng = np.random.default_rng(4)
    wandering = 3 * X * np.exp(np.cumsum(rng.normal(0, 0.15, (6, 10)), axis=1))
    truth = np.concatenate([wandering, [X + 5, np.full(10, 7.0)]])
    values = truth[:, :, None] * np.exp(0.02 * rng.normal(size=(8, 10, 3)))
    values[1, :3] = values[2, 5] = values[3, [0, 4, 9]] = np.nan
    return fit(X[:, None], values)


def alike(one, other):
    np.testing.assert_allclose(one, other, rtol=2e-5)


def test_loaded_models_predict_as_the_fitted_ones(models):
    points = [(~np.isnan(row)).sum() for row in models.posterior.deviation.values[:4]]
    assert points == [10, 7, 9, 7]
    found = unpack(pack(models.posterior))
    alike(found.values(AT), models.posterior.values(AT))
    alike(found.with_runs(AT), models.posterior.with_runs(AT))
    np.testing.assert_array_equal(found.deviation.process, models.posterior.deviation.process)


def test_stored_powers_between_stay_the_same_and_are_recognised():
    rng = np.random.default_rng(2)
    powers = np.array([[0.41], [0.4625], [0.87], [1.15], [1.38], [2.41]])
    values = (X**powers)[:, :, None] * np.exp(0.01 * rng.normal(size=(6, 10, 3)))
    models = fit(X[:, None], values)
    assert not np.isin(models.posterior.exponents[:, 0, 0, 0, 0], [i for i, _ in EXPONENTS]).any()
    stored = replace(models, posterior=unpack(pack(models.posterior)))
    alike(stored.posterior.values(AT), models.posterior.values(AT))
    fitted, loaded = (stability(X[:, None], values, each) for each in (models, stored))
    np.testing.assert_array_equal(loaded.survives, fitted.survives)
    np.testing.assert_allclose(loaded.ratio, fitted.ratio, rtol=0.01)
    assert fitted.survives.all()


def test_single_rows_predict_the_same_as_all_rows_together(models):
    rows, together = pack(models.posterior), models.posterior.values(AT)
    for kernel, row in enumerate(rows):
        alike(unpack([row]).values(AT)[0], together[kernel])
    backwards = unpack(rows[::-1])
    alike(backwards.values(AT)[::-1], together)
    alike(unpack(rows[1:3]).values(AT), together[1:3])


def test_trends_are_loaded_as_fitted_and_take_no_space_if_absent(models):
    kernels = len(models)
    slope, level = np.linspace(-0.5, 0.4, kernels), np.linspace(0.1, -0.1, kernels)
    slope[2], level[2] = 0, 0
    largest = np.full((kernels, 1), np.log(X[-1]))
    length = np.full((kernels, 1), TREND_LENGTH)
    length[4] = 0.3
    trend = Trend(slope[:, None, None], level[:, None, None], largest - 1, largest, length)
    rows, plain = (pack(replace(models.posterior, trend=one)) for one in (trend, None))
    found = unpack(rows)
    alike(found.values(AT), replace(models.posterior, trend=trend).values(AT))
    assert rows[2] == plain[2]
    more = [len(row) - len(one) for row, one in zip(rows, plain, strict=True)]
    assert more == [0 if number == 2 else 16 if number == 4 else 12 for number in range(kernels)]
    assert unpack(plain).trend is None
    alike(unpack(rows[2:4]).values(AT), found.values(AT)[2:4])


def test_trends_of_several_parameters_are_read_as_they_were_fitted():
    rng = np.random.default_rng(6)
    points = np.array([(p, n) for p in X[:4] for n in (10.0, 20, 40)])
    truth = np.array([[5.0], [70]]) + points.prod(axis=1)
    posterior = fit(points, truth[..., None]).posterior
    slope, level = rng.normal(0, 0.2, (2, 2, 2, 2))
    trend = Trend(
        slope, level, *(np.log(points[[0, 0]]), np.log(points[[-1, -1]])), np.array([[0.4, 1.5], [0.7, 0.2]])
    )
    at = np.array([[40.0, 15], [100, 5], [20, 80], [90, 90]])
    trending = replace(posterior, trend=trend)
    alike(unpack(pack(trending)).values(at), trending.values(at))


def test_kernels_without_deviations_take_no_space_for_them(models):
    deviating = (models.posterior.deviation.process != NO_PROCESS).any(axis=1)
    calm = models.posterior.part(np.flatnonzero(~deviating))
    assert len(calm.law) > 0
    found = unpack(pack(calm))
    assert found.deviation is None
    alike(found.values(AT), calm.values(AT))


def test_rows_of_several_segments(models):
    posterior = models.posterior
    rows = pack(posterior)
    found = unpack([rows[0] + rows[7] + rows[1], rows[2]])
    whole = join_posteriors([posterior.part(np.array([kernel])) for kernel in (0, 7, 1, 2)])
    alike(found.values(AT), whole.values(AT))


def test_kernels_with_equal_points_stay_one_group(models):
    """Kernels with the same points and errors still form one group, which is predicted together."""
    before, after = models.posterior.deviation, unpack(pack(models.posterior)).deviation
    groups = [sorted(kernels.tolist() for kernels, _ in each.groups()) for each in (before, after)]
    assert groups[0] == groups[1]
    assert max(map(len, groups[0])) > 1


def test_only_different_errors_take_space(models):
    posterior = models.posterior.part(np.array([0]))
    errors = posterior.deviation.error.copy()
    errors[0, 2] *= 4
    (equal,) = pack(posterior)
    other = replace(posterior, deviation=replace(posterior.deviation, error=errors))
    (unequal,) = pack(other)
    assert len(unequal) == len(equal) + 4 * len(X)
    alike(unpack([unequal]).values(AT), other.values(AT))


OLD = b"".join(
    [
        # numbers of laws, terms and parameters, an unused byte, number of draws
        struct.pack("<BBBBH", 2, 1, 1, 0, 3),
        struct.pack("<2d", 10.0, 4.0),  # units
        struct.pack("<2f", 0.75, 0.25),  # probabilities
        struct.pack("<4f", 1.0, 0.0, 1 / 3, 1.0),  # exponents
        struct.pack("<3B", 0, 0, 1),  # law of each draw
        struct.pack("<3B", 2, 2, 5),  # noise family of each draw
        struct.pack("<3f", 0.1, 0.1, 0.2),  # noise level of each draw
        struct.pack("<6f", 1.0, 0.5, 0.5, 1.0, 0.0, 0.25),  # coefficients
    ]
)


@pytest.mark.parametrize("times", [1, 2])
def test_rows_from_before_deviations_can_be_loaded(times):
    found = unpack([OLD * times])
    assert found.deviation is None
    expected = [10 + 2 * 8.0, 5 + 4 * 8.0, 8 ** (1 / 3) * 3]
    np.testing.assert_allclose(found.values(np.array([[8.0]]))[:, :, 0], [expected] * times, rtol=1e-6)
    assert pack(found)[0] == OLD


def test_old_rows_can_be_loaded_among_new_ones(models):
    new = models.posterior.part(np.array([0]))
    old = replace(new, deviation=None, trend=None)
    both = unpack([*pack(old), *pack(new), *pack(old)])
    alike(both.values(AT), np.concatenate([new.laws(AT), new.values(AT), new.laws(AT)]))


def as_before_flags(row):
    """Return a row of one kernel as engine 2.14 wrote it, with the flags in the number of points."""
    flags = row[0] & (TRENDING | SHORTER)
    return bytes([row[0] % FLAGGED, row[1], row[2], row[3] + flags]) + row[4:]


@pytest.mark.parametrize("length", [None, TREND_LENGTH, 0.3])
def test_deviations_and_trends_of_older_rows_can_be_loaded(models, length):
    new = models.posterior.part(np.array([0]))
    if length:
        one = np.ones((1, 1))
        trend = Trend(0.3 * one[None], one[None] / 9, one, one * np.log(X[-1]), one * length)
        new = replace(new, trend=trend)
    rows = pack(new)
    old = [as_before_flags(row) for row in rows]
    assert old != rows
    alike(unpack(old).values(AT), new.values(AT))


def test_all_points_of_a_large_grid_are_loaded():
    """There are 125, as in public campaigns of three parameters."""
    points = np.array(list(product(*(base ** np.arange(3, 8) for base in (2.0, 3.0, 1.7)))))
    rng = np.random.default_rng(3)
    truth = points.prod(axis=1) * np.exp(0.3 * np.sin(points.sum(axis=1)))
    values = truth[:, None] * np.exp(0.01 * rng.normal(size=(len(points), 3)))
    posterior = fit(points, values[None]).posterior
    assert (~np.isnan(posterior.deviation.values[0])).sum() == 125
    slope, length = np.full((1, 3, 3), 0.1), np.full((1, 3), 0.5)
    trend = Trend(slope, 0 * slope, np.log(points[:1]), np.log(points[-1:]), length)
    at = points[[3, 20, 124]] * [1.5, 1.2, 1.1]
    for known in (posterior, replace(posterior, trend=trend)):
        np.testing.assert_allclose(unpack(pack(known)).values(at), known.values(at), rtol=1e-4)


def test_the_number_of_laws_leaves_room_for_flags():
    assert LAWS_STORED < FLAGGED


@pytest.mark.parametrize("error", [np.full(12, 0.03125), 0.5 ** np.arange(12)], ids=["equal", "unequal"])
def test_three_parameters(error):
    rng = np.random.default_rng(2)
    among, draws = processes(3), 16
    process = rng.integers(-1, len(among), (2, draws)).astype(np.int16)
    points = np.log(rng.integers(2, 500, (2, 12, 3)).astype(float))
    values = rng.normal(size=(2, 12))
    points[1, 9:] = values[1, 9:] = np.nan
    posterior = Posterior(
        exponents=np.tile(np.array([[1.0, 0.0]]), (2, 1, 1, 3, 1)),
        probability=np.ones((2, 1)),
        law=np.zeros((2, draws), np.int16),
        coefficients=rng.uniform(1, 2, (2, draws, 2)),
        family=np.full((2, draws), 5, np.int8),
        level=np.full((2, draws), 0.1),
        deviation=Deviation(points, values, np.array([np.zeros(12), error]), process),
    )
    found = unpack(pack(posterior))
    np.testing.assert_array_equal(found.deviation.process, process)
    np.testing.assert_array_equal(found.deviation.error[1, :9], error[:9])
    at = np.array([[8.0, 20.0, 300.0], [900.0, 3.0, 3.0]])
    np.testing.assert_allclose(found.values(at), posterior.values(at), rtol=1e-3)


def changed(m):
    """Return processes in another order, with other sizes, and with an additional kind."""
    now = processes(m)
    kinds = (Kind(tuple(range(m)), 400.0), *now.kinds[::-1])
    kind = np.where(now.kind < 0, -1, len(now.kinds) - now.kind)[::-1]
    return Processes(kinds, kind, now.size[::-1] * 1.2, now.nugget[::-1] / 1.2, now.log_prior[::-1])


@pytest.fixture
def afresh():
    caches = packed_deviations._records, packed_deviations._number
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.usefixtures("afresh")
def test_rows_keep_their_meaning_when_the_table_of_processes_changes(m, monkeypatch):
    now, later = processes(m), changed(m)
    process = np.arange(len(now), dtype=np.int16)[None, :200]
    stored = Deviation(np.zeros((1, 1, m)), *np.zeros((2, 1, 1)), process)
    points, row = packed_deviations.pack_deviation(stored, 0)
    monkeypatch.setattr(packed_deviations, "processes", changed)
    packed_deviations._records.cache_clear()
    read, end = packed_deviations.unpack_deviation(row, 0, points, m, process.size)
    assert end == len(row)
    for before, after in zip(process[0], read.process[0], strict=True):
        assert later.kind[after] >= 0 or now.kind[before] < 0
        if now.kind[before] >= 0:
            assert later.kinds[later.kind[after]] == now.kinds[now.kind[before]]
            assert later.size[after] == pytest.approx(now.size[before] * 1.2)
        assert later.nugget[after] == pytest.approx(now.nugget[before] / 1.2)


@pytest.mark.django_db
def test_a_stored_campaign_predicts_as_the_fitted_models():
    processes = tuple(4 * 2**step for step in range(8))
    rng = np.random.default_rng(7)
    bends = dict(zip(processes, np.exp(np.cumsum(rng.normal(0, 0.15, 8))), strict=True))
    laws = {
        "main->wander": lambda p: 3 * p * bends[p],
        "main->turn": lambda p: 900 / p / bends[p],
        "main->few": lambda p: 2 * p * bends[p] ** 2,
        "main->law": lambda p: 2 + p,
    }
    missing = frozenset({("main->few", 4), ("main->few", 64)})
    campaign = store(make_project(), "1.0", laws, processes, missing=missing)
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run.pk)
    rows = list(run.models.order_by("kernel_id"))
    series = arrays.series_load(campaign, rows[0].metric_id)
    fresh = fit(series.points, series.values, **law_roles(campaign))
    loaded = arrays.models_load(rows, campaign)
    assert (fresh.posterior.deviation.process != NO_PROCESS).any(axis=1).sum() == 3
    alike(loaded.estimates(AT), fresh.estimates(AT))
    alike(loaded.prediction_interval(AT), fresh.prediction_interval(AT))
    for kernel, row in enumerate(rows):
        alike(arrays.models_load([row], campaign).predict(AT)[0], fresh.predict(AT)[kernel])
