"""Failures in parts of a campaign or comparison whose other parts are complete."""

from rest_framework import serializers


class FailureSerializer(serializers.Serializer[object]):
    """Kernels for which something failed, in one metric and for one reason."""

    metric = serializers.CharField(help_text="metric; empty: all metrics")
    kernels = serializers.IntegerField(help_text="number of kernels; 0: all kernels of the metric")
    reason = serializers.CharField()
    reference = serializers.CharField(
        help_text="id under which the portal's log has the details; may be empty"
    )
    message = serializers.CharField(help_text="the failure as a sentence")
