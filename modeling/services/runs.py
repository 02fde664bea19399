"""Modeling a campaign: one run fits every kernel and metric, and stores what it found."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from ingest.models import Application, Campaign, Kernel, Upload
from ingest.work import MOST_ATTEMPTS, enqueue
from modeling import arrays
from modeling.engine import DEFAULT_MODELER, ENGINE_VERSION, Models, fit, holdout_error, noise
from modeling.engine.models import join
from modeling.models import UNFINISHED, ModelRun, State
from modeling.selectors.targets import target_point, target_values
from modeling.services import comparisons, forecasts, predictions
from modeling.totals import counts_to_total
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

CHUNK = 2000
"""Kernels that are fitted, stored and reported at once."""

THREADS = 2
"""Parts of a chunk that are fitted side by side."""

FEWEST_A_THREAD = 250
"""Kernels that are worth a thread; a campaign's kernels tell each other's noise, so few stay together."""


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
    if not _requeued(stale.filter(~Q(engine_version=ENGINE_VERSION) | Q(state=State.FAILED))):
        return False
    campaign = run.campaign
    # What failed while it was modelled was stored before.
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
    return runs.update(state=State.QUEUED, attempts=0, error="", queued_at=timezone.now())


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
            series = _load(run, metric_id)
            total = _counts(series)
            for start in range(0, len(series.kernels), CHUNK):
                part = slice(start, start + CHUNK)
                _fit_part(run, metric_id, series.part(part), total[part])
        _finish(run, begin)
    except CampaignMovedError:
        ModelRun.objects.filter(pk=run.pk).update(state=State.QUEUED, attempts=F("attempts") - 1)


def _begin(run: ModelRun) -> bool:
    """Mark the run as running, from nothing; refuse one that keeps killing its workers, and a campaign that
    is still growing.
    """
    if run.campaign.settles_at:
        return False
    run.attempts += 1
    if run.attempts > MOST_ATTEMPTS:
        _fail(run, f"Set aside: modeling was begun {MOST_ATTEMPTS} times and never finished.")
        return False
    with transaction.atomic():
        rows = Campaign.objects.select_for_update(of=("self",)).select_related("version__application")
        run.campaign = campaign = rows.get(pk=run.campaign_id)
        run.models.all().delete()
        run.revision = campaign.revision
        run.state = State.RUNNING
        run.series_done = run.judged = 0
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
    with transaction.atomic():
        run.state, run.error, run.finished_at = State.FAILED, reason, timezone.now()
        run.save()
        _uploads(run).update(
            state=Upload.State.FAILED, error={"message": reason}, finished_at=run.finished_at
        )


def _counts(series: arrays.SeriesArrays) -> NDArray[np.bool_]:
    """Which of the kernels make up the program's total."""
    paths = dict(Kernel.objects.filter(pk__in=series.kernels.tolist()).values_list("pk", "path"))
    ordered = [paths[kernel] for kernel in series.kernels.tolist()]
    return counts_to_total(ordered, series.medians(), series.inclusive)


def _fit_part(run: ModelRun, metric_id: int, series: arrays.SeriesArrays, total: NDArray[np.bool_]) -> None:
    """Fit some kernels and store their models with the run's progress."""
    models = _fit(series, run.modeler)
    target = target_point(run.target, run.campaign)
    with transaction.atomic():
        arrays.models_store(
            run, metric_id, series, models, noise(series.values), counts_to_total=total, target=target
        )
        ModelRun.objects.filter(pk=run.pk).update(series_done=F("series_done") + len(series.kernels))
        done = ModelRun.objects.values_list("series_done", flat=True).get(pk=run.pk)
        _uploads(run).update(progress=done / run.series_total)


def _fit(series: arrays.SeriesArrays, modeler: str) -> Models:
    """Models with the error at the held-out point, which some modelers leave to a second fit.

    Halves of the kernels at once: NumPy lets go of Python's lock while it counts.
    """
    count = len(series.kernels)
    parts = np.array_split(np.arange(count), max(1, min(THREADS, count // FEWEST_A_THREAD)))
    with ThreadPoolExecutor(THREADS) as pool:
        return join(list(pool.map(lambda part: _fit_some(series.part(part), modeler), parts)))


def _fit_some(series: arrays.SeriesArrays, modeler: str) -> Models:
    models = fit(series.points, series.values, modeler=modeler)
    if not np.isnan(models.holdout_error).all():
        return models
    return replace(models, holdout_error=holdout_error(series.points, series.values, modeler=modeler))


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
        forecasts.campaign_score(campaign)
        if campaign.revision > 1:
            comparisons.comparisons_renew(campaign)
        comparisons.neighbours_request(campaign)
        finished = timezone.now()
        ModelRun.objects.filter(pk=run.pk).update(
            state=State.DONE, finished_at=finished, seconds=time.perf_counter() - begin
        )
        _uploads(run).update(state=Upload.State.DONE, progress=1.0, finished_at=finished)
        enqueue("modeling.tasks.run_judge", run)
