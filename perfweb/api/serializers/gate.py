"""The verdict of a gate."""

from typing import Any

from rest_framework import serializers

from perfweb.api.serializers.comparisons import SideSerializer
from perfweb.api.serializers.numbers import Number


class ReasonSerializer(serializers.Serializer[Any]):
    """The kernel or total that meets a condition, or comes nearest to it, with its probability."""

    sentence = serializers.CharField()
    metric = serializers.CharField(source="metric.name", default=None, allow_null=True)
    kernel = serializers.CharField(
        source="kernel.path", default=None, allow_null=True, help_text="Call path; null: the whole program."
    )
    probability = Number(
        default=None,
        help_text="Probability that the kernel is worse than the limit, that its law or overhead became "
        "worse, or that the expectation is broken.",
    )
    ratio = Number(source="change.ratio", help_text="after / before at the target")
    ratio_lower = Number(source="change.lower", help_text="lower end of its 95 % interval")
    ratio_upper = Number(source="change.upper")


class ConditionSerializer(serializers.Serializer[Any]):
    """A condition of the policy; the version is refused if one is met."""

    condition = serializers.CharField()
    met = serializers.BooleanField(allow_null=True, help_text="whether the condition is met; null: unknown")
    count = serializers.IntegerField(
        help_text="number of kernels and totals that meet the condition; at most 20 are listed"
    )
    reasons = ReasonSerializer(many=True)


class GateSerializer(serializers.Serializer[Any]):
    """The verdict on whether a version may be released, with its reasons."""

    application = serializers.SlugField()
    project = serializers.SlugField()
    machine = serializers.CharField(allow_null=True, help_text="machine; null: nothing was measured yet")
    version = serializers.CharField()
    before = SideSerializer(
        allow_null=True, help_text="the earlier version; null: it is the first version on its machine"
    )
    after = SideSerializer(allow_null=True)
    policy = serializers.CharField()
    target = serializers.DictField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="target as parameter → value; null: the default target",
    )
    verdict = serializers.ChoiceField(["passed", "failed", "undecided"])
    passed = serializers.BooleanField()
    undecided = serializers.BooleanField(
        help_text="Whether the verdict is not known yet, or cannot be known."
    )
    waiting = serializers.ListField(
        child=serializers.CharField(), help_text="Work that is still to be done; ask again after Retry-After."
    )
    reasons = serializers.ListField(
        child=serializers.CharField(), help_text="The verdict's reasons, as sentences."
    )
    conditions = ConditionSerializer(many=True)
    page = serializers.URLField(help_text="Address of the page of the comparison.")
