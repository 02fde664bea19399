"""Choose the modelers of campaigns, and the modeler whose models pages show."""

from collections.abc import Sequence

from django.db import transaction

from ingest.models import Application, Campaign
from ingest.work import enqueue
from modeling.engine import MODELERS
from modeling.models import ModelerChoice, ModelRun, State
from modeling.services.changes.comparisons import comparisons_renew, neighbours_request
from modeling.services.models.runs import run_request
from modeling.services.predictions.trends import trends_follow
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, User


class ModelerError(ValueError):
    """A change of a campaign's modelers is impossible; the message says why."""


def modelers_parse(text: str) -> list[str]:
    """Return the modelers named in a text such as `evidence, adaptive`, each once.

    Raises:
        ModelerError: a modeler is unknown.
    """
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in MODELERS:
            raise ModelerError(f"Found the modeler “{name}”, expected some of {', '.join(MODELERS)}.")
    return names


@transaction.atomic
def modelers_choose(*, application: Application, shown: str, compared: Sequence[str], user: User) -> None:
    """Choose the modelers of future campaigns. Nothing is recorded if nothing changes."""
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
def modelers_set(
    *,
    campaign: Campaign,
    user: User,
    token: ApiToken | None = None,
    shown: str | None = None,
    compared: Sequence[str] | None = None,
) -> None:
    """Set which modeler of a campaign is shown, and which are compared. None keeps the present choice.

    Raises:
        ModelerError: the modeler to be shown has no finished models yet.
    """
    for name in compared or ():
        if not campaign.runs.filter(modeler=name).exists():
            modeler_add(campaign=campaign, modeler=name, user=user, token=token)
    if shown is not None:
        modeler_show(run=_finished(campaign, shown), user=user, token=token)
    if compared is not None:
        for run in campaign.runs.filter(shown=False).exclude(modeler__in=compared):
            modeler_remove(run=run, user=user, token=token)


def _finished(campaign: Campaign, modeler: str) -> ModelRun:
    """Return the run of a modeler. It must be finished or already shown."""
    run = campaign.runs.filter(modeler=modeler).first()
    if run is None or not (run.shown or run.state == State.DONE):
        state = "does not model this campaign" if run is None else f"is {run.get_state_display()}"
        raise ModelerError(
            f"{modeler} {state}; its models can be shown once they are finished: compare it first."
        )
    return run


@transaction.atomic
def modeler_add(*, campaign: Campaign, modeler: str, user: User, token: ApiToken | None = None) -> ModelRun:
    """Request a campaign's models by another modeler, for comparison."""
    first = not campaign.runs.exists()
    before = campaign.runs.filter(modeler=modeler).exists()
    run = run_request(campaign, modeler, shown=first)
    if not before:
        _record(campaign, "modeler.add", modeler, user, token)
    return run


@transaction.atomic
def modeler_show(*, run: ModelRun, user: User, token: ApiToken | None = None) -> None:
    """Show the models of this run on pages, and keep the other runs for comparison."""
    campaign = run.campaign
    # Only one transaction at a time may change the trends of an application.
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
    _record(campaign, "modeler.show", run.modeler, user, token)


@transaction.atomic
def modeler_remove(*, run: ModelRun, user: User, token: ApiToken | None = None) -> bool:
    """Delete a run that pages do not show, even in progress. Return whether it was deleted."""
    if not ModelRun.objects.select_for_update().filter(pk=run.pk, shown=False).exists():
        return False
    _record(run.campaign, "modeler.remove", run.modeler, user, token)
    run.delete()
    return True


def _record(campaign: Campaign, action: str, modeler: str, user: User, token: ApiToken | None) -> None:
    audit_record(
        project=campaign.version.application.project, action=action, user=user, token=token,
        subject=f"campaign {campaign.pk}: {modeler}",
    )  # fmt: skip
