"""Load stored models in portions, because all posteriors of a campaign may exceed the memory of a process."""

from collections.abc import Iterator

from django.db.models import QuerySet

from ingest.models import Campaign
from modeling.models import Model

NUMBERS_AT_ONCE = 2_000
"""Limit on kernels × parameters of the models in memory. Each takes some tens of kilobytes."""

FEWEST_KERNELS = 50
"""Kernels that are loaded at a time even if there are many parameters."""


def kernels_at_once(campaign: Campaign) -> int:
    """Return how many models of a campaign may be in memory with their posteriors."""
    return max(FEWEST_KERNELS, NUMBERS_AT_ONCE // max(len(campaign.parameters), 1))


def model_portions(found: QuerySet[Model], campaign: Campaign) -> Iterator[list[Model]]:
    """Yield the models of one campaign in portions, ordered by metric and kernel."""
    ids = list(found.order_by("metric_id", "kernel_id").values_list("pk", flat=True))
    step = kernels_at_once(campaign)
    for start in range(0, len(ids), step):
        yield list(Model.objects.filter(pk__in=ids[start : start + step]).order_by("metric_id", "kernel_id"))
