"""Campaigns, the runs that model them, and the comparison of these runs."""

from typing import Any

from rest_framework import serializers
from rest_framework.reverse import reverse

from ingest.models import Campaign
from modeling.engine import MODELERS
from modeling.models import State
from modeling.selectors.compared.modelers import CROSS_VALIDATED, FORECAST, HELD_OUT
from perfweb.api.links import Link
from perfweb.api.serializers.failures import FailureSerializer
from perfweb.api.serializers.numbers import Number


class RunSerializer(serializers.Serializer[object]):
    """One modeler's pass over a campaign."""

    modeler = serializers.CharField()
    engine_version = serializers.CharField()
    state = serializers.ChoiceField(State.values)
    series_done = serializers.IntegerField()
    series_total = serializers.IntegerField()
    error = serializers.CharField()
    failures = FailureSerializer(
        many=True, help_text="Kernels and metrics that could not be modelled; all others were."
    )
    seconds = serializers.FloatField(allow_null=True)


class CampaignSerializer(serializers.Serializer[Campaign]):
    """Stored measurements of one upload, or of all uploads with the same key."""

    id = serializers.IntegerField()
    application = serializers.SlugField(source="version.application.slug")
    project = serializers.SlugField(source="version.application.project.slug")
    version = serializers.CharField(source="version.label")
    commit = serializers.CharField(source="version.commit")
    machine = serializers.CharField(source="machine.name")
    key = serializers.CharField(
        help_text="The field `campaign` of its uploads, whose runs it contains; may be empty."
    )
    settles_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Time at which the campaign is modelled if no further run arrives; null if it is complete.",
    )
    parameters = serializers.ListField(
        child=serializers.CharField(), help_text="names of the parameters, in the order of a point's values"
    )
    points = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    repetitions = serializers.IntegerField(help_text="largest number of repetitions of any point")
    kernel_count = serializers.IntegerField()
    value_count = serializers.IntegerField()
    metadata = serializers.DictField()
    created_at = serializers.DateTimeField()
    runs = RunSerializer(many=True)
    url = Link("api:campaign", pk="pk")
    uploads = serializers.SerializerMethodField(help_text="addresses of the uploads of this campaign")
    models = Link("api:models", pk="pk")

    def get_uploads(self, campaign: Campaign) -> list[str]:
        """Return the address of each upload."""
        request = self.context["request"]
        return [reverse("api:upload", [upload.pk], request=request) for upload in campaign.uploads.all()]


class JudgedErrorsSerializer(serializers.Serializer[Any]):
    """A modeler's error of each kind; null if it is unknown for all kernels."""

    cross_validated = Number(
        help_text="error when each point is predicted by the same formula, fitted to all other points"
    )
    held_out = Number(help_text="error at the largest point of the law fitted to all other points")
    forecasts = Number(help_text="error of forecasts at points of later campaigns")


class JudgedCountsSerializer(serializers.Serializer[Any]):
    """Numbers of kernels that have an error, for each kind of error."""

    cross_validated = serializers.IntegerField()
    held_out = serializers.IntegerField()
    forecasts = serializers.IntegerField()


class ModelerSerializer(serializers.Serializer[Any]):
    """One modeler of a campaign, over all its kernels."""

    modeler = serializers.CharField()
    shown = serializers.BooleanField(help_text="Whether pages and /models/ show the models of this modeler.")
    state = serializers.ChoiceField(State.values)
    engine_version = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    adapting = serializers.FloatField(
        allow_null=True,
        help_text="Progress of the adaptation of a network, from 0 to 1. Null: no network is being adapted.",
    )
    adapted_seconds = serializers.FloatField(
        allow_null=True,
        help_text="Seconds that the adaptation of networks took. Null: none was adapted for this run.",
    )
    median = JudgedErrorsSerializer(
        help_text="median errors over the kernels for which all finished modelers have an error"
    )
    closest = JudgedCountsSerializer(help_text="number of these kernels for which its error is the smallest")
    methods = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="method → number of kernels with a law of this method, for modelers that choose a method",
    )


class ModelersSerializer(serializers.Serializer[Any]):
    """All modelers of a campaign in one metric."""

    campaign = serializers.IntegerField()
    metric = serializers.CharField(allow_null=True)
    kernels = JudgedCountsSerializer(
        help_text="numbers of kernels for which every finished modeler has an error"
    )
    judged_by = serializers.ChoiceField(
        ["cross_validated", "held_out", "forecasts"],
        help_text="the kind of error by which modelers are compared: the most informative one that is known",
    )
    modelers = ModelerSerializer(many=True)


KEYS = {CROSS_VALIDATED: "cross_validated", HELD_OUT: "held_out", FORECAST: "forecasts"}
"""Names of the kinds of errors in answers."""


class ModelersRequestSerializer(serializers.Serializer[Any]):
    """The fields to change; omitted fields stay unchanged."""

    shown = serializers.ChoiceField(
        sorted(MODELERS), required=False, help_text="the finished modeler whose models pages show"
    )
    compared = serializers.ListField(
        child=serializers.ChoiceField(sorted(MODELERS)), required=False, max_length=len(MODELERS),
        help_text="all other modelers; new ones model the campaign, the models of omitted ones are deleted",
    )  # fmt: skip
