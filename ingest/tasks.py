"""Celery tasks for uploads. Every message contains one id, and may arrive twice, late or never."""

from celery import shared_task
from django.db.models import Q

from ingest import services
from ingest.models import UNFINISHED, Campaign, Upload
from ingest.work import claimed, disk_full_uncounted, requeue_lost


@shared_task(ignore_result=True)
def upload_ingest(upload_id: int) -> None:
    """Read and store an upload."""
    with claimed(Upload.objects.filter(state__in=UNFINISHED), upload_id) as upload:
        if upload:
            with disk_full_uncounted(upload):
                services.upload_ingest(upload)


@shared_task(ignore_result=True)
def campaign_reread(campaign_id: int) -> None:
    """Read a campaign's files again."""
    waiting = Campaign.objects.select_related("version__application").exclude(queued_at=None)
    with claimed(waiting, campaign_id) as campaign:
        if campaign:
            services.campaign_reread(campaign)


@shared_task(ignore_result=True)
def uploads_sweep() -> None:
    """Process files that are unread because of a crash, and delete undecided previews."""
    services.previews_forget()
    requeue_lost(Upload.objects.filter(state__in=UNFINISHED), "ingest.tasks.upload_ingest")
    # A campaign's row does not show whether reading was started. It may overtake other work, because a user
    # waits.
    requeue_lost(
        Campaign.objects.exclude(queued_at=None),
        "ingest.tasks.campaign_reread",
        begun=Q(queued_at__isnull=False),
    )


@shared_task(ignore_result=True)
def campaigns_settle() -> None:
    """Request models of campaigns whose last run came some time ago."""
    services.campaigns_settle()
