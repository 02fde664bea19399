"""A kernel over the versions of its application."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.models import Application, Campaign, Kernel, Machine
from modeling.selectors.application.choices import choices
from modeling.selectors.kernel.kernel import steps
from modeling.selectors.versions.aliases import named_in_turn
from modeling.selectors.versions.standings import Standing, line_of, standings
from perfweb.api.access import projects_of
from perfweb.api.choices import METRIC, TARGET, metric_read, target_read
from perfweb.api.serializers.history import HistorySerializer
from perfweb.api.views.base import ApiView

MACHINE = OpenApiParameter(
    "machine", str, description="Name of the machine; default: the machine that was measured last."
)


class KernelHistory(ApiView):
    """One kernel over all versions."""

    @extend_schema(
        operation_id="kernel_history", parameters=[METRIC, MACHINE, TARGET], responses=HistorySerializer
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return a kernel's law, noise and prediction in every version measured on one machine."""
        kernel = Kernel.objects.in_projects(projects_of(request)).filter(pk=pk).first()
        named = choices(Application.objects.filter(kernels=pk)) if kernel else None
        if kernel is None or named is None:
            raise Http404(f"There is no kernel {pk} that you may see.")
        metric = metric_read(request, named.metrics) or named.metrics[0]
        ordered = standings(named.application)
        machine = machine_read(request, ordered)
        line = line_of(ordered, machine)
        last = Campaign.objects.get(pk=line[-1].campaign_id)
        target = target_read(request, named.targets, last.parameters)
        point = [target[name] for name in last.parameters] if target else None
        body = {
            "kernel": kernel,
            "metric": metric,
            "machine": machine,
            "machines": sorted({standing.machine.name for standing in ordered}),
            "target": target,
            "versions": steps(named_in_turn(kernel.pk, named.aliases), metric, line, last, point),
        }
        return Response(HistorySerializer(body, context={"request": request}).data)


def machine_read(request: Request, ordered: list[Standing]) -> Machine:
    """Return the requested machine, or the one on which the latest version was measured.

    Raises:
        Http404: nothing was measured yet.
        ValidationError: nothing was measured on that machine.
    """
    if not ordered:
        raise Http404("The application has no stored campaign.")
    name = request.query_params.get("machine")
    if not name:
        return ordered[-1].machine
    found = next((standing.machine for standing in ordered if standing.machine.name == name), None)
    if found is None:
        known = ", ".join(sorted({standing.machine.name for standing in ordered}))
        raise ValidationError({"machine": [f"Found “{name[:80]}”, expected one of: {known}."]})
    return found
