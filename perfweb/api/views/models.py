"""The models of a campaign."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.models import Metric
from modeling.models import ModelRun
from modeling.selectors.application.choices import choices_of
from modeling.selectors.run.models_at import models_at, models_of
from modeling.selectors.run.snapshot_loading import snapshot_load
from modeling.selectors.run.targets import target_values
from perfweb.api.choices import ANY_METRIC, EVIDENCE, TARGET, flag_read, metric_read, target_read
from perfweb.api.pages import PAGE, Pages, ShortPages
from perfweb.api.serializers.models import ModelPageSerializer
from perfweb.api.views.base import ApiView
from perfweb.api.views.campaigns import campaign_find


class ModelList(ApiView):
    """All models of a campaign's shown run."""

    @extend_schema(
        operation_id="models", parameters=[ANY_METRIC, TARGET, EVIDENCE, *PAGE], responses=ModelPageSerializer
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return laws with errors, noise and predictions; the list is incomplete during modeling."""
        campaign = campaign_find(request, pk)
        run = max(campaign.runs.all(), key=lambda run: (run.shown, run.pk), default=None)
        named = choices_of(campaign.version.application_id)
        metric = metric_read(request, named.metrics)
        target = target_read(request, named.targets, campaign.parameters)
        if target is None:
            target = run.target if run else target_values(campaign)
        weigh = flag_read(request, "evidence")
        pages = ShortPages() if weigh else Pages()
        rows = pages.rows(models_of(run, metric), request)
        body = {
            "campaign": campaign,
            "parameters": campaign.parameters,
            "target": target,
            "run": run,
            "total": _total(run, metric, target),
            **pages.links(),
            "models": models_at(rows, run, target, weigh=weigh) if run else [],
        }
        return Response(ModelPageSerializer(body, context={"request": request}).data)


def _total(run: ModelRun | None, metric: Metric | None, target: Mapping[str, float]) -> dict[str, Any] | None:
    if run is None or metric is None:
        return None
    snapshot = snapshot_load(run, metric, target)
    if snapshot.predicted_total is None:
        return None
    return {**asdict(snapshot.total), "kernels": snapshot.summed}
