"""Uploads: the request, and the state of its processing."""

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ingest.fields.described import METRICS_EXAMPLE, metrics_parse
from ingest.fields.metadata import metadata_parse
from ingest.fields.options import LONGEST_OPTIONS, OPTIONS_EXAMPLE, options_parse
from ingest.models import Parameter, Upload
from modeling.services.models.modelers import ModelerError, modelers_parse
from perfweb.api.links import Link
from perfweb.api.serializers.failures import FailureSerializer


@extend_schema_field(OpenApiTypes.BINARY)
class Bytes(serializers.FileField):
    """A file's content; without this class the schema would describe it as an address."""

    default_error_messages: ClassVar = {
        "required": "Found no file, expected one; curl sends it with -F file=@NAME.",
        "invalid": "Found a text, expected a file; curl sends it with -F file=@NAME, with the @.",
    }


class UploadRequestSerializer(serializers.Serializer[object]):
    """The fields of an upload's multipart form; they become arguments of `upload_receive`."""

    file = Bytes(help_text="The campaign, in any format that is read; see /help/.")
    version = serializers.CharField(
        max_length=80, help_text="Label of the version, e.g. 1.4.2 or nightly-0716."
    )
    commit = serializers.CharField(max_length=64, default="", allow_blank=True)
    branch = serializers.CharField(max_length=120, default="", allow_blank=True)
    date = serializers.DateTimeField(
        source="committed_at", default=None, allow_null=True, help_text="Date of the commit, ISO 8601."
    )
    machine = serializers.CharField(
        max_length=80,
        default="",
        allow_blank=True,
        help_text="Machine on which the program ran. Histories and comparisons stay within one machine.",
    )
    campaign = serializers.CharField(
        max_length=80,
        default="",
        allow_blank=True,
        help_text="Any text, e.g. nightly-0716; all uploads with the same text become one campaign. Empty: "
        "this upload is a separate campaign.",
    )
    run = serializers.CharField(
        max_length=80,
        default="",
        allow_blank=True,
        help_text="Name of the run within its campaign, e.g. its repetition. A file with the same bytes as "
        "an earlier one is stored only if it names another run.",
    )
    replaces = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=2**63 - 1,
        help_text="Id of the upload that this one corrects; its values are removed, its file is kept.",
    )  # fmt: skip
    format = serializers.CharField(
        max_length=40,
        default="",
        allow_blank=True,
        help_text="Format of the file; empty: it is recognised from the content.",
    )
    options = serializers.CharField(
        max_length=LONGEST_OPTIONS, default="", allow_blank=True,
        help_text="Options for formats that can be read in several ways, "
        f"e.g. {OPTIONS_EXAMPLE}; see /help/.",
    )  # fmt: skip
    point = serializers.CharField(
        max_length=500, default="", allow_blank=True,
        help_text="The parameters' values, if the file does not contain them: `p=64, n=100`. Or a pattern "
        "such as `run_p{p}_n{n}` that finds them in the name of the file or of the files in an archive.",
    )  # fmt: skip
    modelers = serializers.CharField(
        max_length=200, default="", allow_blank=True,
        help_text="Modelers of the campaign, e.g. `evidence, adaptive`. Pages show the models of the first "
        "one; the others are compared with it. Empty: those of the application's settings.",
    )  # fmt: skip
    metrics = serializers.CharField(
        source="described",
        max_length=100_000,
        default="",
        allow_blank=True,
        help_text="A JSON object with unit and direction of new metrics: "
        f"{METRICS_EXAMPLE}. Without it they are guessed. Metrics that the application already has do not "
        "change.",
    )
    metadata = serializers.CharField(
        max_length=100_000,
        default="",
        allow_blank=True,
        help_text="A JSON object with anything that should be stored with the campaign, such as compiler and "
        "flags. `job`, `node` and `measured_at` say where all its runs come from, unless the file says it "
        "for each run.",
    )
    create = serializers.BooleanField(  # type: ignore[assignment]  # a field, as the framework has it
        default=True, help_text="Whether to create the application or the version if it is new."
    )
    project = serializers.SlugField(
        default="",
        allow_blank=True,
        help_text="Slug of the project; only needed without a token, by members of several projects.",
    )

    def validate_options(self, text: str) -> dict[str, str]:
        """Parse the options, pairs of name and value."""
        return options_parse(text)

    def validate_modelers(self, text: str) -> list[str]:
        """Parse the names of modelers."""
        try:
            return modelers_parse(text)
        except ModelerError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate_metrics(self, text: str) -> dict[str, dict[str, str]]:
        """Parse units and directions by metric."""
        return metrics_parse(text)

    def validate_metadata(self, text: str) -> dict[str, Any]:
        """Parse the metadata, a JSON object."""
        return metadata_parse(text)


class FoundParameterSerializer(serializers.Serializer[object]):
    """A parameter of a file."""

    name = serializers.CharField()
    role = serializers.ChoiceField(Parameter.Role.values, help_text="guessed from its name")
    values = serializers.ListField(child=serializers.FloatField(), help_text="at most 100")


class FoundMetricSerializer(serializers.Serializer[object]):
    """A metric of a file."""

    name = serializers.CharField()
    unit = serializers.CharField(help_text="unit from the file, else guessed; may be empty")
    lower_is_better = serializers.BooleanField(
        default=True, help_text="direction guessed from unit and name; false: higher values are better"
    )


class DiagnosisSerializer(serializers.Serializer[object]):
    """The content of a file; long lists are cut, counts are complete."""

    format = serializers.CharField()
    parameters = FoundParameterSerializer(many=True)
    metrics = FoundMetricSerializer(many=True)
    points = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    point_count = serializers.IntegerField()
    missing_points = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    missing_count = serializers.IntegerField(
        help_text="number of points of the full grid that were not measured"
    )
    repetitions = serializers.IntegerField(help_text="largest number of repetitions of any point")
    kernels = serializers.ListField(child=serializers.CharField())
    kernel_count = serializers.IntegerField()
    value_count = serializers.IntegerField()
    suspicious = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())


class UploadErrorSerializer(serializers.Serializer[object]):
    """The reason why an upload failed, with the position in the file."""

    message = serializers.CharField()
    file = serializers.CharField(allow_null=True, default=None)
    line = serializers.IntegerField(allow_null=True, default=None, help_text="1-based")
    found = serializers.CharField(allow_null=True, default=None)
    expected = serializers.CharField(allow_null=True, default=None)


class UploadSerializer(serializers.Serializer[Upload]):
    """An upload and its state; `done` and `failed` are final."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(Upload.State.values)
    progress = serializers.FloatField(help_text="0..1 within the state")
    application = serializers.SlugField(source="application_slug")
    project = serializers.SlugField(source="project.slug")
    version = serializers.CharField(source="version_label")
    machine = serializers.CharField(source="machine_name")
    format = serializers.CharField(help_text="Format; empty: not recognised yet.")
    options = serializers.DictField(
        child=serializers.CharField(), help_text="Options for reading the format."
    )
    point = serializers.CharField(help_text="Coordinates that were sent with the file.")
    campaign_key = serializers.CharField(
        help_text="The field `campaign`, which all uploads of its campaign share."
    )
    run = serializers.CharField(help_text="The field `run`, the run's name within its campaign.")
    replaces = Link("api:upload", pk="replaces_id", allow_null=True)
    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    sha256 = serializers.CharField()
    dry_run = serializers.BooleanField(
        help_text="Whether the file is only read; the upload then ends in the state `read`."
    )
    diagnosis = DiagnosisSerializer(allow_null=True, help_text="Description of the file after a dry run.")
    error = UploadErrorSerializer(allow_null=True, help_text="Reason why nothing of the file is stored.")
    failures = FailureSerializer(
        many=True,
        help_text="Stored kernels and metrics that could not be modelled; known when the upload is done.",
    )
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="remarks, e.g. on points that a kernel lacks"
    )
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    url = Link("api:upload", pk="pk")
    page = Link("upload-detail", pk="pk")
    campaign = Link("api:campaign", pk="campaign_pk", allow_null=True)
    models = Link("api:models", pk="campaign_pk", allow_null=True)
