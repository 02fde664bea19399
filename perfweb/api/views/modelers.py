"""The errors of a campaign's modelers, and the modelers that pages show and compare."""

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.models import Campaign, Metric
from modeling.selectors.application.choices import choices_of
from modeling.selectors.compared.modelers import Compared, modelers_compared
from modeling.services.models.modelers import ModelerError, modelers_set
from perfweb.accounts.models import Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.api.access import token_of
from perfweb.api.choices import METRIC, metric_read
from perfweb.api.serializers.campaigns import KEYS, ModelersRequestSerializer, ModelersSerializer
from perfweb.api.views.base import ApiView
from perfweb.api.views.campaigns import campaign_find


class ModelersDetail(ApiView):
    """The modelers of one campaign."""

    scopes = (Scope.READ, Scope.UPLOAD)
    scope_of_method: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "PATCH": Scope.UPLOAD}
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="modelers", parameters=[METRIC], responses=ModelersSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the errors of all modelers of a campaign over all its kernels."""
        return _answer(request, campaign_find(request, pk))

    @extend_schema(
        operation_id="modelers_choose",
        parameters=[METRIC],
        request=ModelersRequestSerializer,
        responses=ModelersSerializer,
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Choose the modeler whose models pages show, and the modelers that are compared with it.

        This needs the role maintainer; a token needs the scope `upload`.
        """
        campaign = campaign_find(request, pk)
        user = reader(request)
        role_require(user, campaign.version.application.project, Role.MAINTAINER)
        form = ModelersRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            modelers_set(campaign=campaign, user=user, token=token_of(request), **form.validated_data)
        except ModelerError as wrong:
            raise ValidationError({"shown": [str(wrong)]}) from wrong
        return _answer(request, campaign)


def _answer(request: Request, campaign: Campaign) -> Response:
    metric = _metric(request, campaign)
    found = modelers_compared(campaign, metric)
    body = {
        "campaign": campaign.pk,
        "metric": metric.name if metric else None,
        "kernels": _by_key(found.kernels, 0),
        "judged_by": KEYS[found.judged_by],
        "modelers": [_modeler(each) for each in found.runs],
    }
    return Response(ModelersSerializer(body).data)


def _metric(request: Request, campaign: Campaign) -> Metric | None:
    metrics = choices_of(campaign.version.application_id).metrics
    return metric_read(request, metrics) or next(iter(metrics), None)


def _modeler(each: Compared) -> dict[str, Any]:
    return {
        "modeler": each.run.modeler,
        "shown": each.run.shown,
        "state": each.run.state,
        "engine_version": each.run.engine_version,
        "seconds": each.run.seconds,
        "adapting": each.run.adapting,
        "adapted_seconds": each.run.adapted_seconds,
        "median": _by_key(each.median, None),
        "closest": _by_key(each.best, 0),
        "methods": dict(each.methods),
    }


def _by_key(figures: Mapping[str, Any], missing: int | None) -> dict[str, Any]:
    return {key: figures.get(kind, missing) for kind, key in KEYS.items()}
