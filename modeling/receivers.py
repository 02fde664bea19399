"""Listens to `ingest`, which does not know that models exist."""

from typing import Any

from django.dispatch import receiver

from ingest.models import Campaign
from ingest.signals import campaign_stored
from modeling.services.runs import run_request


@receiver(campaign_stored)
def campaign_model(campaign: Campaign, **_: Any) -> None:
    """Model every campaign as soon as it is stored."""
    run_request(campaign)
