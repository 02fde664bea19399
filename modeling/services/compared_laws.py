"""Stored laws of two campaigns, for the ratio at the target where a comparison finds that a law changed."""

from collections.abc import Callable

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from ingest.models import Campaign
from modeling import arrays
from modeling.engine import DEFAULT_MODELER, Models
from modeling.models import Comparison, Model, ModelRun, State

Kernels = NDArray[np.int64]
Fitted = Callable[[Kernels], tuple[Models, Models]]


def stored_laws(comparison: Comparison, metric_id: int, kernels: Kernels) -> Fitted | None:
    """Gives the stored laws of kernels (K,), chosen by their numbers; None where some have no stored model.

    They were found with all that a campaign shows of its noise, and are the ones that pages show; fitting
    the same kernels once more would take as long as modeling them.
    """
    campaigns = comparison.before, comparison.after
    stored = [_models(campaign, metric_id) for campaign in campaigns]
    if any(rows.filter(kernel_id__in=kernels.tolist()).count() < len(kernels) for rows in stored):
        return None

    def laws(some: Kernels) -> tuple[Models, Models]:
        pairs = zip(stored, campaigns, strict=True)
        before, after = (_loaded(rows, kernels[some].tolist(), campaign) for rows, campaign in pairs)
        return before, after

    return laws


def _models(campaign: Campaign, metric_id: int) -> QuerySet[Model]:
    """Of the finished run that modelled the campaign as it is now; none where there is no such run."""
    runs = ModelRun.objects.filter(campaign=campaign, modeler=DEFAULT_MODELER, revision=campaign.revision)
    return Model.objects.filter(run__in=runs.filter(state=State.DONE, options={}), metric_id=metric_id)


def _loaded(rows: QuerySet[Model], kernels: list[int], campaign: Campaign) -> Models:
    by_kernel = {row.kernel_id: row for row in rows.filter(kernel_id__in=kernels)}
    return arrays.models_load([by_kernel[kernel] for kernel in kernels], campaign)
