"""A failure affects only the kernel or metric in which it occurs, and pages show its reason."""

import json

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction

from ingest.models import Campaign, Upload
from ingest.services import upload_ingest, upload_receive
from ingest.work import MOST_ATTEMPTS
from modeling.engine import fit
from modeling.models import Change, Comparison, ModelRun, State, Total, Trend
from modeling.services.changes import comparisons
from modeling.services.models import fitting, planning, portions, runs, stability
from modeling.services.predictions import default_target, forecasts
from modeling.storage import arrays, model_rows
from modeling.tasks import comparison_execute, portion_execute, run_judge
from perfweb.logs.request_id import RequestIdFilter
from tests.factories import make_project, make_user
from tests.modeling.stored import model, store

pytestmark = pytest.mark.django_db

LAWS = {f"main->k{number}": lambda p, number=number: (1 + number) * p for number in range(7)}
BAD = 4.0 * 5
"""Approximate value of the kernel k4 at the smallest point."""


@pytest.fixture(scope="module")
def stored_once(rows_of_module):
    return store(make_project(), "1.0", LAWS).pk


@pytest.fixture
def campaign(stored_once):
    return Campaign.objects.get(pk=stored_once)


def raising(values, error=ValueError, text="no law\nfits"):
    """Raise an error if the kernel k4 is among the values (K, P, R)."""
    if (np.abs(values[:, 0, 0] / BAD - 1) < 0.05).any():
        raise error(text)


@pytest.fixture
def one_fails(monkeypatch):
    """Let the engine raise an error for the kernel k4."""

    def fit_others(points, values, **options):
        raising(values)
        return fit(points, values, **options)

    monkeypatch.setattr(fitting, "fit", fit_others)


def two_metrics(project, version):
    """Upload a campaign of two kernels and two metrics."""
    rows = [
        {"params": {"p": p}, "callpath": name, "metric": metric, "value": [p * factor, p * factor * 1.01]}
        for p in (4, 8, 16, 32, 64)
        for name, factor in (("main->a", 1), ("main->b", 2))
        for metric in ("time", "visits")
    ]
    content = ContentFile("\n".join(map(json.dumps, rows)).encode(), name=f"{version}.jsonl")
    upload = upload_receive(project=project, application="hydro", version=version, file=content, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    return Campaign.objects.get(uploads=upload)


def test_a_kernel_that_fails_does_not_affect_others(campaign, one_fails, caplog):
    run = model(campaign)
    assert (run.state, run.error, run.series_done, run.cause) == (State.DONE, "", 7, "")
    statuses = dict(run.models.values_list("kernel__path", "status"))
    assert statuses == {path: "failed" if path.endswith("k4") else "ok" for path in LAWS}
    failed = run.models.get(status="failed")
    assert (failed.constant, failed.predicted, failed.lower, failed.expression) == (None, None, None, "")
    assert failed.largest == pytest.approx(5 * 64, rel=0.02)
    upload = campaign.uploads.get()
    assert (upload.state, upload.progress, upload.error) == (Upload.State.DONE, 1.0, None)
    (entry,) = run.failures
    assert (entry["metric"], entry["kernels"]) == ("time", 1)
    assert (
        "1 kernel could not be modelled in time: an unexpected ValueError (no law fits)" in entry["message"]
    )
    assert entry["reference"] in failed.reason
    record = next(record for record in caplog.records if "Traceback" in record.getMessage())
    assert "no law" in record.getMessage()


def test_the_log_contains_the_reference(campaign, one_fails, caplog):
    caplog.handler.addFilter(RequestIdFilter())
    (entry,) = model(campaign).failures
    assert entry["reference"] in {record.request_id for record in caplog.records}


def test_models_of_other_kernels_are_unchanged(campaign, one_fails):
    run = model(campaign)
    rows = list(run.models.order_by("kernel_id"))
    loaded = arrays.models_load(rows, campaign)
    assert loaded.posterior is not None
    predicted = loaded.predict([[128.0]])[:, 0]
    assert np.isnan(predicted).tolist() == [row.status == "failed" for row in rows]
    assert Total.objects.get(run=run).predicted > 0
    assert Trend.objects.get(kernel=run.models.get(status="failed").kernel).predicted == [None]


@pytest.mark.parametrize("error", [MemoryError, KeyError, RecursionError])
def test_any_error_anywhere_in_modeling_is_caught(campaign, monkeypatch, error):
    before = fitting.holdout_error

    def held_out(points, values, **options):
        raising(values, error, "")
        return before(points, values, **options)

    monkeypatch.setattr(fitting, "holdout_error", held_out)
    run = model(campaign)
    assert run.models.filter(status="failed").count() == 1
    words = "not enough memory" if error is MemoryError else error.__name__
    assert words in run.failures[0]["message"]


def test_without_any_model_the_run_fails_but_not_the_upload(campaign, monkeypatch):
    monkeypatch.setattr(fitting, "fit", lambda *_, **__: 1 / 0)
    run = model(campaign)
    assert run.state == State.FAILED
    assert "7 kernels could not be modelled in time: an unexpected ZeroDivisionError" in run.error
    assert run.models.filter(status="failed").count() == 7
    assert campaign.uploads.get().state == Upload.State.DONE
    monkeypatch.undo()
    assert runs.run_again(run=run, user=make_user())
    run = model(campaign)
    assert (run.state, run.failures, run.error) == (State.DONE, [], "")


def test_some_failed_models_are_made_again(campaign, one_fails, monkeypatch):
    run = model(campaign)
    monkeypatch.undo()
    assert runs.run_again(run=run, user=make_user())
    assert model(campaign).failures == []
    assert not runs.run_again(run=run, user=make_user())


def test_a_metric_that_cannot_be_loaded_does_not_affect_others(project, monkeypatch):
    campaign = two_metrics(project, "1.0")
    before, first = arrays.series_load, min(arrays.metrics_of(campaign))

    def load(campaign, metric_id, *rest):
        if metric_id == first:
            raise MemoryError("Unable to allocate 301 GiB")
        return before(campaign, metric_id, *rest)

    monkeypatch.setattr(arrays, "series_load", load)
    run = model(campaign)
    assert (run.state, run.series_done) == (State.DONE, 4)
    assert set(run.models.filter(metric=first).values_list("status", flat=True)) == {"failed"}
    assert set(run.models.exclude(metric=first).values_list("status", flat=True)) == {"ok"}
    assert "2 kernels could not be modelled in time: not enough memory (Unable" in run.failures[0]["message"]


def test_a_failed_total_does_not_affect_the_models(campaign, monkeypatch):
    monkeypatch.setattr(planning, "counts_to_total", lambda *_: 1 / 0)
    run = model(campaign)
    assert (run.state, run.models.filter(status="ok").count()) == (State.DONE, 7)
    assert not Total.objects.exists()
    assert (
        "could not be added up to a total in time: an unexpected ZeroDivision" in run.failures[0]["message"]
    )


def test_a_full_disk_fails_no_kernel(campaign, monkeypatch, caplog):
    """Attempts that fail because of a full disk are not counted."""

    def full(*_):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE disk_full; END $$")

    with monkeypatch.context() as patched:
        patched.setattr(model_rows, "store", full)
        for _ in range(MOST_ATTEMPTS + 2):
            run = model(campaign)
        portion = run.portions.get()
        assert (run.attempts, portion.attempts) == (0, 0)
        for _ in range(portions.ATTEMPTS_WHOLE + 2):
            portion_execute(portion.pk)
        portion.refresh_from_db()
        assert (portion.attempts, len(portion.kernels)) == (0, len(LAWS))
    portion_execute(portion.pk)
    run = model(campaign)
    assert (run.state, run.failures, run.models.filter(status="ok").count()) == (State.DONE, [], len(LAWS))


def test_the_reason_of_an_interruption_is_stored_when_a_run_is_set_aside(campaign, monkeypatch, caplog):
    monkeypatch.setattr(default_target, "totals_store", lambda run: 1 / 0)
    run = model(campaign)
    assert run.state == State.RUNNING
    assert "ZeroDivisionError" in run.cause
    for _ in range(MOST_ATTEMPTS):
        run = model(campaign)
    assert run.state == State.FAILED
    assert f"begun {MOST_ATTEMPTS} times and never finished" in run.error
    assert "an unexpected ZeroDivisionError (division by zero)" in run.error
    assert campaign.uploads.get().state == Upload.State.DONE


def test_a_worker_that_dies_silently_counts_as_killed(campaign, monkeypatch):
    monkeypatch.setattr(default_target, "totals_store", lambda run: 1 / 0)
    model(campaign)

    def killed(*_):
        raise SystemExit

    monkeypatch.setattr(default_target, "totals_store", killed)
    with pytest.raises(SystemExit):
        model(campaign)
    assert "killed" in ModelRun.objects.get().cause


def test_failed_scoring_does_not_affect_the_models(campaign, monkeypatch):
    monkeypatch.setattr(forecasts, "campaign_score", lambda campaign: 1 / 0)
    run = model(campaign)
    assert (run.state, run.models.filter(status="ok").count()) == (State.DONE, 7)
    assert "forecasts" in run.failures[0]["message"]


def test_a_law_that_cannot_be_judged_does_not_affect_others(campaign, monkeypatch):
    run, before = model(campaign), stability.stability

    def judge(points, values, models):
        raising(values)
        return before(points, values, models)

    monkeypatch.setattr(stability, "stability", judge)
    run_judge(run.pk)
    run.refresh_from_db()
    assert (run.judged, run.attempts, run.cause) == (7, 0, "")
    assert run.models.filter(stability=None).get().kernel.path == "main->k4"
    assert "could not be judged in time" in run.failures[0]["message"]


def test_failed_models_are_not_judged(campaign, one_fails):
    run = model(campaign)
    run_judge(run.pk)
    assert run.models.filter(stability=None).get().status == "failed"


def test_the_reason_of_interrupted_judging_is_stored(campaign, monkeypatch):
    run = model(campaign)
    monkeypatch.setattr(stability, "_next", lambda run: 1 / 0)
    run_judge(run.pk)
    run.refresh_from_db()
    assert (run.state, run.attempts) == (State.DONE, 1)
    assert "ZeroDivisionError" in run.cause


def test_failed_models_are_retargeted(campaign, one_fails):
    run = model(campaign)
    application = campaign.version.application
    application.targets.update(values={"p": 128})
    default_target.application_retarget(application)
    assert run.models.filter(status="ok").first().predicted is not None
    assert Total.objects.get().predicted == pytest.approx(
        sum(128 * (1 + n) for n in range(7) if n != 4), rel=0.1
    )


@pytest.fixture
def comparison(project):
    for version in ("1.0", "1.1"):
        model(two_metrics(project, version))
    return Comparison.objects.get()


def compared(comparison):
    comparison_execute(comparison.pk)
    comparison.refresh_from_db()
    return comparison


def test_a_metric_that_fails_does_not_affect_the_comparison_of_others(comparison, monkeypatch):
    before, first = comparisons._compare_metric, min(arrays.metrics_of(comparison.after))
    monkeypatch.setattr(
        comparisons, "_compare_metric", lambda row, metric: 1 / 0 if metric == first else before(row, metric)
    )
    compared(comparison)
    assert (comparison.state, comparison.error, comparison.cause) == (State.DONE, "", "")
    assert (
        "could not be compared in time: an unexpected ZeroDivisionError" in comparison.failures[0]["message"]
    )
    kinds = set(comparison.changes.values_list("metric", "kind"))
    assert kinds == {(first, Change.Kind.UNKNOWN)}
    assert comparison.changes.count() == 2


def test_a_comparison_of_no_metric_failed(comparison, monkeypatch):
    monkeypatch.setattr(comparisons, "compare", lambda *_, **__: 1 / 0)
    compared(comparison)
    assert comparison.state == State.FAILED
    assert "ZeroDivisionError" in comparison.error


def test_the_reason_of_an_interrupted_comparison_is_stored(comparison, monkeypatch):
    monkeypatch.setattr(comparisons, "_common_metrics", lambda comparison: 1 / 0)
    for _ in range(MOST_ATTEMPTS + 1):
        compared(comparison)
    assert comparison.state == State.FAILED
    assert "an unexpected ZeroDivisionError" in comparison.error
