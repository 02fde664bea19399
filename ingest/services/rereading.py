"""Changes the parameters of a stored campaign by reading its files again."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from ingest.formats import FormatError
from ingest.formats.collecting.merging import merge_all
from ingest.models import Application, Campaign, Upload
from ingest.selectors import uploads_standing
from ingest.services.campaigns import campaign_rewrite
from ingest.services.reading import upload_read
from ingest.signals import campaign_stored
from ingest.work import enqueue
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User


def parameters_choose(*, campaign: Campaign, parameters: Sequence[str], user: User) -> None:
    """Request that a campaign's files are read again with these parameters.

    Raises:
        ValidationError: no parameter was named, or one is not known for each run.
    """
    known = campaign_numbers(campaign)
    unknown = [name for name in parameters if name not in known]
    if unknown or not parameters:
        found = f"“{unknown[0][:80]}”" if unknown else "no parameter"
        expected = f"some of {', '.join(known)}" if known else "files whose runs have numbers to choose from"
        raise ValidationError(f"Found {found}, expected {expected}.")
    with transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(
            chosen_parameters=list(dict.fromkeys(parameters)), queued_at=timezone.now(), reread_error=""
        )
        audit_record(
            project=campaign.version.application.project, action="campaign.parameters", subject=campaign,
            user=user, campaign=campaign.pk, parameters=list(parameters),
        )  # fmt: skip
        enqueue("ingest.tasks.campaign_reread", campaign)


def campaign_numbers(campaign: Campaign) -> dict[str, list[float]]:
    """Return the numbers that are known for each run of a campaign, with ascending values."""
    runs = [run for upload in uploads_standing(campaign) for run in upload.runs]
    names = [name for name in runs[0] if all(name in run for run in runs)] if runs else []
    return {name: sorted({run[name] for run in runs}) for name in names}


def campaign_reread(campaign: Campaign) -> None:
    """Read a campaign's files again, and store the campaign with the chosen parameters."""
    chosen = campaign.chosen_parameters
    try:
        rows = list(uploads_standing(campaign))
        whole = merge_all([upload_read(row, chosen) for row in rows])
    except (FormatError, OSError) as error:
        Campaign.objects.filter(pk=campaign.pk).update(queued_at=None, reread_error=str(error))
        return
    with transaction.atomic():
        Application.objects.select_for_update().get(pk=campaign.version.application_id)
        found = Campaign.objects.select_for_update(of=("self",)).filter(pk=campaign.pk).first()
        # If the campaign or the choice has changed, `queued_at` stays, and the campaign is read again.
        if found is None or found.chosen_parameters != chosen or found.revision != campaign.revision:
            return
        found.queued_at = None
        campaign_rewrite(campaign=found, whole=whole)
        found.uploads.filter(pk__in=[row.pk for row in rows]).update(state=Upload.State.STORED)
    campaign_stored.send(sender=Campaign, campaign=found)
