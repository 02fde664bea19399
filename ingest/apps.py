"""The Django app that turns uploads into stored campaigns."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Configures the app."""

    name = "ingest"
