"""Applications and their versions."""

from rest_framework import serializers

from ingest.models import Application
from perfweb.api.links import Link


class ApplicationSerializer(serializers.Serializer[Application]):
    """A program whose performance a project follows."""

    slug = serializers.SlugField()
    name = serializers.CharField()
    project = serializers.SlugField(source="project.slug")
    url = Link("api:application", slug="slug", query={"project": "project.slug"})


class ParameterSerializer(serializers.Serializer[object]):
    """A parameter that is varied on purpose between runs."""

    name = serializers.CharField()
    role = serializers.ChoiceField(["processes", "problem_size", "other"])
    unit = serializers.CharField()


class MetricSerializer(serializers.Serializer[object]):
    """A measured quantity."""

    name = serializers.CharField()
    unit = serializers.CharField(help_text="Unit; empty if it is a count or unknown.")
    lower_is_better = serializers.BooleanField(
        help_text="Whether lower values are better; false for a throughput, for example. Verdicts follow it."
    )


class TargetSerializer(serializers.Serializer[object]):
    """A named configuration for predictions; the first one is the default."""

    name = serializers.CharField()
    values = serializers.DictField(child=serializers.FloatField(), help_text="parameter → value")
    automatic = serializers.BooleanField(
        help_text="Whether the portal chose the target; it then changes as campaigns grow."
    )
    nearer = serializers.IntegerField(
        source="times_nearer",
        help_text="The factor by which the portal's target is nearer than the measured range allows, "
        "because predictions farther out are too uncertain; 1: not nearer.",
    )


class VersionCampaignSerializer(serializers.Serializer[object]):
    """A version's measurements on one machine."""

    id = serializers.IntegerField()
    machine = serializers.CharField(source="machine.name")
    created_at = serializers.DateTimeField()
    url = Link("api:campaign", pk="pk")
    models = Link("api:models", pk="pk")


class VersionSerializer(serializers.Serializer[object]):
    """A version, at its position in the history, with its campaigns."""

    id = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field, as the framework has it
    commit = serializers.CharField()
    branch = serializers.CharField()
    committed_at = serializers.DateTimeField(allow_null=True)
    campaigns = VersionCampaignSerializer(many=True)


class ApplicationDetailSerializer(ApplicationSerializer):
    """An application with its parameters, metrics, targets and versions. The oldest version comes first."""

    parameters = ParameterSerializer(many=True)
    metrics = MetricSerializer(many=True)
    targets = TargetSerializer(many=True)
    versions = VersionSerializer(many=True)
