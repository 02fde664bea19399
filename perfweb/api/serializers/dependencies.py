"""The parameters that an application's functions depend on."""

from rest_framework import serializers

from ingest.models import Dependencies
from perfweb.api.serializers.uploads import Bytes


class FunctionSerializer(serializers.Serializer[object]):
    """A function, with the parameters that it and the functions it calls depend on."""

    name = serializers.CharField(help_text="mangled name, as a linker knows it")
    demangled = serializers.CharField(help_text="demangled name with its arguments")
    depends_on = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="sets of parameters that occur together; empty: no loop depends on a parameter",
    )


class DependenciesSerializer(serializers.Serializer[Dependencies]):
    """The result of a taint analysis."""

    application = serializers.SlugField(source="application.slug")
    file_name = serializers.CharField()
    stored_at = serializers.DateTimeField()
    parameters = serializers.ListField(
        child=serializers.CharField(),
        help_text="All parameters that the analysis followed, whether functions depend on them or not.",
    )
    functions = FunctionSerializer(many=True)


class DependenciesRequestSerializer(serializers.Serializer[object]):
    """A file with the parameters that functions depend on."""

    file = Bytes(help_text="Perf-Taint's JSON, as the instrumented program wrote it.")
