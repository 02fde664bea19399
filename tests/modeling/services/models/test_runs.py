"""Runs turn a stored campaign into stored models."""

import numpy as np
import pytest

from ingest.models import Target, Upload
from ingest.selectors import law_roles
from ingest.work import MOST_ATTEMPTS
from modeling.engine import ENGINE_VERSION, fit
from modeling.models import Comparison, ModelRun, State, Total, Trend
from modeling.services.models import runs
from modeling.services.predictions import default_target
from modeling.services.work.failures import KILLED
from modeling.storage import arrays
from modeling.tasks import run_execute, runs_sweep
from perfweb.accounts.models import AuditEntry
from tests.factories import make_member, make_project
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db

LAWS = {
    "main->sweep": lambda p: 2.0,
    "main->halo": lambda p: 0.1 * p,
    "main->reduce": lambda p: 0.5 * np.log2(p),
}


@pytest.fixture
def campaign():
    return store(make_project(), "1.0", LAWS)


def test_a_stored_campaign_gets_one_run_automatically(campaign):
    assert ModelRun.objects.get().state == State.QUEUED
    runs.run_request(campaign)
    assert ModelRun.objects.count() == 1


def test_every_kernel_has_a_law(run, campaign):
    assert (run.state, run.series_done, run.series_total, run.error) == (State.DONE, 3, 3, "")
    growth = dict(run.models.values_list("kernel__path", "growth"))
    assert growth == {"main->sweep": "constant", "main->halo": "linear", "main->reduce": "logarithmic"}
    upload = campaign.uploads.get()
    assert (upload.state, upload.progress) == (Upload.State.DONE, 1.0)


def test_errors_and_noise_are_stored_with_the_law(run):
    halo = run.models.get(kernel__path="main->halo")
    assert 0 < halo.smape < 0.01
    assert 0 < halo.cv_smape < 0.02
    assert 0 <= halo.holdout_error < 0.05
    assert 0 < halo.noise_min <= halo.noise_median <= halo.noise_max <= halo.noise < 0.02
    assert halo.largest == pytest.approx(6.4, rel=0.01)


def test_predictions_are_for_the_default_target(run):
    target = Target.objects.get()
    assert run.target == target.values == {"p": 1024.0}
    halo = run.models.get(kernel__path="main->halo")
    assert halo.lower <= halo.predicted <= halo.upper
    assert halo.predicted == pytest.approx(102.4, rel=0.05)


def test_stored_models_give_the_same_answers(run, campaign):
    rows = list(run.models.order_by("kernel_id"))
    series = arrays.series_load(campaign, rows[0].metric_id)
    fresh = fit(series.points, series.values, **law_roles(campaign))
    loaded = arrays.models_load(rows, campaign)
    points = np.array([[3.0], [100.0], [5000.0]])
    np.testing.assert_allclose(loaded.predict(points), fresh.predict(points))
    np.testing.assert_allclose(loaded.interval(points), fresh.interval(points))
    np.testing.assert_allclose(loaded.prediction_interval(points), fresh.prediction_interval(points))
    assert loaded.expressions(["p"]) == fresh.expressions(["p"]) == [row.expression for row in rows]


def test_the_total_is_the_sum_of_the_kernels(run):
    total = Total.objects.get(run=run)
    assert total.predicted == pytest.approx(sum(run.models.values_list("predicted", flat=True)))
    assert total.lower < total.predicted < total.upper


def test_a_repeated_message_changes_nothing(run):
    before = sorted(run.models.values_list("pk", flat=True))
    run_execute(run.pk)
    assert sorted(run.models.values_list("pk", flat=True)) == before


def test_an_interrupted_run_starts_again(campaign):
    run = ModelRun.objects.get()
    run_execute(run.pk)
    for state in (State.RUNNING, State.QUEUED):
        ModelRun.objects.update(state=state)
        run_execute(run.pk)
        run.refresh_from_db()
        assert (run.state, run.series_done, run.models.count()) == (State.DONE, 3, 3)


def test_a_run_that_kills_its_workers_is_set_aside(campaign):
    ModelRun.objects.update(attempts=MOST_ATTEMPTS, cause=KILLED)
    run_execute(ModelRun.objects.get().pk)
    run = ModelRun.objects.get()
    assert run.state == State.FAILED
    assert "never finished" in run.error
    assert "killed" in run.error
    # The upload is done, because its measurements are stored.
    assert campaign.uploads.get().state == Upload.State.DONE


def test_the_sweeper_finds_a_campaign_whose_signal_was_lost(campaign):
    ModelRun.objects.all().delete()
    runs_sweep()
    assert ModelRun.objects.get().campaign == campaign


def test_a_kernel_without_a_point_is_modelled_from_the_others():
    campaign = store(make_project(), "1.0", LAWS, missing=frozenset({("main->halo", 64)}))
    run_execute(ModelRun.objects.get(campaign=campaign).pk)
    points = dict(ModelRun.objects.get().models.values_list("kernel__path", "points_used"))
    assert points == {"main->sweep": 5, "main->halo": 4, "main->reduce": 5}


def test_trends_contain_the_versions_in_order(run, campaign):
    project = campaign.version.application.project
    slower = store(project, "1.1", LAWS | {"main->halo": lambda p: 0.2 * p, "main->new": lambda p: 1.0})
    run_execute(ModelRun.objects.get(campaign=slower).pk)
    halo = Trend.objects.get(kernel__path="main->halo")
    assert halo.versions == [campaign.version_id, slower.version_id]
    assert halo.predicted == pytest.approx([102.4, 204.8], rel=0.05)
    assert halo.impact == pytest.approx(102.4, rel=0.1)
    assert Trend.objects.get(kernel__path="main->new").versions == [slower.version_id]
    assert Trend.objects.order_by("-impact").first() == halo


def test_a_new_default_target_updates_every_prediction(run, campaign):
    Target.objects.update(values={"p": 128})
    default_target.application_retarget(campaign.version.application)
    run.refresh_from_db()
    assert run.target == {"p": 128}
    assert run.models.get(kernel__path="main->halo").predicted == pytest.approx(12.8, rel=0.05)
    assert Total.objects.get().predicted == pytest.approx(12.8 + 2 + 3.5, rel=0.05)
    assert Trend.objects.get(kernel__path="main->halo").predicted == pytest.approx([12.8], rel=0.05)


@pytest.fixture
def user(campaign):
    return make_member(campaign.version.application.project)


def test_models_of_an_older_engine_are_made_again(run, user):
    assert not runs.run_again(run=run, user=user)
    ModelRun.objects.update(engine_version="0.9", judged=3)
    run.refresh_from_db()
    before = list(run.models.order_by("kernel_id").values_list("kernel", "expression"))
    assert runs.run_again(run=run, user=user)
    run.refresh_from_db()
    assert (run.state, run.attempts) == (State.QUEUED, 0)
    assert not runs.run_again(run=run, user=user)  # The models are already being made again.
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.state, run.engine_version, run.judged) == (State.DONE, ENGINE_VERSION, 0)
    assert list(run.models.order_by("kernel_id").values_list("kernel", "expression")) == before
    entry = AuditEntry.objects.get(action="run.again")
    assert (entry.user, entry.details) == (user, {"engine_before": "0.9", "engine": ENGINE_VERSION})


def test_a_run_that_failed_can_be_made_again(run, campaign, user):
    ModelRun.objects.update(state=State.FAILED, error="Set aside.", attempts=MOST_ATTEMPTS + 1)
    campaign.uploads.update(state=Upload.State.FAILED, error={"message": "Set aside."})
    assert runs.run_again(run=run, user=user)
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (State.DONE, "")
    upload = campaign.uploads.get()
    assert (upload.state, upload.error) == (Upload.State.DONE, None)


def test_comparisons_with_new_models_are_repeated(run, user):
    other = store(run.campaign.version.application.project, "1.1", LAWS)
    run_execute(other.runs.get().pk)
    Comparison.objects.update(state=State.DONE)
    ModelRun.objects.update(engine_version="0.9")
    assert runs.run_again(run=run, user=user)
    assert Comparison.objects.get().state == State.QUEUED
