"""Release reports."""

from rest_framework import serializers

from modeling.models import Report
from modeling.selectors.reports.content import Content
from perfweb.api.links import Link


class ReportEntrySerializer(serializers.Serializer[Report]):
    """A report in the list of its application."""

    id = serializers.IntegerField()
    url = Link("api:report", pk="pk")
    version = serializers.CharField(source="label")
    machine = serializers.CharField(source="on")
    metric = serializers.CharField(source="of")
    made_at = serializers.DateTimeField()


class ReportListSerializer(serializers.Serializer[object]):
    """The reports of an application, latest first."""

    reports = ReportEntrySerializer(many=True)


class ReportSerializer(serializers.Serializer[Report]):
    """A stored report."""

    id = serializers.IntegerField()
    application = serializers.SlugField(source="application.slug")
    project = serializers.SlugField(source="application.project.slug")
    made_at = serializers.DateTimeField()
    note = serializers.CharField(help_text="the author's note about the release")
    content = serializers.SerializerMethodField(
        help_text="Amounts are in the metric's unit, shares and probabilities are fractions; null: unknown."
    )

    def get_content(self, report: Report) -> Content:
        """Return the stored content."""
        content: Content = report.content
        return content
