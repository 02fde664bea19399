"""Stored models, some at a time: a campaign's posteriors together are larger than a process should be."""

from collections.abc import Iterator

from django.db.models import QuerySet

from ingest.models import Campaign
from modeling.models import Model

NUMBERS_AT_ONCE = 2_000
"""Kernels × parameters whose models are in memory at once, some tens of kilobytes each."""

FEWEST_KERNELS = 50
"""Kernels at once, however many parameters they have."""


def kernels_at_once(campaign: Campaign) -> int:
    """How many of a campaign's models may be in memory together with their posteriors."""
    return max(FEWEST_KERNELS, NUMBERS_AT_ONCE // max(len(campaign.parameters), 1))


def model_portions(found: QuerySet[Model], campaign: Campaign) -> Iterator[list[Model]]:
    """Models of one campaign, some at a time, by metric and kernel."""
    ids = list(found.order_by("metric_id", "kernel_id").values_list("pk", flat=True))
    step = kernels_at_once(campaign)
    for start in range(0, len(ids), step):
        yield list(Model.objects.filter(pk__in=ids[start : start + step]).order_by("metric_id", "kernel_id"))
