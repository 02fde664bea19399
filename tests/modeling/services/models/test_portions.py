"""A run is shared out among workers in portions. A worker that loses its portion does not affect
the others.
"""

import time
from datetime import timedelta

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from ingest import work
from ingest.models import Upload
from ingest.selectors import law_roles
from ingest.services import upload_receive
from ingest.work import UPKEEP
from modeling.engine import fit
from modeling.models import ModelRun, Portion, State, Total
from modeling.services.models import fitting, planning, portions, runs
from modeling.services.work.time_limit import TimeLimitError, time_limit
from modeling.storage import arrays
from modeling.tasks import portion_execute, run_execute, runs_sweep
from tests import made_campaign
from tests.factories import make_project
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db

LAWS = {f"main->k{number:03}": lambda p, number=number: (1 + number) * p**0.5 for number in range(40)}
KILLER = "main->k017"


@pytest.fixture
def shared_out(monkeypatch):
    """Split even small runs: the leading portion has 4 kernels, the others have 12."""
    monkeypatch.setattr(planning, "PORTIONS_IN_ONE_GO", 0.0)
    monkeypatch.setattr(planning, "portion_kernels", lambda *_, **__: 12)
    monkeypatch.setattr(planning, "leading_kernels", lambda count, _: np.arange(0, count, 10))


@pytest.fixture
def campaign(shared_out):
    return store(make_project(), "1.0", LAWS)


def states(run):
    return [portion.state for portion in run.portions.order_by("pk")]


def next_portion(run):
    return portions.UNFINISHED.filter(run=run).order_by("pk").first()


def worked_off(run):
    """Do the work of all portions, then the last step of the run."""
    while portion := next_portion(run):
        portion_execute(portion.pk)
    run_execute(run.pk)
    run.refresh_from_db()
    return run


def test_a_run_is_planned_into_portions_of_which_one_leads(run):
    sizes = [len(portion.kernels) for portion in run.portions.order_by("pk")]
    assert sizes == [4, 12, 12, 12]
    assert states(run) == ["queued", "held", "held", "held"]
    assert (run.state, run.series_done, run.series_total) == (State.RUNNING, 0, 40)
    assert len({kernel for portion in run.portions.all() for kernel in portion.kernels}) == 40


def test_the_last_portions_are_small_so_that_workers_end_together(campaign, monkeypatch):
    monkeypatch.setattr(planning, "FEWEST_KERNELS", 2)
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run.pk)
    sizes = [len(portion.kernels) for portion in run.portions.order_by("pk")]
    assert sizes == [4, 9, 6, 5, 4, 3, 2, 2, 2, 2, 1]
    assert worked_off(run).models.count() == 40


def test_other_portions_use_what_the_kernels_share(run):
    portion_execute(next_portion(run).pk)
    assert states(run) == ["done", "queued", "queued", "queued"]
    common = {str(portion.common) for portion in run.portions.filter(leads=False)}
    assert len(common) == 1
    assert common != {"None"}
    run.refresh_from_db()
    assert run.series_done == 4
    assert run.campaign.uploads.get().progress == pytest.approx(0.1)


def test_the_models_equal_those_of_one_fit(run, campaign, monkeypatch):
    worked_off(run)
    assert (run.state, run.series_done, run.portions.count()) == (State.DONE, 40, 0)
    rows = list(run.models.order_by("kernel_id"))
    series = arrays.series_load(campaign, rows[0].metric_id)
    leading = np.arange(0, 40, 10)
    roles = law_roles(campaign)
    common = fit(series.points, series.values[leading], **roles).common
    fresh = fit(series.points, series.values, common=common, **roles)
    assert [row.expression for row in rows] == fresh.expressions(["p"])
    np.testing.assert_allclose([row.cv_smape for row in rows], fresh.cv_smape, rtol=1e-9)
    total = Total.objects.get(run=run)
    assert total.predicted == pytest.approx(sum(row.predicted for row in rows))
    assert campaign.uploads.get().state == Upload.State.DONE


def test_a_repeated_message_changes_nothing(run):
    first = next_portion(run)
    for _ in range(2):
        portion_execute(first.pk)
        run_execute(run.pk)
    second = next_portion(run)
    worked_off(run)
    before = sorted(run.models.values_list("pk", flat=True))
    portion_execute(second.pk)
    run_execute(run.pk)
    assert sorted(run.models.values_list("pk", flat=True)) == before
    assert len(before) == 40


def test_a_portion_whose_worker_is_killed_is_repeated_once_and_then_split(run, monkeypatch):
    """Portions are split until the kernel that kills its workers is alone in one. Only this kernel has no
    model.
    """
    killer = run.campaign.series.get(kernel__path=KILLER).kernel_id
    whole, killed = fitting.fitted, []

    def kill(portion):
        if killer in portion.kernels:
            killed.append(len(portion.kernels))
            raise SystemExit
        return whole(portion)

    monkeypatch.setattr(fitting, "fitted", kill)
    while portion := next_portion(run):
        try:
            portion_execute(portion.pk)
        except SystemExit:
            assert "killed" in Portion.objects.get(pk=portion.pk).cause
    run = worked_off(run)
    assert killed == [12, 12, 2, 2, 1, 1, 1]
    assert (run.state, run.series_done) == (State.DONE, 40)
    assert dict(run.models.values_list("kernel__path", "status")) == {
        path: "failed" if path == KILLER else "ok" for path in LAWS
    }
    (entry,) = run.failures
    assert "1 kernel could not be modelled in time: its worker was killed" in entry["message"]
    assert "killed" in run.models.get(status="failed").reason


def test_a_portion_that_takes_too_long_is_split(run, monkeypatch):
    slow = run.campaign.series.get(kernel__path=KILLER).kernel_id
    whole = fitting.fitted

    def wait(portion):
        if slow in portion.kernels:
            raise TimeLimitError
        return whole(portion)

    monkeypatch.setattr(fitting, "fitted", wait)
    run = worked_off(run)
    assert run.state == State.DONE
    assert run.models.filter(status="failed").get().kernel.path == KILLER
    assert "it took more than 60 seconds" in run.failures[0]["message"]


def test_work_ends_after_the_time_limit():
    with time_limit(30):
        pass
    with pytest.raises(TimeLimitError), time_limit(0.05):
        time.sleep(10)
    time.sleep(0.06)  # The timer does not fire after the block has ended.


def test_another_portion_leads_if_the_leading_one_is_lost(run, monkeypatch):
    Portion.objects.filter(leads=True).update(attempts=portions.ATTEMPTS_WHOLE)
    portion_execute(next_portion(run).pk)
    leading = run.portions.get(leads=True)
    assert (len(leading.kernels), leading.state) == (1, "queued")
    assert worked_off(run).state == State.DONE
    assert run.models.filter(status="ok").count() == 40


def test_a_run_works_without_shared_properties(run, monkeypatch):
    """If every leading kernel fails, the properties that kernels share are learned from the other kernels."""
    leading = next_portion(run)
    monkeypatch.setattr(fitting, "fit", lambda *_, **__: 1 / 0)
    portion_execute(leading.pk)
    monkeypatch.undo()
    assert worked_off(run).models.filter(status="ok").count() == 36


def test_a_campaign_that_grows_meanwhile_is_planned_again(run, campaign):
    old = next_portion(run)
    campaign.revision += 1
    campaign.save()
    portion_execute(old.pk)
    run.refresh_from_db()
    assert run.state == State.QUEUED
    assert not run.models.exists()
    worked_off(run)
    worked_off(run)
    assert (run.state, run.revision, run.models.count()) == (State.DONE, campaign.revision, 40)


def test_a_new_request_stops_the_current_run(run, campaign):
    campaign.revision += 1
    campaign.save()
    runs.run_request(campaign)
    run.refresh_from_db()
    assert run.state == State.QUEUED


def test_the_sweeper_sends_portions_and_the_last_step(run, monkeypatch):
    sent = {}
    monkeypatch.setattr(
        "modeling.tasks.requeue_lost", lambda rows, task, **_: sent.update({task: list(rows)})
    )
    runs_sweep()
    assert sent["modeling.tasks.run_execute"] == []
    assert sent["modeling.tasks.portion_execute"] == [run.portions.get(leads=True)]
    while portion := next_portion(run):
        portion_execute(portion.pk)
    runs_sweep()
    assert sent["modeling.tasks.run_execute"] == [run]
    assert sent["modeling.tasks.portion_execute"] == []


@pytest.fixture
def lost(monkeypatch):
    """Return a function that sweeps lost rows, and returns the messages that it sends.

    The rows were sent 20 s ago, and older messages of other rows still wait in all queues.
    """

    def sweep():
        for rows in (ModelRun.objects, Portion.objects):
            rows.update(queued_at=timezone.now() - timedelta(seconds=20))
        sent = []
        others = [work.Message("modeling.tasks.run_execute", 0, timezone.now() - timedelta(seconds=120))]
        monkeypatch.setattr(work, "LOOKED_AT", 1)
        monkeypatch.setattr(work, "oldest_messages", lambda queue: [] if queue == UPKEEP else others)
        monkeypatch.setattr(work, "_send", lambda task, pk, queue="": sent.append((task, pk, queue)))
        runs_sweep()
        return sorted(sent)

    return sweep


def test_a_lost_last_step_overtakes_waiting_work(run, lost):
    while portion := next_portion(run):
        portion_execute(portion.pk)
    assert lost() == [("modeling.tasks.run_execute", run.pk, UPKEEP)]


def test_portions_of_a_dead_worker_overtake_waiting_work(monkeypatch, lost):
    """The worker was killed before it sent any message for these portions."""

    def kill(portion):
        raise SystemExit

    run = ModelRun.objects.get(campaign=store(make_project(), "1.0", LAWS, metrics=("time", "bytes")))
    monkeypatch.setattr(fitting, "fitted", kill)
    with pytest.raises(SystemExit):
        run_execute(run.pk)
    monkeypatch.undo()
    waiting = run.portions.filter(state="queued")
    assert waiting.count() == 2
    assert lost() == sorted(("modeling.tasks.portion_execute", portion.pk, UPKEEP) for portion in waiting)


@pytest.mark.usefixtures("worker")
def test_real_workers_share_a_run(tmp_path):
    """The worker decides by itself whether to split a run, so the campaign is large enough for that."""
    project = make_project()
    for version in ("1.0", "1.1"):
        content = made_campaign.write(tmp_path / version, 300, repetitions=2).read_bytes()
        file = ContentFile(content, name="campaign.jsonl")
        upload_receive(project=project, application="hydro", version=version, file=file, user=None)
    end = time.monotonic() + 120
    while ModelRun.objects.filter(state=State.DONE).count() < 2 and time.monotonic() < end:
        time.sleep(0.1)
    for run in ModelRun.objects.all():
        assert (run.state, run.series_done, run.models.count()) == (State.DONE, 300, 300)
        assert (run.failures, run.portions.count()) == ([], 0)
    assert Upload.objects.filter(state=Upload.State.DONE).count() == 2
