"""Deletes campaigns and versions permanently, with their files."""

from collections.abc import Iterable

from django.db import transaction

from ingest.models import Application, Campaign, Upload, Version
from ingest.signals import campaigns_deleted
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User


@transaction.atomic
def campaign_delete(*, campaign: Campaign, user: User) -> None:
    """Delete a campaign with everything derived from it. A second call changes nothing."""
    application = _locked(campaign.version.application_id)
    if not Campaign.objects.filter(pk=campaign.pk).exists():
        return
    audit_record(
        project=application.project,
        action="campaign.delete",
        subject=f"{application} {campaign}",
        user=user,
        campaign=campaign.pk,
        uploads=campaign.uploads.count(),
        values=campaign.value_count,
    )
    _delete(application, [campaign], campaign.uploads.all())


@transaction.atomic
def version_delete(*, version: Version, user: User) -> None:
    """Delete a version with all its campaigns and uploads. A second call changes nothing."""
    application = _locked(version.application_id)
    if not Version.objects.filter(pk=version.pk).exists():
        return
    campaigns = list(version.campaigns.all())
    audit_record(
        project=application.project,
        action="version.delete",
        subject=f"{application} {version}",
        user=user,
        campaigns=len(campaigns),
        values=sum(campaign.value_count for campaign in campaigns),
    )
    uploads = Upload.objects.filter(
        project=application.project, application_slug=application.slug, version_label=version.label
    )
    _delete(application, campaigns, uploads)
    version.delete()


def _locked(application_id: int) -> Application:
    """Lock the application, so that nothing is stored for it meanwhile."""
    rows = Application.objects.select_for_update(of=("self",)).select_related("project")
    return rows.get(pk=application_id)


def _delete(application: Application, campaigns: Iterable[Campaign], uploads: Iterable[Upload]) -> None:
    """Delete the rows, and their files after the commit."""
    gone = list(uploads)
    places = {
        "machines": {campaign.machine_id for campaign in campaigns},
        "versions": {campaign.version_id for campaign in campaigns},
    }
    for campaign in campaigns:
        campaign.delete()
    Upload.objects.filter(pk__in=[upload.pk for upload in gone]).delete()
    campaigns_deleted.send(sender=Campaign, application=application, **places)
    transaction.on_commit(lambda: _files_delete(gone))


def _files_delete(uploads: Iterable[Upload]) -> None:
    for upload in uploads:
        if upload.file:
            upload.file.delete(save=False)
