"""The comparison of two versions."""

from typing import Any

from rest_framework import serializers

from modeling.models import Change, State
from modeling.selectors.versions.changes import ChangeFound
from modeling.verdicts import VERDICTS
from perfweb.api.links import Link
from perfweb.api.serializers.failures import FailureSerializer
from perfweb.api.serializers.models import AmountSerializer, KernelSerializer
from perfweb.api.serializers.numbers import Number


class SideSerializer(serializers.Serializer[object]):
    """One of the two versions."""

    version = serializers.CharField(source="label")
    commit = serializers.CharField()
    campaign = Link("api:campaign", pk="campaign_id")


class StoredLawSerializer(AmountSerializer):
    """A law and its prediction at the application's default target."""

    expression = serializers.CharField()


class ChangeSerializer(serializers.Serializer[ChangeFound]):
    """A kernel that changed, or may have changed. All other kernels are unchanged."""

    kernel = KernelSerializer(source="change.kernel")
    metric = serializers.CharField(source="change.metric.name")
    kind = serializers.ChoiceField(Change.Kind.values, source="change.kind")
    lower_is_better = serializers.BooleanField(
        source="change.metric.lower_is_better",
        help_text="Whether lower values are better; the verdict follows it.",
    )
    verdict = serializers.ChoiceField(
        VERDICTS, source="verdict.value",
        help_text="`slower` and `faster` mean worse and better by a factor: for a throughput, `slower` is a "
        "factor below 1. `overhead_…` means that a constant amount was added or removed.",
    )  # fmt: skip
    probability = serializers.FloatField(
        source="change.probability", help_text="probability that the kernel changed at all"
    )
    law_probability = Number(
        source="change.law_probability",
        help_text="probability that its law changed, which is included in `probability`; null: not stored",
    )
    overhead_probability = Number(
        source="change.overhead_probability",
        help_text="probability that only a constant was added or removed; null: not stored",
    )
    ratio = Number(
        source="change.ratio",
        help_text="after / before at the default target, without the shift; null: its interval contains 1. "
        "If the verdict is `unknown`: as measured at the common points, with the shift; null: not measured",
    )
    ratio_lower = Number(source="change.ratio_lower")
    ratio_upper = Number(source="change.ratio_upper")
    before = StoredLawSerializer(allow_null=True)
    after = StoredLawSerializer(allow_null=True)


class PowerSerializer(serializers.Serializer[Any]):
    """A power of a parameter with which the shared factor grows or falls."""

    parameter = serializers.CharField()
    exponent = Number()
    lower = Number(help_text="lower end of its 95 % interval")
    upper = Number()


class ShiftSerializer(serializers.Serializer[Any]):
    """The factor that most kernels share in one metric, e.g. because of a slower machine or other flags.
    A kernel's ratio excludes this factor, unless the kernel's verdict is `unknown`.
    """

    metric = serializers.CharField(source="metric.name")
    ratio = Number(
        help_text="after / before of kernels that did not change: the shift that most kernels share"
    )
    ratio_lower = Number(source="lower", help_text="lower end of its 95 % interval")
    ratio_upper = Number(source="upper")
    growth = PowerSerializer(
        many=True, help_text="powers of parameters with which the ratio grows or falls; empty: it is constant"
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """Which kernels changed between two versions, the most certain first."""

    application = serializers.SlugField(source="application.slug")
    project = serializers.SlugField(source="application.project.slug")
    machine = serializers.CharField(help_text="Machine on which `after` was measured.")
    before_machine = serializers.CharField(help_text="Machine on which `before` was measured.")
    before = SideSerializer()
    after = SideSerializer()
    state = serializers.ChoiceField(
        State.values, help_text="State of the comparison; ask again until it is done or failed."
    )
    error = serializers.CharField()
    failures = FailureSerializer(
        many=True,
        help_text="Metrics that could not be compared; their kernels are listed as unknown changes.",
    )
    shifts = ShiftSerializer(many=True)
    count = serializers.IntegerField(help_text="number of all changes")
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    changes = ChangeSerializer(many=True)
