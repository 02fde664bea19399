"""Campaigns that are sent in several uploads, and uploads that correct earlier ones."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from ingest.models import Campaign, Series, Upload
from ingest.services import campaigns, campaigns_settle
from ingest.signals import campaign_stored
from ingest.tasks import upload_ingest
from modeling.models import Comparison, ModelRun, State
from modeling.services.changes import comparisons
from modeling.tasks import comparison_execute, run_execute, runs_sweep
from tests.factories import make_project
from tests.ingest.sent import measured, send


@pytest.fixture
def heard():
    requested = []

    def listen(campaign, **_):
        requested.append(campaign)

    campaign_stored.connect(listen)
    yield requested
    campaign_stored.disconnect(listen)


def run_of(p, value, kernel="main->solve"):
    return json.dumps({"params": {"p": p}, "callpath": kernel, "value": value})


def store(project, content, key="night", **fields):
    upload = send(project, content, campaign=key, **fields)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    return upload


def time_passes():
    Campaign.objects.exclude(settles_at=None).update(settles_at=timezone.now() - timedelta(seconds=1))
    campaigns_settle()


def values():
    return {series.kernel.path: series.rows() for series in Series.objects.select_related("kernel")}


def test_it_works(project, heard):
    uploads = [store(project, run_of(p, value)) for p, value in ((4, 1.0), (8, 2.0), (4, 1.5))]
    campaign = Campaign.objects.get()
    assert campaign.points == [[4.0], [8.0]]
    assert values() == {"main->solve": [[1.0, 1.5], [2.0]]}
    assert (campaign.repetitions, campaign.value_count, campaign.revision) == (2, 3, 3)
    assert {upload.state for upload in uploads} == {"collecting"}
    assert not heard
    assert not ModelRun.objects.exists()


def test_models_are_made_once_after_the_last_run(project, heard):
    store(project, run_of(4, 1.0))
    store(project, run_of(8, 2.0))
    campaigns_settle()
    assert not heard  # The last run came too recently.
    time_passes()
    time_passes()
    assert heard == [Campaign.objects.get()]
    assert set(Upload.objects.values_list("state", flat=True)) == {"stored"}
    run_execute(ModelRun.objects.get().pk)
    assert set(Upload.objects.values_list("state", flat=True)) == {"done"}


def test_a_campaign_waits_for_uploads_that_are_still_being_read(project, heard):
    store(project, run_of(4, 1.0))
    waiting = send(project, run_of(8, 2.0), campaign="night")
    time_passes()
    assert not heard
    assert Campaign.objects.get().settles_at > timezone.now()
    upload_ingest(waiting.pk)
    time_passes()
    assert len(heard) == 1


@pytest.mark.parametrize("other", [{"dry_run": True}, {"campaign": "day"}, {"version": "2.0"}])
def test_a_campaign_does_not_wait_for_uploads_of_others(project, heard, other):
    store(project, run_of(4, 1.0))
    send(project, run_of(8, 2.0), **{"campaign": "night"} | other)
    time_passes()
    assert heard == [Campaign.objects.get()]


def test_the_same_bytes_are_the_same_run(project):
    store(project, run_of(4, 1.0))
    store(project, run_of(4, 1.0))
    assert values() == {"main->solve": [[1.0]]}


def test_the_same_bytes_of_another_run_are_a_repetition(project):
    """Two runs with the same time write the same bytes."""
    first, second = (store(project, run_of(4, 1.0), run=name) for name in ("1", "2"))
    assert store(project, run_of(4, 1.0), run="2") == second != first
    assert values() == {"main->solve": [[1.0, 1.0]]}


def test_a_correction_is_the_same_run(project):
    wrong = store(project, run_of(4, 1.0), run="2")
    assert store(project, run_of(4, 2.0), replaces=wrong.pk).run == "2"


@pytest.mark.parametrize("other", [{"key": "morning"}, {"version": "1.1"}, {"machine": "b"}])
def test_another_key_version_or_machine_gives_another_campaign(project, other):
    first = store(project, run_of(4, 1.0))
    assert store(project, run_of(4, 1.0), **other).campaign != first.campaign


def test_without_a_key_each_upload_is_a_campaign(project, heard):
    store(project, run_of(4, 1.0), key="")
    store(project, run_of(8, 1.0), key="")
    assert len(heard) == 2


def test_a_run_that_does_not_fit_changes_nothing(project):
    store(project, run_of(4, 1.0))
    wrong = store(project, json.dumps({"params": {"q": 4}, "value": 1.0}))
    assert wrong.state == Upload.State.FAILED
    assert "expected the parameters of the campaign that it belongs to: p" in wrong.error["message"]
    assert values() == {"main->solve": [[1.0]]}
    assert Campaign.objects.get().revision == 1


def test_after_a_crash_the_campaign_is_as_before(project, monkeypatch):
    store(project, run_of(4, 1.0))
    waiting = send(project, run_of(8, 2.0), campaign="night")
    with monkeypatch.context() as patch:
        patch.setattr(campaigns, "_series_store", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            upload_ingest(waiting.pk)
    assert values() == {"main->solve": [[1.0]]}
    upload_ingest(waiting.pk)
    assert values() == {"main->solve": [[1.0], [2.0]]}


def test_metadata_on_which_runs_agree_belong_to_the_campaign(project):
    store(project, run_of(4, 1.0), metadata={"compiler": "gcc", "job": 1})
    store(project, run_of(8, 1.0), metadata={"compiler": "gcc", "job": 2, "nodes": 2})
    store(project, run_of(16, 1.0), metadata={"compiler": "gcc", "job": 3})
    assert Campaign.objects.get().metadata == {"compiler": "gcc", "nodes": 2}


def test_a_campaign_that_has_grown_is_modelled_again(project):
    for p in (4, 8, 16, 32, 64):
        store(project, run_of(p, p * 1.0))
    time_passes()
    run = ModelRun.objects.get()
    run_execute(run.pk)
    store(project, run_of(128, 999.0))
    time_passes()
    run.refresh_from_db()
    assert run.state == State.QUEUED
    run_execute(run.pk)
    assert run.models.get().points_used == 6
    assert ModelRun.objects.get().revision == Campaign.objects.get().revision == 6


def test_comparisons_of_a_campaign_that_has_grown_are_repeated(project):
    for version, slope in (("1.0", 1.0), ("1.1", 1.0)):
        for p in (4, 8, 16, 32, 64):
            store(project, run_of(p, [slope * p, slope * p * 1.001]), version=version)
    time_passes()
    for run in ModelRun.objects.all():
        run_execute(run.pk)
    comparison = Comparison.objects.get()
    comparison_execute(comparison.pk)
    store(project, run_of(128, 5.0), version="1.1")
    time_passes()
    run_execute(ModelRun.objects.get(campaign__version__label="1.1").pk)
    comparison.refresh_from_db()
    assert comparison.state == State.QUEUED


def test_a_comparison_of_outdated_values_is_not_finished(project):
    for version in ("1.0", "1.1"):
        store(project, run_of(4, 1.0), key="", version=version)
    for run in ModelRun.objects.all():
        run_execute(run.pk)
    begun = Comparison.objects.get()
    Comparison.objects.update(queued_at=timezone.now())  # The comparison is requested once more.
    comparisons.comparison_execute(begun)
    assert Comparison.objects.get().state == State.RUNNING


def test_a_run_of_a_growing_campaign_starts_again_when_it_is_complete(project, monkeypatch):
    store(project, run_of(4, 1.0))
    time_passes()
    run = ModelRun.objects.get()

    def grow(campaign):
        monkeypatch.undo()
        store(project, run_of(8, 2.0))
        return [Series.objects.first().metric_id]

    monkeypatch.setattr("modeling.storage.arrays.metrics_of", grow)
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.state, run.attempts, run.models.count()) == (State.QUEUED, 0, 0)
    run_execute(run.pk)  # The message arrives too early.
    assert not run.models.exists()
    time_passes()
    run_execute(run.pk)
    run.refresh_from_db()
    assert (run.state, run.models.get().points_used) == (State.DONE, 2)


def test_the_sweeper_finds_a_campaign_whose_signal_was_lost(project):
    store(project, run_of(4, 1.0))
    time_passes()
    run_execute(ModelRun.objects.get().pk)
    store(project, run_of(8, 2.0))
    Campaign.objects.update(settles_at=None)
    Upload.objects.filter(state="collecting").update(state="stored")
    runs_sweep()
    assert ModelRun.objects.get().state == State.QUEUED


def test_a_corrected_file_replaces_the_wrong_one(project):
    wrong = store(project, run_of(4, 100.0), metadata={"nodes": 9})
    store(project, run_of(8, 2.0), metadata={"nodes": 1})
    right = store(project, run_of(4, 1.0), replaces=wrong.pk, metadata={"nodes": 1})
    wrong.refresh_from_db()
    campaign = Campaign.objects.get()
    assert values() == {"main->solve": [[1.0], [2.0]]}
    assert (wrong.state, right.state, right.campaign) == ("replaced", "collecting", campaign)
    assert wrong.file.storage.exists(wrong.file.name)
    assert campaign.metadata == {"nodes": 1}


def test_a_campaign_of_one_upload_keeps_its_address_after_a_correction(project, heard):
    wrong = store(project, measured(solve=100.0, old=1.0), key="")
    right = store(project, measured(solve=1.0), key="", replaces=wrong.pk)
    assert right.campaign == wrong.campaign == Campaign.objects.get()
    assert set(values()) == {"main->solve"}
    assert len(heard) == 2


def test_an_unreadable_correction_replaces_nothing(project):
    wrong = store(project, run_of(4, 100.0))
    bad = store(project, "{", replaces=wrong.pk)
    wrong.refresh_from_db()
    assert (bad.state, wrong.state) == ("failed", "collecting")
    assert values() == {"main->solve": [[100.0]]}


def test_of_two_simultaneous_corrections_one_is_refused(project):
    wrong = store(project, run_of(4, 100.0))
    first, second = (send(project, run_of(4, value), replaces=wrong.pk) for value in (1.0, 2.0))
    for upload in (first, second):
        upload_ingest(upload.pk)
        upload.refresh_from_db()
    assert (first.state, second.state) == ("collecting", "failed")
    assert "was corrected already" in second.error["message"]
    assert values() == {"main->solve": [[1.0]]}


def test_a_corrected_upload_cannot_be_corrected_again(project):
    wrong = store(project, run_of(4, 100.0))
    right = store(project, run_of(4, 1.0), replaces=wrong.pk)
    with pytest.raises(ValidationError, match=f"correct upload {right.pk}, which took its place"):
        send(project, run_of(4, 2.0), replaces=wrong.pk)
    assert send(project, run_of(4, 1.0), replaces=wrong.pk) == right


def test_corrected_bytes_are_not_stored_again_by_accident(project):
    wrong = store(project, run_of(4, 100.0))
    right = store(project, run_of(4, 1.0), replaces=wrong.pk)
    assert send(project, run_of(4, 100.0), campaign="night") == wrong
    back = store(project, run_of(4, 100.0), replaces=right.pk)
    assert back != wrong
    assert values() == {"main->solve": [[100.0]]}


def test_impossible_corrections_are_refused(project):
    stored, waiting = store(project, run_of(4, 1.0)), send(project, run_of(8, 1.0))
    for old, fields, message in (
        (stored.pk, {"version": "1.1"}, "a correction must be for the same"),
        (waiting.pk, {}, "nothing of it is stored"),
        (store(make_project(), run_of(4, 1.0)).pk, {}, "There is no upload"),
    ):
        with pytest.raises(ValidationError) as raised:
            send(project, run_of(4, 2.0), replaces=old, **fields)
        assert message in raised.value.message_dict["replaces"][0]


@pytest.mark.django_db(transaction=True)
def test_runs_stored_at_the_same_time_are_all_kept():
    project, ready = make_project(), Barrier(6)
    uploads = [send(project, run_of(2.0**place, 1.0), campaign="night") for place in range(6)]

    def job(upload):
        try:
            ready.wait()
            upload_ingest(upload.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(job, uploads))
    assert len(Campaign.objects.get().points) == 6
    assert Campaign.objects.get().revision == 6


CSV = "p,time [{unit}]\n{p},{time}\n"


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["night", ""])
def test_uploads_in_another_unit_are_converted(key):
    project = make_project()
    store(project, CSV.format(unit="ms", p=2, time=500), key=key, version="1")
    upload = store(project, CSV.format(unit="s", p=4, time=0.25), key=key, version="1" if key else "2")
    (series,) = Series.objects.filter(campaign=upload.campaign)
    assert (series.metric.unit, series.values[-1]) == ("ms", 250)
    assert "time: values in s were converted to ms" in upload.notes


@pytest.mark.django_db
def test_the_sender_knows_the_unit_better_than_the_file():
    project = make_project()
    store(project, CSV.format(unit="s", p=2, time=500), described={"metric_units": {"time": "ms"}})
    upload = store(project, CSV.format(unit="s", p=4, time=250), described={"metric_units": {"time": "ms"}})
    (series,) = Series.objects.filter(campaign=upload.campaign)
    assert (series.metric.unit, series.values) == ("ms", [500, 250])
