"""Celery tasks for models. A message has one id as its argument; it may arrive twice, late or never."""

from celery import shared_task
from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q

from ingest.models import Application, Campaign, Upload
from ingest.work import BEGUN, claimed, enqueue, requeue_lost
from modeling.models import UNFINISHED, Comparison, ModelRun, Portion, State
from modeling.services.changes import comparisons, expectations
from modeling.services.models import portions, runs, stability
from modeling.services.predictions import default_target
from modeling.services.work.failures import recorded

ADAPTIVE_QUEUE = "adaptive"
"""The queue of portions that may adapt a network, which separate workers read."""

RETARGET_SECONDS = 60
"""Seconds between two messages of the sweep about the same application."""


@shared_task(ignore_result=True, time_limit=600, soft_time_limit=570)
def run_execute(run_id: int) -> None:
    """Advance a run by a step: plan its portions, or store what follows from its models."""
    with claimed(ModelRun.objects.filter(state__in=UNFINISHED), run_id) as run:
        if run:
            with recorded(run):
                runs.run_execute(run)


@shared_task(ignore_result=True, time_limit=2 * portions.MOST_SECONDS)
def portion_execute(portion_id: int) -> None:
    """Model a portion of a run. After the last portion, finish the run."""
    _portion_model(portion_id)


@shared_task(ignore_result=True, time_limit=2 * portions.SECONDS_TO_ADAPT)
def portion_adapt(portion_id: int) -> None:
    """Model a portion with the adaptive modeler, which may adapt its network first."""
    _portion_model(portion_id)


def _portion_model(portion_id: int) -> None:
    with claimed(portions.UNFINISHED.all(), portion_id) as portion:
        if portion:
            with recorded(portion):
                portions.portion_execute(portion)
    if portion and portions.all_done(portion.run):
        enqueue("modeling.tasks.run_execute", portion.run)


@shared_task(ignore_result=True)
def run_judge(run_id: int) -> None:
    """Judge the stability of some of a run's laws, and enqueue the task again if more remain."""
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
    """Recompute stored predictions after the application's default target was changed."""
    with claimed(Application.objects.all(), application_id) as application:
        if application:
            default_target.application_retarget(application)


@shared_task(ignore_result=True)
def application_expect(application_id: int) -> None:
    """Compare an application's runs with its current expectations."""
    with claimed(Application.objects.all(), application_id) as application:
        if application:
            expectations.application_expect(application)


@shared_task(ignore_result=True)
def runs_sweep() -> None:
    """Enqueue work that a crash left undone: missing models, waiting rows, and outdated results."""
    unmodelled = Upload.objects.filter(campaign=OuterRef("pk"), state=Upload.State.STORED)
    current = ModelRun.objects.filter(campaign=OuterRef("pk"), revision=OuterRef("revision"))
    for campaign in Campaign.objects.filter(Exists(unmodelled), ~Exists(current), settles_at=None):
        runs.runs_request(campaign)
    at_hand = Exists(Portion.objects.filter(run=OuterRef("pk")).exclude(state=Portion.State.DONE))
    ready = ModelRun.objects.filter(Q(state=State.QUEUED) | Q(state=State.RUNNING) & ~at_hand)
    requeue_lost(
        ready.filter(campaign__settles_at=None),
        "modeling.tasks.run_execute",
        begun=BEGUN | Q(state=State.RUNNING),  # running runs in `ready` lack only their last step
    )
    unfinished, begun = portions.UNFINISHED, BEGUN | ~Q(cause="")
    requeue_lost(unfinished.exclude(portions.OF_ADAPTIVE), "modeling.tasks.portion_execute", begun=begun)
    # These have their own queue: other workers may lack the extra `adaptive`, and default models would wait.
    adaptive = unfinished.filter(portions.OF_ADAPTIVE)
    requeue_lost(adaptive, "modeling.tasks.portion_adapt", begun=begun, urgent=ADAPTIVE_QUEUE)
    requeue_lost(Comparison.objects.filter(state__in=UNFINISHED), "modeling.tasks.comparison_execute")
    for application in default_target.applications_behind():
        if cache.add(f"retarget-{application.pk}", True, RETARGET_SECONDS):
            enqueue("modeling.tasks.application_retarget", application)
    for application in expectations.applications_unexpected():
        if cache.add(f"expect-{application.pk}", True, RETARGET_SECONDS):
            enqueue("modeling.tasks.application_expect", application)
    requeue_lost(stability.UNJUDGED.all(), "modeling.tasks.run_judge")
