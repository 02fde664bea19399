"""The laws of finished runs are judged in small steps. An interruption causes no law to be skipped or judged
twice.
"""

import numpy as np
import pytest

from ingest.models import Campaign
from ingest.work import MOST_ATTEMPTS
from modeling.engine.questions.stability import stability
from modeling.models import ModelRun
from modeling.services.models import runs
from modeling.services.models import stability as service
from modeling.storage import arrays
from modeling.tasks import run_execute, run_judge, runs_sweep
from tests.factories import make_project
from tests.modeling.stored import model, store

pytestmark = pytest.mark.django_db

LAWS = {
    "main->sweep": lambda p: 2.0,
    "main->halo": lambda p: 0.1 * p,
    "main->jump": lambda p: 30.0 if p == 64 else 5.0,
}


@pytest.fixture(scope="module")
def modelled_once(rows_of_module):
    return model(store(make_project(), "1.0", LAWS)).pk


@pytest.fixture
def run(modelled_once, monkeypatch):
    """Return a finished run whose laws are judged two at a time."""
    monkeypatch.setattr(service, "POINTS_AT_ONCE", 10)
    return ModelRun.objects.get(pk=modelled_once)


def judged(run):
    run.refresh_from_db()
    return run.judged, run.models.filter(stability__isnull=False).count()


def test_models_are_judged_in_small_steps(run):
    assert judged(run) == (0, 0)
    run_judge(run.pk)
    assert judged(run) == (2, 2)
    run_judge(run.pk)
    assert judged(run) == (3, 3)
    run_judge(run.pk)  # A repeated message changes nothing.
    assert judged(run) == (3, 3)
    assert run.attempts == 0


def test_stored_results_equal_those_of_the_engine(run):
    run_judge(run.pk)
    run_judge(run.pk)
    rows = list(run.models.order_by("kernel_id"))
    series = arrays.series_load(run.campaign, rows[0].metric_id)
    found = stability(series.points, series.values, arrays.models_load(rows, run.campaign))
    assert [row.stability for row in rows] == found.score.tolist()
    assert [row.weakest_point for row in rows] == found.weakest.tolist()
    ratios = found.ratio[np.arange(len(rows)), found.weakest]
    assert [row.weakest_ratio for row in rows] == pytest.approx(ratios.tolist())
    jump = run.models.get(kernel__path="main->jump")
    assert jump.stability < 1
    assert run.campaign.points[jump.weakest_point] == [64]
    assert run.models.get(kernel__path="main->sweep").stability == 1


def test_the_largest_kernels_are_judged_first_and_small_ones_of_many_never(run, monkeypatch):
    monkeypatch.setattr(service, "MOST_JUDGED", 10)
    run_judge(run.pk)
    assert judged(run) == (2, 2)
    assert run.models.get(stability=None).kernel.path == "main->sweep"
    run_judge(run.pk)
    assert judged(run) == (3, 2)
    assert not service.UNJUDGED.exists()


def test_laws_of_very_many_points_are_not_judged(run, monkeypatch):
    monkeypatch.setattr(service, "MOST_POINTS", 4)
    run_judge(run.pk)
    assert judged(run) == (3, 0)


def test_kernels_with_many_values_are_judged_one_by_one(run, monkeypatch):
    monkeypatch.setattr(service, "VALUES_AT_ONCE", 20)
    run_judge(run.pk)
    assert judged(run) == (1, 1)


def test_modeling_again_judges_again(run):
    run_judge(run.pk)
    ModelRun.objects.update(state="queued")
    run_execute(run.pk)
    assert judged(run) == (0, 0)


def test_a_campaign_that_has_grown_is_judged_after_its_new_models(run):
    Campaign.objects.update(revision=run.revision + 1)
    run_judge(run.pk)
    assert judged(run) == (0, 0)


def test_laws_that_kill_workers_have_unknown_stability(run):
    ModelRun.objects.update(attempts=MOST_ATTEMPTS)
    run_judge(run.pk)
    assert judged(run) == (3, 0)


def test_models_without_probabilities_are_not_judged(run):
    other = runs.run_request(run.campaign, "regression")
    run_execute(other.pk)
    run_judge(other.pk)
    assert judged(other) == (3, 0)


def test_the_sweeper_sends_lost_ones_again(run, monkeypatch):
    sent = []
    monkeypatch.setattr(
        "modeling.tasks.requeue_lost", lambda rows, task, **_: sent.append((task, list(rows)))
    )
    runs_sweep()
    assert ("modeling.tasks.run_judge", [run]) in sent
    for _ in range(2):
        run_judge(run.pk)
    sent.clear()
    runs_sweep()
    assert ("modeling.tasks.run_judge", []) in sent
