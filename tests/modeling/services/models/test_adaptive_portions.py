"""Runs of the adaptive modeler have their own queue and time limit, and store a method with each model."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from ingest import work
from ingest.models import Campaign
from ingest.work import queue_of
from modeling.engine import TOO_FEW_VALUES
from modeling.engine.modelers.adaptive import modeler
from modeling.engine.modelers.adaptive.adaptation import ADAPTED
from modeling.engine.modelers.adaptive.apart import Watch
from modeling.engine.modelers.adaptive.network import Network, pretrained
from modeling.engine.modelers.adaptive.task import Task
from modeling.models import Model, ModelRun, Portion, State
from modeling.services.models import portions
from modeling.services.models.runs import run_request
from modeling.services.work.failures import KILLED
from modeling.tasks import portion_adapt, run_execute, runs_sweep
from tests.factories import make_project
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db

LAWS = {"main->solve": lambda p: 3 + 0.1 * p, "main->wait": lambda p: 1 + p**0.5, "main->io": lambda _: 5.0}


@pytest.fixture
def campaign() -> Campaign:
    return store(make_project(), "1.0", LAWS, noise=0.5)


def adaptive_run(campaign: Campaign) -> ModelRun:
    run = run_request(campaign, "adaptive", shown=False)
    run_execute(run.pk)
    return run


def test_even_small_runs_have_portions_in_a_separate_queue(campaign: Campaign) -> None:
    run = adaptive_run(campaign)

    assert run.portions.count() == 1  # The worker that plans the run leaves the modeling to the other queue.
    assert queue_of("modeling.tasks.portion_adapt") == "adaptive"
    assert portions.UNFINISHED.filter(portions.OF_ADAPTIVE).count() == 1


def test_work_of_a_dead_adapter_waits_and_delays_no_other_models(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    portion = adaptive_run(campaign).portions.get()
    long_ago = timezone.now() - timedelta(seconds=20)
    Portion.objects.update(attempts=1, cause=KILLED, queued_at=long_ago)
    sent: list[tuple[str, int, str]] = []
    monkeypatch.setattr(work, "oldest_messages", lambda _: [])
    monkeypatch.setattr(work, "_send", lambda task, pk, queue="": sent.append((task, pk, queue)))

    runs_sweep()

    assert ("modeling.tasks.portion_adapt", portion.pk, "adaptive") in sent


def adapting(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]) -> None:
    """Replace the adaptation: it returns the shipped network. Call `meanwhile` when the adaptation has
    reached 40 %.
    """

    def network_for(_: Task, watch: Watch) -> tuple[Network, str]:
        watch(0.0)
        watch(0.4)
        meanwhile()
        watch(1.0)
        return pretrained(), ADAPTED

    monkeypatch.setattr(modeler, "network_for", network_for)


def test_progress_and_duration_of_the_adaptation_are_stored(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = adaptive_run(campaign)
    seen: list[tuple[float | None, float | None]] = []
    stored = ModelRun.objects.filter(pk=run.pk).values_list("adapting", "adapted_seconds")
    adapting(monkeypatch, lambda: seen.append(stored.get()))

    portion_adapt(run.portions.get().pk)

    assert seen == [(0.4, None)]
    run.refresh_from_db()
    assert run.adapting is None
    assert run.adapted_seconds is not None
    assert 0 < run.adapted_seconds < 60


def test_a_network_that_was_not_adapted_has_no_duration(campaign: Campaign) -> None:
    run = adaptive_run(campaign)

    portion_adapt(run.portions.get().pk)

    run.refresh_from_db()
    assert (run.adapting, run.adapted_seconds) == (None, None)


@pytest.mark.parametrize("what", ["run", "campaign"])
def test_a_cancelled_or_deleted_run_ends_at_once_and_stores_nothing(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = adaptive_run(campaign)
    portion = run.portions.get()
    adapting(monkeypatch, run.delete if what == "run" else campaign.delete)

    portion_adapt(portion.pk)
    portion_adapt(portion.pk)  # The message of the portion arrives again.

    assert not ModelRun.objects.filter(modeler="adaptive").exists()
    assert not Model.objects.filter(run__modeler="adaptive").exists()
    assert "broken off" not in caplog.text


def test_a_campaign_that_grows_during_the_adaptation_is_modelled_again(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = adaptive_run(campaign)
    adapting(monkeypatch, lambda: Campaign.objects.update(revision=campaign.revision + 1))

    portion_adapt(run.portions.get().pk)

    run.refresh_from_db()
    assert (run.state, run.models.count()) == (State.QUEUED, 0)


def test_models_store_the_method_that_found_them(campaign: Campaign) -> None:
    run = adaptive_run(campaign)

    portion_adapt(run.portions.get().pk)
    run_execute(run.pk)

    run.refresh_from_db()
    assert (run.state, run.failures) == (State.DONE, [])
    methods = set(run.models.values_list("method", flat=True))
    assert len(methods) >= 1
    assert all(method.startswith(("network", "regression")) for method in methods)


def test_a_campaign_with_too_few_values_does_not_fail() -> None:
    campaign = store(make_project(), "1.0", LAWS, (4, 8, 16), noise=0.5)
    run = adaptive_run(campaign)

    portion_adapt(run.portions.get().pk)
    run_execute(run.pk)

    run.refresh_from_db()
    assert run.state == State.DONE
    models = Model.objects.filter(run=run)
    assert all("at least 5 values" in method for method in models.values_list("method", flat=True))
    assert not models.filter(status=TOO_FEW_VALUES).exists()


@pytest.mark.parametrize(
    ("processes", "noise", "told"),
    [
        (tuple(range(4, 56, 4)), 0.5, "at most 11 values"),
        ((4, 8, 16, 32, 64), 0.5, "not adapted: the extra is not installed"),
        ((3, 7, 16, 25, 64), 0.5, "not adapted: the extra is not installed"),
    ],
)
def test_the_reason_why_no_network_was_used_is_stored(
    processes: tuple[int, ...], noise: float, told: str
) -> None:
    campaign = store(make_project(), "1.0", LAWS, processes, noise=noise)
    run = adaptive_run(campaign)

    portion_adapt(run.portions.get().pk)
    run_execute(run.pk)

    run.refresh_from_db()
    assert (run.state, run.failures) == (State.DONE, [])
    methods = list(run.models.values_list("method", flat=True))
    assert any(told in method for method in methods)
    assert all(told in method or method == "regression" for method in methods)


def test_a_campaign_without_repetitions_does_not_fail() -> None:
    campaign = store(make_project(), "1.0", LAWS, noise=0.5)
    for series in campaign.series.all():
        series.values, series.repetitions = series.values[:: series.repetitions], 1
        series.save()
    run = adaptive_run(campaign)

    portion_adapt(run.portions.get().pk)
    run_execute(run.pk)

    run.refresh_from_db()
    assert run.state == State.DONE
    assert all("without repetitions" in method for method in run.models.values_list("method", flat=True))


def test_a_killed_worker_is_replaced_by_another(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    run = adaptive_run(campaign)
    adapt, begun = modeler.network_for, []

    def killed_once(task: Task, watch: Watch) -> tuple[Network, str]:
        begun.append(task)
        if len(begun) == 1:
            raise SystemExit
        return adapt(task, watch)

    monkeypatch.setattr(modeler, "network_for", killed_once)
    with pytest.raises(SystemExit):
        portion_adapt(run.portions.get().pk)
    assert "killed" in run.portions.get().cause
    portion_adapt(run.portions.get().pk)
    run_execute(run.pk)

    run.refresh_from_db()
    assert (run.state, run.failures, run.models.count()) == (State.DONE, [], len(LAWS))


def test_a_compared_run_changes_neither_uploads_nor_shown_models(campaign: Campaign) -> None:
    before = list(campaign.uploads.values_list("state", "progress"))
    run = adaptive_run(campaign)

    assert list(campaign.uploads.values_list("state", "progress")) == before
    assert not run.shown
