"""The rows of finished runs that web processes keep in memory are never older than the database."""

from datetime import timedelta

import numpy as np
import pytest

from modeling.models import Model, ModelRun, State
from modeling.selectors.run import rows
from modeling.selectors.run.campaign import longest_line, medians_along
from modeling.selectors.run.kernel_table import table_load
from modeling.selectors.run.rows import NOTABLE_SHARE, rows_load
from modeling.selectors.run.snapshot_loading import runs_load, snapshot_load
from modeling.services.application import target_add
from modeling.services.predictions.default_target import application_retarget
from tests.factories import make_application, make_campaign, make_member, make_run
from tests.measured import STORY, make_measured, make_weighed
from tests.portal.stories import laws


@pytest.fixture
def run(db):
    return make_run(make_campaign(make_application(), "1.0"), laws())


def load(run):
    """Load the run and its metric, as the next request does."""
    found = runs_load([run.pk])[run.pk]
    return found, found.campaign.version.application.metrics.get()


@pytest.mark.parametrize("some", [1, 3])
def test_predictions_of_some_kernels_at_a_time(run, monkeypatch, some):
    whole = snapshot_load(*load(run), {"p": 2048, "n": 8000})
    points = np.array([[2.0, 1000.0], [64.0, 4000.0]])
    curves = whole.curves(points)
    rows._runs.clear()
    monkeypatch.setattr(rows, "kernels_at_once", lambda campaign: some)
    monkeypatch.setattr(rows, "NUMBERS_AT_ONCE", 4 * some)
    parted = snapshot_load(*load(run), {"p": 2048, "n": 8000})
    assert parted is not whole
    for name in ("predicted", "lower", "upper"):
        np.testing.assert_array_equal(getattr(parted, name), getattr(whole, name))
    np.testing.assert_array_equal(parted.curves(points), curves)


def test_of_very_many_kernels_the_smallest_are_predicted_by_formulas(db, monkeypatch):
    _, run = make_weighed(make_application(), "1.0")
    target = {"p": 2048, "n": 8000}
    whole = snapshot_load(*load(run), target)
    rows._runs.clear()
    monkeypatch.setattr(rows, "MOST_WEIGHED", 2)
    few = snapshot_load(*load(run), target)
    same = np.flatnonzero(few.upper == whole.upper)
    assert len(whole.rows) > 3
    assert {*same} >= {*few.loaded._heaviest(2)}
    assert len(same) < len(whole.rows)
    np.testing.assert_allclose(few.predicted, whole.predicted, rtol=0.5)


def test_kernels_whose_formulas_make_them_large_are_fully_predicted(db, monkeypatch):
    _, run = make_weighed(make_application(), "1.0", noise=0.5)
    points = np.array([[64.0, 4000.0], [1e5, 1e5]])
    whole = snapshot_load(*load(run))
    predicted, formulas = whole.curves(points), whole.loaded.curves(points)
    rows._runs.clear()
    monkeypatch.setattr(rows, "POSTERIORS_KEPT", 1)
    few = snapshot_load(*load(run))
    assert len(few.loaded.heaviest) == 1
    notable = (formulas / formulas.sum(axis=0)).max(axis=1) >= NOTABLE_SHARE
    assert notable.sum() > 2
    np.testing.assert_array_equal(few.curves(points)[notable], predicted[notable])
    assert (predicted[notable] != formulas[notable]).any(axis=1).sum() > 1


def test_pages_share_results_of_a_finished_run(run):
    assert rows_load(*load(run)) is rows_load(*load(run))
    assert snapshot_load(*load(run)) is snapshot_load(*load(run))
    assert table_load(*load(run), None) is table_load(*load(run), None)


def test_results_of_a_run_that_finished_again_are_replaced(run):
    before = snapshot_load(*load(run)).total.predicted
    Model.objects.filter(run=run, kernel__path="main->sweep").update(predicted=1.0)
    ModelRun.objects.filter(pk=run.pk).update(finished_at=load(run)[0].finished_at + timedelta(seconds=1))
    assert snapshot_load(*load(run)).total.predicted < before
    assert table_load(*load(run), None).rows[0].predicted == 1.0


def test_results_of_an_unfinished_run_are_not_kept(run):
    ModelRun.objects.filter(pk=run.pk).update(state=State.RUNNING)
    assert rows_load(*load(run)) is not rows_load(*load(run))


def test_a_new_default_target_replaces_the_results(run):
    application = run.campaign.version.application
    before = table_load(*load(run), None).rows[0].predicted
    application.targets.all().delete()
    target_add(
        application=application,
        name="far",
        values={"p": 1e6, "n": 1e6},
        user=make_member(application.project),
    )
    application_retarget(application)
    assert table_load(*load(run), None).rows[0].predicted > before


def test_results_of_different_targets_are_separate(run):
    near, far = (table_load(*load(run), [16, n]).rows[0].predicted for n in (1000, 2000))
    assert near < far
    assert table_load(*load(run), [16, 1000]).rows[0].predicted == near


def test_medians_are_loaded_once_per_kernel(db, django_assert_num_queries):
    run = make_measured(make_application(), "1.0", STORY)[1]
    found, metric = load(run)
    kernels = [row.model.kernel_id for row in table_load(found, metric, None).rows]
    line = longest_line(found.campaign.points)
    for asked, queries in ((kernels[:1], 1), (kernels, 1), (kernels, 0)):
        with django_assert_num_queries(queries):
            medians = table_load(found, metric, None).medians(found.campaign, metric, asked, line)
        assert medians == medians_along(found.campaign, metric, asked, line)
