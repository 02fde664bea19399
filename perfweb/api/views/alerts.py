"""Lists and changes alerts, as the inbox does for people."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from modeling.models import Alert
from modeling.selectors.alerts.inbox import ALL, OPEN, Wanted, alerts_in, ordered
from modeling.services.alerts.triage import alerts_triage
from perfweb.accounts.models import Role, Scope
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.api.access import projects_of, token_of
from perfweb.api.choices import flag_read
from perfweb.api.pages import PAGE, Pages
from perfweb.api.serializers.alerts import AlertPageSerializer, AlertSerializer, TriageSerializer
from perfweb.api.views.applications import NAME, PROJECT, application_find
from perfweb.api.views.base import ApiView

STATES = [OPEN, ALL, *Alert.State.values]
TEXTS = {
    "machine": "Name of the machine.",
    "metric": "Name of the metric.",
    "version": "Label of the version in which it appeared.",
    "kernel": "Part of the kernel's path.",
    "assignee": "Name of a user; `me`, or `nobody`.",
}
SWITCHES = {
    "improvements": "Improvements instead of changes for the worse.",
    "silenced": "Silenced changes instead of all others.",
    "overdue": "Only changes whose due date has passed.",
}
PARAMETERS = [
    OpenApiParameter("state", str, enum=STATES, description="One state, `open` (the default) or `all`."),
    *(OpenApiParameter(name, str, description=about) for name, about in TEXTS.items()),
    *(OpenApiParameter(name, bool, description=about) for name, about in SWITCHES.items()),
]
RELATED = ("application__project", "kernel", "metric", "version", "machine", "assignee", "fixed_in")


class AlertList(ApiView):
    """The alerts of an application."""

    @extend_schema(
        operation_id="alerts", parameters=[NAME, PROJECT, *PARAMETERS, *PAGE], responses=AlertPageSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the changes of an application that somebody has to decide about.

        Each says what became worse, in which version it appeared, and who works on it.
        """
        wanted = _wanted(request)
        rows = wanted.narrow(
            Alert.objects.filter(application=application_find(request, slug)), reader(request)
        )
        asked = rows.filter(state__in=wanted.states, improvement=wanted.improvements)
        pages = Pages()
        alerts = pages.rows(ordered(asked.select_related(*RELATED)), request)
        body = {**pages.links(), "alerts": alerts}
        return Response(AlertPageSerializer(body, context={"request": request}).data)


class AlertTriage(ApiView):
    """One alert."""

    scopes = (Scope.TRIAGE,)
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="alert_triage", request=TriageSerializer, responses=AlertSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Set the state, assignee, due date, note or issue of a change; omitted fields stay as they are.

        This needs the role contributor; a token needs the scope `triage`.
        """
        rows = alerts_in(projects_of(request)).filter(pk=pk)
        alert = rows.select_related("application__project").first()
        if alert is None:
            raise Http404(f"There is no change {pk} that you may see.")
        role_require(reader(request), alert.application.project, Role.CONTRIBUTOR)
        form = TriageSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        alerts_triage(
            alerts=rows, changes=form.validated_data, actor=reader(request), token=token_of(request)
        )
        changed = rows.select_related(*RELATED).get()
        return Response(AlertSerializer(changed, context={"request": request}).data)


def _wanted(request: Request) -> Wanted:
    asked = request.query_params
    state = asked.get("state", OPEN)
    if state not in STATES:
        raise ValidationError({"state": [f"Found “{state[:80]}”, expected one of {', '.join(STATES)}."]})
    return Wanted(
        state=state,
        improvements=flag_read(request, "improvements"),
        silenced=flag_read(request, "silenced"),
        overdue=flag_read(request, "overdue"),
        machine=asked.get("machine", ""),
        metric=asked.get("metric", ""),
        version=asked.get("version", ""),
        kernel=asked.get("kernel", ""),
        assignee=asked.get("assignee", ""),
    )
