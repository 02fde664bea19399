"""What workers do; every message holds one id, may come twice, late or never."""

from celery import shared_task
from django.db.models import Exists, OuterRef

from ingest.models import Application, Campaign, Upload
from ingest.work import claimed, enqueue, requeue_lost, waiting
from modeling.models import UNFINISHED, Comparison, ModelRun
from modeling.services import comparisons, predictions, runs, stability
from modeling.services.failures import recorded


@shared_task(ignore_result=True)
def run_execute(run_id: int) -> None:
    """Model a campaign."""
    with claimed(ModelRun.objects.filter(state__in=UNFINISHED), run_id) as run:
        if run:
            with recorded(run):
                runs.run_execute(run)


@shared_task(ignore_result=True)
def run_judge(run_id: int) -> None:
    """Judge how stable some of a run's laws are, and ask for the next ones, behind all that waits."""
    more = False
    with claimed(stability.UNJUDGED.all(), run_id) as run:
        if run:
            with recorded(run):
                more = stability.run_judge(run)
    if run and more:
        enqueue("modeling.tasks.run_judge", run)


@shared_task(ignore_result=True)
def comparison_execute(comparison_id: int) -> None:
    """Compare two campaigns."""
    with claimed(Comparison.objects.filter(state__in=UNFINISHED), comparison_id) as comparison:
        if comparison:
            with recorded(comparison):
                comparisons.comparison_execute(comparison)


@shared_task(ignore_result=True)
def application_retarget(application_id: int) -> None:
    """Bring stored predictions to the application's default target after it was changed."""
    with claimed(Application.objects.all(), application_id) as application:
        if application:
            predictions.application_retarget(application)


@shared_task(ignore_result=True)
def runs_sweep() -> None:
    """Pick up what a crash left: stored campaigns nobody models, runs and comparisons nobody works on,
    predictions for a target that has moved, laws that nobody judges.
    """
    unmodelled = Upload.objects.filter(campaign=OuterRef("pk"), state=Upload.State.STORED)
    current = ModelRun.objects.filter(campaign=OuterRef("pk"), revision=OuterRef("revision"))
    for campaign in Campaign.objects.filter(Exists(unmodelled), ~Exists(current), settles_at=None):
        runs.run_request(campaign)
    requeue_lost(ModelRun.objects.filter(state__in=UNFINISHED), "modeling.tasks.run_execute")
    requeue_lost(Comparison.objects.filter(state__in=UNFINISHED), "modeling.tasks.comparison_execute")
    if not waiting("modeling"):
        for application in predictions.applications_behind():
            enqueue("modeling.tasks.application_retarget", application)
    requeue_lost(stability.UNJUDGED.all(), "modeling.tasks.run_judge")
