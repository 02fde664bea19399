"""Modeling a campaign: one run fits every kernel and metric, and stores what it found."""

import logging
import time

import numpy as np
from django.db import DatabaseError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from ingest.models import Application, Campaign, Kernel, Upload
from ingest.work import MOST_ATTEMPTS, enqueue
from modeling import arrays
from modeling.engine import DEFAULT_MODELER, ENGINE_VERSION
from modeling.engine.models import FAILED
from modeling.models import UNFINISHED, ModelRun, State
from modeling.selectors.targets import target_values
from modeling.services import comparisons, fitting, forecasts, predictions
from modeling.services.bisection import reason_of
from modeling.services.failures import KILLED, noted, set_aside
from modeling.totals import counts_to_total
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

LOG = logging.getLogger(__name__)


class CampaignMovedError(Exception):
    """A campaign grew, or was deleted, while it was being modelled."""


def run_request(campaign: Campaign, modeler: str = DEFAULT_MODELER) -> ModelRun:
    """Ask for a campaign's models; asking again changes nothing, unless it has grown since."""
    with transaction.atomic():
        run, made = ModelRun.objects.get_or_create(campaign=campaign, modeler=modeler, options={})
        finished = ModelRun.objects.filter(pk=run.pk).exclude(state__in=UNFINISHED)
        if made or _requeued(finished.exclude(revision=campaign.revision)):
            enqueue("modeling.tasks.run_execute", run)
    return run


@transaction.atomic
def run_again(*, run: ModelRun, user: User) -> bool:
    """Ask for a run's models anew, and for what was compared with them; whether there is a reason to.

    Only models of an older engine can come out differently, and only what failed can fare better.
    """
    stale = ModelRun.objects.filter(pk=run.pk).exclude(state__in=UNFINISHED)
    better = ~Q(engine_version=ENGINE_VERSION) | Q(state=State.FAILED) | ~Q(failures=[])
    if not _requeued(stale.filter(better)):
        return False
    campaign = run.campaign
    # Before engine 2.5 what failed while it was modelled counted as a failed upload.
    campaign.uploads.filter(state=Upload.State.FAILED).update(
        state=Upload.State.STORED, error=None, queued_at=timezone.now()
    )
    audit_record(
        project=campaign.version.application.project, action="run.again", subject=run, user=user,
        engine_before=run.engine_version, engine=ENGINE_VERSION,
    )  # fmt: skip
    enqueue("modeling.tasks.run_execute", run)
    comparisons.comparisons_renew(campaign)
    return True


def _requeued(runs: QuerySet[ModelRun]) -> int:
    """Set runs back to where they have just been asked for; how many there were."""
    return runs.update(state=State.QUEUED, attempts=0, error="", cause="", queued_at=timezone.now())


def run_execute(run: ModelRun) -> None:
    """Fit and store all models of the run, then what follows from them.

    Chunks are committed as they come, so that pages fill; a run that was broken off begins anew. One whose
    campaign grows meanwhile stays unfinished until the campaign has settled.
    """
    begin = time.perf_counter()
    if not _begin(run):
        return
    try:
        for metric_id in arrays.metrics_of(run.campaign):
            _model_metric(run, metric_id)
        _finish(run, begin)
    except CampaignMovedError:
        ModelRun.objects.filter(pk=run.pk).update(state=State.QUEUED, attempts=F("attempts") - 1, cause="")


def _begin(run: ModelRun) -> bool:
    """Mark the run as running, from nothing; refuse one that keeps killing its workers, and a campaign that
    is still growing.
    """
    if run.campaign.settles_at:
        return False
    run.attempts += 1
    if run.attempts > MOST_ATTEMPTS:
        _fail(run, set_aside("modeling", MOST_ATTEMPTS, run.cause))
        return False
    with transaction.atomic():
        rows = Campaign.objects.select_for_update(of=("self",)).select_related("version__application")
        run.campaign = campaign = rows.get(pk=run.campaign_id)
        run.models.all().delete()
        run.revision = campaign.revision
        run.state = State.RUNNING
        run.series_done = run.judged = 0
        run.failures, run.cause = [], KILLED
        run.series_total = campaign.series.count()
        run.engine_version = ENGINE_VERSION
        run.target = target_values(campaign)
        run.save()
        _uploads(run).update(state=Upload.State.MODELING, progress=0.0)
    return True


def _uploads(run: ModelRun) -> QuerySet[Upload]:
    """Those whose models the run makes."""
    return run.campaign.uploads.filter(state__in=[Upload.State.STORED, Upload.State.MODELING])


def _load(run: ModelRun, metric_id: int) -> arrays.SeriesArrays:
    """The series of one metric, with the points that the run began with.

    Raises:
        CampaignMovedError: they are no longer the campaign's.
    """
    with transaction.atomic():
        _hold(run)
        return arrays.series_load(run.campaign, metric_id)


def _hold(run: ModelRun) -> None:
    """Keep the campaign from growing until the end of the transaction."""
    same = Campaign.objects.filter(pk=run.campaign_id, revision=run.revision)
    if not same.select_for_update().values_list("pk").first():
        raise CampaignMovedError


def _fail(run: ModelRun, reason: str) -> None:
    """Give the run up; what was uploaded is stored all the same."""
    with transaction.atomic():
        run.state, run.error, run.finished_at = State.FAILED, reason, timezone.now()
        run.failures = []
        run.save()
        _uploads(run).update(state=Upload.State.DONE, progress=1.0, finished_at=run.finished_at)


def _model_metric(run: ModelRun, metric_id: int) -> None:
    """Model all kernels in one metric; one that cannot even be loaded loses no other."""
    try:
        series = _load(run, metric_id)
        total = _counts(series)
    except (CampaignMovedError, DatabaseError):
        raise
    except Exception as error:  # any: it costs this metric, and no other
        LOG.exception("Metric %s of run %s could not be loaded.", metric_id, run.pk)
        with transaction.atomic():
            fitting.metric_lost(run, metric_id, reason_of(error))
            _progress(run)
        return
    for start in range(0, len(series.kernels), fitting.CHUNK):
        some = slice(start, start + fitting.CHUNK)
        found = fitting.fitted(run, series.part(some), total[some])
        with transaction.atomic():
            fitting.store(run, metric_id, found)
            _progress(run)


def _counts(series: arrays.SeriesArrays) -> NDArray[np.bool_]:
    """Which of the kernels make up the program's total."""
    paths = dict(Kernel.objects.filter(pk__in=series.kernels.tolist()).values_list("pk", "path"))
    ordered = [paths[kernel] for kernel in series.kernels.tolist()]
    return counts_to_total(ordered, series.medians(), series.inclusive)


def _progress(run: ModelRun) -> None:
    """Say how far the run has come, and what failed on the way."""
    rows = ModelRun.objects.filter(pk=run.pk)
    rows.update(series_done=run.models.count(), failures=run.failures)
    done = rows.values_list("series_done", flat=True).get()
    _uploads(run).update(progress=done / run.series_total)


def _finish(run: ModelRun, begin: float) -> None:
    """Store what follows from the models, and say that they are there, in one transaction."""
    campaign = run.campaign
    with transaction.atomic():
        # Runs of one application finish one after the other: each rebuilds the application's trends.
        Application.objects.select_for_update().get(pk=campaign.version.application_id)
        _hold(run)
        predictions.run_retarget(run)  # the target may have moved since the run began
        predictions.totals_store(run)
        predictions.trends_rebuild(campaign.version.application, campaign.machine)
        _score(run)
        if campaign.revision > 1:
            comparisons.comparisons_renew(campaign)
        comparisons.neighbours_request(campaign)
        finished = timezone.now()
        error = _nothing_modelled(run)
        ModelRun.objects.filter(pk=run.pk).update(
            state=State.FAILED if error else State.DONE, error=error, failures=run.failures, cause="",
            attempts=0, finished_at=finished, seconds=time.perf_counter() - begin,
        )  # fmt: skip
        _uploads(run).update(state=Upload.State.DONE, progress=1.0, finished_at=finished)
        enqueue("modeling.tasks.run_judge", run)


def _score(run: ModelRun) -> None:
    """Hold forecasts against what was measured; without that the models are as good."""
    try:
        with transaction.atomic():
            forecasts.campaign_score(run.campaign)
    except DatabaseError:
        raise
    except Exception as error:  # any: it costs the forecasts, and no model
        LOG.exception("Forecasts of run %s could not be scored.", run.pk)
        run.failures = noted(
            run.failures, metric="", kernels=0, what="held against forecasts", reason=reason_of(error)
        )


def _nothing_modelled(run: ModelRun) -> str:
    """Why not a single kernel has a model; empty where one has."""
    if not run.failures or run.models.exclude(status=FAILED).exists():
        return ""
    return " ".join(entry["message"] for entry in run.failures)
