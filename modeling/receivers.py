"""Receivers of the signals of `ingest`, which does not import `modeling`."""

from typing import Any

from django.dispatch import receiver

from ingest.models import Application, Campaign, Machine
from ingest.selectors import campaigns_current
from ingest.signals import campaign_stored, campaigns_deleted, dependencies_changed, target_moved
from ingest.work import enqueue
from modeling.services.alerts.raising import alerts_withdraw
from modeling.services.changes.comparisons import neighbours_request
from modeling.services.models.runs import runs_reprofile, runs_request
from modeling.services.predictions.ledger import ledger_summarise
from modeling.services.predictions.trends import trends_follow


@receiver(campaign_stored)
def campaign_model(campaign: Campaign, **_: Any) -> None:
    """Model every campaign as soon as it is stored."""
    runs_request(campaign)


@receiver(target_moved)
def application_predict(application: Application, **_: Any) -> None:
    """Enqueue the recomputation of stored predictions for a changed target."""
    enqueue("modeling.tasks.application_retarget", application)


@receiver(dependencies_changed)
def application_reprofile(application: Application, **_: Any) -> None:
    """Model the newest version again after the functions' stored dependencies changed."""
    runs_reprofile(application)


@receiver(campaigns_deleted)
def application_line_up(application: Application, machines: set[int], versions: set[int], **_: Any) -> None:
    """Repair trends, alerts, comparisons of neighbours, and the ledger after campaigns were deleted."""
    for machine in Machine.objects.filter(pk__in=machines):
        for version in versions:
            trends_follow(application, machine, version)
        alerts_withdraw(application, machine, versions)
        for campaign in campaigns_current(application, machine):
            neighbours_request(campaign)
        ledger_summarise(application, machine)
