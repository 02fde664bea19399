"""Request and execute model runs, which fit all kernels of a campaign and store the results."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ingest.models import Application, Campaign, Upload, Version
from ingest.work import MOST_ATTEMPTS, claimed, disk_full_uncounted, enqueue
from modeling.engine import DEFAULT_MODELER, ENGINE_VERSION
from modeling.engine.results.models import FAILED
from modeling.models import (
    SHOWN_FIRST,
    UNFINISHED,
    Alert,
    ExpectationResult,
    Forecast,
    Model,
    ModelRun,
    Portion,
    State,
)
from modeling.selectors.application.dependencies import profile_differs, profile_of_run
from modeling.selectors.compared.choice import modelers_chosen
from modeling.selectors.run.targets import target_values
from modeling.services.changes import comparisons, expectations
from modeling.services.models import portions
from modeling.services.models.planning import planned
from modeling.services.models.portions import uploads_of
from modeling.services.models.shared_deviations import shared_deviations_store
from modeling.services.predictions import default_target, forecasts, ledger, useful_target
from modeling.services.predictions.trends import trends_follow
from modeling.services.work.bisection import reason_of
from modeling.services.work.failures import KILLED, merged, noted, set_aside
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

LOG = logging.getLogger(__name__)


def runs_request(campaign: Campaign) -> ModelRun:
    """Request a campaign's models by its present modelers and by those that its uploads name.

    If the uploads name none, the application's modelers are used. Returns the run that pages show.
    """
    had = list(campaign.runs.order_by(*SHOWN_FIRST).values_list("modeler", flat=True))
    named = chain.from_iterable(campaign.uploads.order_by("pk").values_list("modelers", flat=True))
    first, others = modelers_chosen(campaign.version.application)
    shown, *compared = dict.fromkeys([*had, *(list(named) or [first, *others])])
    run = run_request(campaign, shown)
    for modeler in compared:
        run_request(campaign, modeler, shown=False)
    return run


def run_request(campaign: Campaign, modeler: str = DEFAULT_MODELER, *, shown: bool = True) -> ModelRun:
    """Request a campaign's models by one modeler, unless they are up to date.

    A new run is shown on pages if `shown` is true; otherwise it is only compared.
    """
    with transaction.atomic():
        run, made = ModelRun.objects.get_or_create(
            campaign=campaign, modeler=modeler, options={}, defaults={"shown": shown}
        )
        begun = ModelRun.objects.filter(pk=run.pk).exclude(state=State.QUEUED)
        if made or _requeued(begun.exclude(revision=campaign.revision)):
            enqueue("modeling.tasks.run_execute", run)
    return run


@transaction.atomic
def run_again(*, run: ModelRun, user: User) -> bool:
    """Request a run's models again if it failed, or if the engine or the dependencies changed.

    Returns whether there was such a reason.
    """
    stale = ModelRun.objects.filter(pk=run.pk).exclude(state__in=UNFINISHED)
    better = ~Q(engine_version=ENGINE_VERSION) | Q(state=State.FAILED) | ~Q(failures=[])
    if profile_differs(run):
        better = Q()
    if not _requeued(stale.filter(better)):
        return False
    campaign = run.campaign
    # Engines before 2.5 stored a failure during modeling as a failed upload.
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


def runs_reprofile(application: Application) -> None:
    """Request the newest version's models again after the dependencies of functions changed."""
    newest = Version.objects.filter(application=application, campaigns__isnull=False)
    version = newest.order_by("-position").first()
    done = ModelRun.objects.filter(campaign__version=version, modeler=DEFAULT_MODELER)
    for run in done.exclude(state__in=UNFINISHED):
        if profile_differs(run) and _requeued(ModelRun.objects.filter(pk=run.pk)):
            enqueue("modeling.tasks.run_execute", run)


def _requeued(runs: QuerySet[ModelRun]) -> int:
    return runs.update(state=State.QUEUED, attempts=0, error="", cause="", queued_at=timezone.now())


def run_execute(run: ModelRun) -> None:
    """Plan the run's portions, or finish the run once all of them are modelled.

    A small run is modelled here, a larger one by all workers. If the campaign grows meanwhile, the run starts
    again.
    """
    if run.campaign.settles_at:
        return
    if run.state == State.QUEUED:
        if not _begin(run):
            return
        _plan(run)
    if portions.all_done(run) and _begin(run):
        _finish(run)


def _begin(run: ModelRun) -> bool:
    """Count the attempt, and refuse a run after too many."""
    run.attempts += 1
    if run.attempts > MOST_ATTEMPTS:
        _fail(run, set_aside("modeling", MOST_ATTEMPTS, run.cause))
        return False
    ModelRun.objects.filter(pk=run.pk).update(attempts=run.attempts, cause=KILLED)
    return True


def _plan(run: ModelRun) -> None:
    """Start the run from the beginning: store its portions, and model them here if the run is small."""
    with transaction.atomic():
        rows = Campaign.objects.select_for_update(of=("self",)).select_related("version__application")
        run.campaign = campaign = rows.get(pk=run.campaign_id)
        _forget(run)
        run.revision, run.engine_version = campaign.revision, ENGINE_VERSION
        profile = profile_of_run(run)
        run.profiled_at = profile.stored_at if profile else None
        run.state, run.attempts, run.cause = State.RUNNING, 0, ""
        run.series_done = run.judged = 0
        run.failures, run.seconds, run.shared, run.expected_at = [], 0.0, {}, None
        run.adapting = run.adapted_seconds = None
        run.series_total = campaign.series.count()
        run.target = target_values(campaign)
        parts, shared_out = planned(run)
        for part in parts:
            # A cause makes the sweeper treat a portion as begun, so the sweeper sends no message for portions
            # modelled here.
            part.cause = "" if shared_out else KILLED
        run.save()
        Portion.objects.bulk_create(parts)
        uploads_of(run).update(state=Upload.State.MODELING, progress=0.0)
    for part in parts:
        if not shared_out:
            _model(part)
        elif part.state == Portion.State.QUEUED:
            portions.portion_send(part)


def _model(part: Portion) -> None:
    """Model a portion in this process, unless another worker models it."""
    with claimed(portions.UNFINISHED, part.pk) as portion:
        if portion:
            with disk_full_uncounted(portion):
                portions.portion_execute(portion)


def _forget(run: ModelRun) -> None:
    """Delete the results of an earlier attempt, without loading the large posteriors."""
    Forecast.objects.filter(model__run=run).delete()
    ExpectationResult.objects.filter(run=run).delete()
    run.portions.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {Model._meta.db_table} WHERE run_id = %s", [run.pk])  # noqa: S608


def _fail(run: ModelRun, reason: str) -> None:
    """Mark the run as failed."""
    with transaction.atomic():
        run.state, run.error, run.finished_at = State.FAILED, reason, timezone.now()
        run.failures = []
        run.save()
        run.portions.all().delete()
        uploads_of(run).update(state=Upload.State.DONE, progress=1.0, finished_at=run.finished_at)


def _finish(run: ModelRun) -> None:
    """Store the results derived from the models, and mark the run as done."""
    begin = time.perf_counter()
    campaign = run.campaign
    with transaction.atomic():
        # Only one run of an application finishes at a time, because each changes the application's trends.
        Application.objects.select_for_update().get(pk=campaign.version.application_id)
        if not _unchanged(run):
            return
        run.failures = merged([run.failures, *run.portions.order_by("pk").values_list("failures", flat=True)])
        run.portions.all().delete()
        _share(run)
        default_target.run_retarget(run)  # the target may have changed since the run began
        default_target.totals_store(run)
        _aim(run)
        _score(run)
        if run.shown:
            _expect(run)
            trends_follow(campaign.version.application, campaign.machine, campaign.version_id)
            if campaign.revision > 1 or campaign.runs.exclude(pk=run.pk).exists():
                comparisons.comparisons_renew(campaign)  # values or shown models have changed
            elif Alert.objects.filter(comparison__after=campaign, difference=None).exists():
                comparisons.comparisons_move(campaign)  # alerts raised before the models lack a difference
            comparisons.neighbours_request(campaign)
        finished = timezone.now()
        error = _nothing_modelled(run)
        ModelRun.objects.filter(pk=run.pk).update(
            state=State.FAILED if error else State.DONE, error=error, failures=run.failures, cause="",
            attempts=0, queued_at=finished, finished_at=finished,
            seconds=F("seconds") + time.perf_counter() - begin,
        )  # fmt: skip
        uploads_of(run).update(state=Upload.State.DONE, progress=1.0, finished_at=finished)
        enqueue("modeling.tasks.run_judge", run)


def _unchanged(run: ModelRun) -> bool:
    """Lock the campaign, and return whether it is unchanged. If it has grown, the run starts again."""
    same = Campaign.objects.filter(pk=run.campaign_id, revision=run.revision)
    if same.select_for_update().values_list("pk").first():
        return True
    ModelRun.objects.filter(pk=run.pk).update(state=State.QUEUED, attempts=0, cause="")
    return False


def _share(run: ModelRun) -> None:
    """Estimate the correlation of the kernels' deviations. Without it, totals assume a default."""
    with _dispensable(f"The correlation of the kernels of run {run.pk} could not be estimated."):
        shared_deviations_store(run)


def _aim(run: ModelRun) -> None:
    """Move an automatic target nearer to the measurements if its predictions are too uncertain."""
    if run.shown:
        with _dispensable(f"Predictions of run {run.pk} at nearer targets could not be made."):
            useful_target.target_make_useful(run)


def _score(run: ModelRun) -> None:
    """Compare earlier forecasts with the measurements."""
    with _dispensable(f"Forecasts of run {run.pk} could not be scored.", run, "compared with forecasts"):
        forecasts.campaign_score(run.campaign)
        ledger.run_note(run)
        ledger.ledger_score(run.campaign.version.application, run.campaign.machine)
        ledger.ledger_summarise(run.campaign.version.application, run.campaign.machine)


def _expect(run: ModelRun) -> None:
    with _dispensable(
        f"Run {run.pk} could not be compared with the expectations.", run, "compared with expectations"
    ):
        expectations.run_expect(run)


@contextmanager
def _dispensable(message: str, noted_in: ModelRun | None = None, what: str = "") -> Iterator[None]:
    """Do an optional step, which is undone and logged if it fails.

    If `noted_in` is given, that run gets a failure with the text `what`, which says what is missing.
    """
    try:
        with transaction.atomic():
            yield
    except DatabaseError:
        raise
    except Exception as error:  # any failure affects only this step, and no model
        LOG.exception(message)
        if noted_in:
            noted_in.failures = noted(
                noted_in.failures, metric="", kernels=0, what=what, reason=reason_of(error)
            )


def _nothing_modelled(run: ModelRun) -> str:
    """Return why no kernel has a model; empty if some kernel has one."""
    if not run.failures or run.models.exclude(status=FAILED).exists():
        return ""
    return " ".join(entry["message"] for entry in run.failures)
