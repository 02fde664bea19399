"""Alerts: what became worse in a version, and people's decisions about these changes."""

from typing import Any

from rest_framework import serializers

from ingest.fields.names import text_visible
from modeling.models import Alert
from modeling.verdicts import VERDICTS
from perfweb.accounts.models import User
from perfweb.accounts.selectors import user_named
from perfweb.api.links import Link
from perfweb.api.serializers.models import KernelSerializer
from perfweb.api.serializers.numbers import Number

EXPECTATION = "expectation"
"""The verdict of an alert whose cause is a broken expectation."""


class AlertSerializer(serializers.Serializer[Alert]):
    """A change that somebody has to decide about; the numbers are those of the latest comparison."""

    id = serializers.IntegerField()
    page = Link("change", project="application.project.slug", application="application.slug", pk="pk")
    kernel = KernelSerializer()
    metric = serializers.CharField(source="metric.name")
    version = serializers.CharField(source="version.label", help_text="version in which the change appeared")
    machine = serializers.CharField(source="machine.name")
    cause = serializers.ChoiceField(
        Alert.Cause.values, help_text="whether the values changed, or an expectation is broken"
    )
    verdict = serializers.ChoiceField([*VERDICTS, EXPECTATION])
    improvement = serializers.BooleanField(
        help_text="Whether the kernel became better, so that nobody has to act."
    )
    reason = serializers.CharField(
        help_text="the broken expectation and how it is broken; empty for changes of the values"
    )
    probability = serializers.FloatField(
        help_text="probability that the kernel changed, or that the expectation is broken"
    )
    ratio = Number(help_text="after / before at the default target")
    ratio_lower = Number(help_text="lower end of its 95 % interval")
    ratio_upper = Number()
    difference = Number(help_text="after − before at the default target, in units of the metric")
    effect = Number(help_text="size of the difference as a part of the program's total at that target")
    state = serializers.ChoiceField(Alert.State.values)
    assignee = serializers.CharField(source="assignee.username", default=None, allow_null=True)
    due = serializers.DateField(allow_null=True)
    note = serializers.CharField()
    issue = serializers.CharField(source="issue_url", help_text="address of the issue in your tracker")
    fixed_in = serializers.CharField(
        source="fixed_in.label",
        default=None,
        allow_null=True,
        help_text="version in which the kernel is as before the change",
    )
    silenced_until = serializers.DateTimeField(allow_null=True)
    raised_at = serializers.DateTimeField()


class AlertPageSerializer(serializers.Serializer[Any]):
    """A page of alerts by version, newest first, and within a version by effect, largest first."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    alerts = AlertSerializer(many=True)


class TriageSerializer(serializers.Serializer[Any]):
    """The fields to set; omitted fields stay unchanged."""

    state = serializers.ChoiceField(Alert.State.choices, required=False)
    assignee = serializers.CharField(
        required=False, allow_null=True, max_length=150, help_text="name of a member; null: nobody"
    )
    due = serializers.DateField(required=False, allow_null=True)
    note = serializers.CharField(required=False, allow_blank=True, max_length=2000, trim_whitespace=False)
    issue = serializers.URLField(
        required=False, allow_blank=True, max_length=500, source="issue_url",
        help_text="address of the tracker's entry",
    )  # fmt: skip

    def validate_assignee(self, name: str | None) -> User | None:
        """Return the user of that name."""
        if name is None:
            return None
        text_visible(name)
        return user_named(name)
