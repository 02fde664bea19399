"""Failures in parts of a campaign or comparison whose other parts are complete."""

from rest_framework import serializers


class FailureSerializer(serializers.Serializer[object]):
    """Kernels for which something failed, in one metric and for one reason."""

    metric = serializers.CharField(help_text="empty: all")
    kernels = serializers.IntegerField(help_text="how many; 0: all of the metric")
    reason = serializers.CharField()
    reference = serializers.CharField(help_text="what an operator looks for in the log; may be empty")
    message = serializers.CharField(help_text="all of that in a sentence")
