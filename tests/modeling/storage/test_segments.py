"""Segmented laws are stored in the database, loaded, and used for predictions."""

import numpy as np
import pytest

from ingest.models import Metric, Target
from ingest.selectors import law_roles
from modeling.engine import fit
from modeling.engine.results.models import OK, SEGMENTED
from modeling.models import Forecast, Model, ModelRun
from modeling.selectors.run.models_at import models_at, models_of
from modeling.selectors.run.rows import rows_load
from modeling.services.predictions import default_target
from modeling.storage import arrays
from modeling.tasks import run_execute
from tests.factories import make_project
from tests.modeling.stored import model, store

pytestmark = pytest.mark.django_db

PROCESSES = tuple(4 * 2**step for step in range(10))
LAWS = {
    "main->halo": lambda p: 0.02 * p if p < 100 else 1.4 + 0.3 * np.log2(p),
    "main->sweep": lambda p: 2.0 + 0.1 * p,
    "main->three": lambda p: 0.1 * p if p < 32 else 40.0 if p < 256 else 90 + 0.05 * p,
}
POINTS = np.array([[5.0], [50.0], [70.0], [80.0], [100.0], [300.0], [2000.0], [65536.0]])


@pytest.fixture
def campaign():
    return store(make_project(), "1.0", LAWS, PROCESSES)


@pytest.fixture
def run(campaign):
    return model(campaign)


@pytest.fixture
def rows(run):
    return list(run.models.order_by("kernel__path"))


def test_kernels_know_that_they_are_segmented(rows):
    assert [row.status for row in rows] == [SEGMENTED, OK, SEGMENTED]
    assert rows[1].segments is None
    assert rows[1].segment_posteriors is None
    halo, three = rows[0].segments, rows[2].segments
    assert halo["parameter"] == 0
    assert halo["probability"] > 0.95
    assert [(each["first"], each["last"], each["following"]) for each in halo["earlier"]] == [(4, 64, 128)]
    assert [each["following"] for each in three["earlier"]] == [32, 256]


def test_stored_segments_give_the_same_answers(campaign, rows):
    series = arrays.series_load(campaign, rows[0].metric_id, [row.kernel_id for row in rows])
    fresh = fit(series.points, series.values, **law_roles(campaign))
    loaded = arrays.models_load(rows, campaign)
    np.testing.assert_allclose(loaded.predict(POINTS), fresh.predict(POINTS), rtol=1e-6)
    np.testing.assert_allclose(loaded.interval(POINTS), fresh.interval(POINTS), rtol=1e-6)
    np.testing.assert_allclose(
        loaded.prediction_interval(POINTS), fresh.prediction_interval(POINTS), rtol=1e-6
    )
    np.testing.assert_allclose(
        loaded.part(np.array([2])).predict(POINTS)[0], fresh.predict(POINTS)[2], rtol=1e-6
    )


def test_values_alone_are_the_predictions(campaign, rows):
    """The history reads fewer columns than other pages, and shows the same numbers."""
    few = Model.objects.filter(pk__in=[row.pk for row in rows]).order_by("kernel__path")
    read = list(few.values_list(*arrays.PREDICTING, named=True))
    for point in POINTS:
        predicted, *_ = arrays.predictions(arrays.models_load(rows, campaign), point)
        np.testing.assert_array_equal(arrays.values_at(read, campaign, point), predicted)


def test_formulas_alone_use_their_segments(rows, campaign):
    models = arrays.formulas_load(rows, campaign)
    truth = [[law(p) for p in PROCESSES] for _, law in sorted(LAWS.items())]
    np.testing.assert_allclose(models.predict(np.array(PROCESSES, float)[:, None]), truth, rtol=0.02)


def test_every_loader_loads_segments(run, rows):
    point = {"p": 32.0}
    metric = Metric.objects.get()
    truth = [law(32.0) for _, law in sorted(LAWS.items())]
    loaded = rows_load(run, metric)
    np.testing.assert_allclose(loaded.models.predict([[32.0]])[:, 0], truth, rtol=0.02)
    np.testing.assert_allclose(loaded.heaviest_weighed.predict([[32.0]])[:, 0], truth, rtol=0.02)
    found = models_at(list(models_of(run, metric)), run, point)
    np.testing.assert_allclose([each.amount.predicted for each in found], truth, rtol=0.02)
    assert len(rows) == len(found)


def test_another_target_is_predicted_by_the_law_of_its_segment(run):
    target = Target.objects.get()
    target.values = {"p": 16.0}
    target.save()
    default_target.application_retarget(target.application)
    halo = Model.objects.get(kernel__path="main->halo")
    assert halo.predicted == pytest.approx(0.32, rel=0.02)


def test_forecasts_of_segmented_laws_are_scored(campaign, run):
    later = store(campaign.version.application.project, "1.0", LAWS, (*PROCESSES, 8192))
    run_execute(ModelRun.objects.get(campaign=later).pk)
    forecasts = Forecast.objects.filter(campaign=later, model__kernel__path="main->halo")
    assert forecasts.get().relative_error < 0.1


def test_the_total_includes_segmented_kernels(run):
    total = run.totals.get()
    assert total.predicted == pytest.approx(sum(run.models.values_list("predicted", flat=True)))
