"""The release gate of a version."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from ingest.models import Campaign
from modeling.rules.policies import DEFAULT_POLICY, Condition, policy_parse
from modeling.rules.reading import RuleError
from modeling.selectors.application.choices import Choices
from modeling.selectors.gate.judging import gate_judge
from modeling.selectors.gate.subject import (
    GateSubject,
    NotComparableError,
    NotComparedError,
    NotMeasuredError,
    standing_asked,
    standing_before,
    subject_load,
    uploads_waiting,
)
from modeling.selectors.gate.verdict import GateVerdict
from modeling.selectors.versions.standings import Standing, standings
from perfweb.api.choices import TARGET, target_read
from perfweb.api.gate_text import Markdown, PlainText
from perfweb.api.problems import Unprocessable
from perfweb.api.serializers.gate import GateSerializer
from perfweb.api.views.applications import NAME, PROJECT, application_choices
from perfweb.api.views.base import ApiView
from perfweb.api.views.comparisons import NOT_COMPARED

LATER = {"Retry-After": "2"}

PARAMETERS = [
    NAME,
    OpenApiParameter("version", str, description="Label of the version; default: the latest version."),
    OpenApiParameter(
        "before",
        str,
        description="Label of the version to compare with; default: the version before it on the machine.",
    ),
    OpenApiParameter(
        "policy",
        str,
        description="Conditions for refusing the version, joined by `or` or `;`. Default: the policy of the "
        f"application's settings; if there is none, `{DEFAULT_POLICY}`. The help's chapter on the gate lists "
        "all conditions.",
    ),
    OpenApiParameter(
        "machine", str, description="Machine; default: the machine on which the version was measured last."
    ),
    TARGET,
    PROJECT,
]

RESPONSES: dict[Any, Any] = {
    (200, "application/json"): OpenApiResponse(GateSerializer, "Judged."),
    (200, "text/plain"): OpenApiResponse(OpenApiTypes.STR, "Judged."),
    (200, "text/markdown"): OpenApiResponse(OpenApiTypes.STR, "Judged."),
    (202, "application/json"): OpenApiResponse(
        GateSerializer, "Being worked on; ask again after `Retry-After`."
    ),
}


class GateDetail(ApiView):
    """The gate of an application."""

    renderer_classes = (JSONRenderer, PlainText, Markdown)

    @extend_schema(operation_id="gate", parameters=PARAMETERS, responses=RESPONSES)
    def get(self, request: Request, slug: str) -> Response:
        """Say whether a version may be released.

        The status is 202 while the version's files are read, modelled or compared. With `Accept: text/plain`
        the answer is text for a log, with `text/markdown` a comment for a merge request. If the comparison of
        the two versions was never requested, the answer is 404 with the type
        `urn:perfweb:problem:not_compared`, as for `comparisons`.
        """
        named = application_choices(request, slug)
        policy = policy_read(request, named)
        asked = _Asked(request, named, policy)
        try:
            return asked.answer()
        except NotMeasuredError as missing:
            raise Http404(str(missing)) from missing
        except NotComparableError as wrong:
            raise Unprocessable(str(wrong)) from wrong
        except NotComparedError as missing:
            advice = "a POST to /api/v1/comparisons/ requests it."
            raise NotFound(
                f"{missing} For two versions that do not follow each other {advice}", NOT_COMPARED
            ) from missing


def policy_read(request: Request, named: Choices) -> tuple[Condition, ...]:
    """Return the conditions of the requested policy, or of the application's own.

    Raises:
        ValidationError: the policy cannot be read; the message names the position.
    """
    try:
        return policy_parse(request.query_params.get("policy") or named.gate_policy)
    except RuleError as wrong:
        raise ValidationError({"policy": [str(wrong)]}) from wrong


class _Asked:
    def __init__(self, request: Request, named: Choices, policy: tuple[Condition, ...]) -> None:
        self.request, self.named, self.policy = request, named, policy
        self.application = named.application

    def text(self, name: str) -> str:
        return self.request.query_params.get(name, "")

    def answer(self) -> Response:
        """Return the verdict, or the work that it is waiting for."""
        ordered = standings(self.application)
        label = self.text("version")
        try:
            after = standing_asked(ordered, label, self.text("machine"))
        except NotMeasuredError:
            if label and uploads_waiting(self.application, label):
                return self._reading(label)
            raise
        before = standing_before(ordered, after, self.text("before"))
        subject = subject_load(self.application, after, before)
        target = self._target(subject)
        return self._judged(gate_judge(subject, self.policy, self.named.metrics, target), target)

    def _target(self, subject: GateSubject) -> Mapping[str, float] | None:
        if not self.text("target"):
            return None
        run, number = subject.run, subject.after.campaign_id
        campaign = run.campaign if run else Campaign.objects.only("parameters").get(pk=number)
        return target_read(self.request, self.named.targets, campaign.parameters)

    def _judged(self, verdict: GateVerdict, target: Mapping[str, float] | None) -> Response:
        subject = verdict.subject
        body = self._body(subject.after.label) | {
            "machine": subject.machine.name,
            "before": subject.before,
            "after": subject.after,
            "target": target,
            "verdict": verdict.word,
            "passed": verdict.passed,
            "undecided": verdict.undecided,
            "waiting": subject.waiting,
            "reasons": verdict.sentences,
            "conditions": verdict.outcomes,
            "page": self._page(subject.before, subject.after),
        }
        return self._response(body, waiting=verdict.waiting)

    def _reading(self, label: str) -> Response:
        """Return the answer for a version that has no measurements yet because its files are being read."""
        body = self._body(label) | {
            "machine": None, "before": None, "after": None, "target": None, "verdict": "undecided",
            "passed": False, "undecided": True, "waiting": [f"Files of {label} are still being read."],
            "reasons": [], "conditions": [], "page": self._address("application"),
        }  # fmt: skip
        return self._response(body, waiting=True)

    def _body(self, label: str) -> dict[str, Any]:
        return {
            "application": self.application.slug,
            "project": self.application.project.slug,
            "version": label,
            "policy": "; ".join(condition.text for condition in self.policy),
        }

    def _response(self, body: dict[str, Any], *, waiting: bool) -> Response:
        data = GateSerializer(body, context={"request": self.request}).data
        if waiting:
            return Response(data, status.HTTP_202_ACCEPTED, headers=LATER)
        return Response(data)

    def _page(self, before: Standing | None, after: Standing) -> str:
        """Return the address of the comparison's page, or of the application's page for a first version."""
        if before is None:
            return f"{self._address('application')}?{urlencode({'version': after.label})}"
        query = {"machine": after.machine.name, "before": before.label, "after": after.label}
        return f"{self._address('compare')}?{urlencode(query)}"

    def _address(self, page: str) -> str:
        places = {"project": self.application.project.slug, "application": self.application.slug}
        # Django's own function: that of the REST framework would copy ?format=text of the request.
        return self.request.build_absolute_uri(reverse(page, kwargs=places))
