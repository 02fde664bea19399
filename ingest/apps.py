"""Uploads become stored campaigns."""

from django.apps import AppConfig


class IngestConfig(AppConfig):
    """Knows projects; does not know that models exist."""

    name = "ingest"
