"""Which modelers a campaign is modelled with, and whose models pages show."""

from collections.abc import Sequence

from django.db import transaction

from ingest.models import Application, Campaign
from ingest.work import enqueue
from modeling.models import ModelerChoice, ModelRun, State
from modeling.services.comparisons import comparisons_renew, neighbours_request
from modeling.services.runs import run_request
from modeling.services.trends import trends_follow
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User


@transaction.atomic
def modelers_choose(*, application: Application, shown: str, compared: Sequence[str], user: User) -> None:
    """Choose the modelers of campaigns to come; nothing is recorded where nothing changes."""
    others = [name for name in compared if name != shown]
    choice, made = ModelerChoice.objects.get_or_create(
        application=application, defaults={"shown": shown, "compared": others}
    )
    if not made and (choice.shown, choice.compared) == (shown, others):
        return
    choice.shown, choice.compared = shown, others
    choice.save()
    audit_record(
        project=application.project, action="modelers.choose", user=user,
        subject=f"{application.slug}: {', '.join([shown, *others])}",
    )  # fmt: skip


@transaction.atomic
def modeler_add(*, campaign: Campaign, modeler: str, user: User) -> ModelRun:
    """Ask for the models of another modeler, to be compared with those that pages show."""
    first = not campaign.runs.exists()
    before = campaign.runs.filter(modeler=modeler).exists()
    run = run_request(campaign, modeler, shown=first)
    if not before:
        _record(campaign, "modeler.add", modeler, user)
    return run


@transaction.atomic
def modeler_show(*, run: ModelRun, user: User) -> None:
    """Have pages show the models of this run of a campaign; the others stay to be compared.

    What was derived from the models shown before follows: trends at once, comparisons with their alerts and
    expectations soon. A run that is not finished yet brings all of it when it is.
    """
    campaign = run.campaign
    # Runs of one application change its trends one after the other.
    application = Application.objects.select_for_update().get(pk=campaign.version.application_id)
    if ModelRun.objects.filter(pk=run.pk, shown=True).exists():
        return
    campaign.runs.exclude(pk=run.pk).update(shown=False)
    campaign.runs.filter(pk=run.pk).update(shown=True, expected_at=None)
    trends_follow(application, campaign.machine, campaign.version_id)
    if ModelRun.objects.filter(pk=run.pk, state=State.DONE).exists():
        comparisons_renew(campaign)
        neighbours_request(campaign)
        enqueue("modeling.tasks.application_expect", application)
    _record(campaign, "modeler.show", run.modeler, user)


@transaction.atomic
def modeler_remove(*, run: ModelRun, user: User) -> bool:
    """Delete the models of a run that is not shown, also while it is under way; whether it was not shown."""
    if not ModelRun.objects.select_for_update().filter(pk=run.pk, shown=False).exists():
        return False
    _record(run.campaign, "modeler.remove", run.modeler, user)
    run.delete()
    return True


def _record(campaign: Campaign, action: str, modeler: str, user: User) -> None:
    audit_record(
        project=campaign.version.application.project, action=action, user=user,
        subject=f"campaign {campaign.pk}: {modeler}",
    )  # fmt: skip
