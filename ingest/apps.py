"""The Django app that turns uploads into stored campaigns."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Configures the app. It uses the app `perfweb.accounts`, and knows nothing about models."""

    name = "ingest"
