"""Campaigns and the runs that model them."""

from rest_framework import serializers
from rest_framework.reverse import reverse

from ingest.models import Campaign
from modeling.models import State
from perfweb.api.links import Link
from perfweb.api.serializers.failures import FailureSerializer


class RunSerializer(serializers.Serializer[object]):
    """One modeler's pass over a campaign."""

    modeler = serializers.CharField()
    engine_version = serializers.CharField()
    state = serializers.ChoiceField(State.values)
    series_done = serializers.IntegerField()
    series_total = serializers.IntegerField()
    error = serializers.CharField()
    failures = FailureSerializer(many=True, help_text="Of kernels and metrics; all others are modelled.")
    seconds = serializers.FloatField(allow_null=True)


class CampaignSerializer(serializers.Serializer[Campaign]):
    """Stored measurements, of one upload or of all that share a key."""

    id = serializers.IntegerField()
    application = serializers.SlugField(source="version.application.slug")
    project = serializers.SlugField(source="version.application.project.slug")
    version = serializers.CharField(source="version.label")
    commit = serializers.CharField(source="version.commit")
    machine = serializers.CharField(source="machine.name")
    key = serializers.CharField(help_text="Uploads that name it are runs of this campaign; or empty.")
    settles_at = serializers.DateTimeField(
        allow_null=True, help_text="While runs still come in: when it is modelled, if no further one does."
    )
    parameters = serializers.ListField(
        child=serializers.CharField(), help_text="names, in the order of a point"
    )
    points = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    repetitions = serializers.IntegerField(help_text="the most of any point")
    kernel_count = serializers.IntegerField()
    value_count = serializers.IntegerField()
    metadata = serializers.DictField()
    created_at = serializers.DateTimeField()
    runs = RunSerializer(many=True)
    url = Link("api:campaign", pk="pk")
    uploads = serializers.SerializerMethodField(help_text="addresses of what it came from")
    models = Link("api:models", pk="pk")

    def get_uploads(self, campaign: Campaign) -> list[str]:
        """Where each upload can be asked for."""
        request = self.context["request"]
        return [reverse("api:upload", [upload.pk], request=request) for upload in campaign.uploads.all()]
