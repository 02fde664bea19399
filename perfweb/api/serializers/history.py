"""A kernel over versions."""

from typing import Any

from rest_framework import serializers

from modeling.selectors.kernel.kernel import KernelVersion
from modeling.verdicts import VERDICTS
from perfweb.api.links import Link
from perfweb.api.serializers.numbers import Number


class StepSerializer(serializers.Serializer[KernelVersion]):
    """A kernel in one version; the law is null if the version does not contain the kernel."""

    version = serializers.CharField(source="standing.label")
    commit = serializers.CharField(source="standing.commit")
    dated = serializers.DateTimeField(source="standing.dated")
    campaign = Link("api:campaign", pk="standing.campaign_id")
    expression = serializers.CharField(source="model.expression", default=None, allow_null=True)
    growth = serializers.CharField(source="model.growth", default=None, allow_null=True)
    noise = Number(source="model.noise", default=None)
    cv_smape = Number(source="model.cv_smape", default=None)
    predicted = Number()
    lower = Number()
    upper = Number()
    verdict = serializers.ChoiceField(
        VERDICTS,
        source="verdict.value",
        default=None,
        allow_null=True,
        help_text="Verdict since the version before, in the direction of the metric; null: unknown.",
    )
    ratio = Number(help_text="Ratio to the version before, at the application's default target.")


class HistorySerializer(serializers.Serializer[Any]):
    """A kernel over all versions measured on one machine, oldest first."""

    kernel = serializers.CharField(source="kernel.path")
    metric = serializers.CharField(source="metric.name")
    unit = serializers.CharField(source="metric.unit")
    lower_is_better = serializers.BooleanField(
        source="metric.lower_is_better", help_text="Whether lower values are better; verdicts follow it."
    )
    machine = serializers.CharField(source="machine.name", default=None, allow_null=True)
    machines = serializers.ListField(
        child=serializers.CharField(), help_text="All machines on which the kernel has a history."
    )
    target = serializers.DictField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="Target as parameter → value; null: the default target of each version.",
    )
    versions = StepSerializer(many=True)
