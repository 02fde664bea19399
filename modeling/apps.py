"""Campaigns become models, comparisons, forecasts."""

from django.apps import AppConfig


class ModelingConfig(AppConfig):
    """Listens to `ingest` for stored campaigns."""

    name = "modeling"

    def ready(self) -> None:
        """Connect the receivers."""
        from modeling import receivers  # noqa: F401, PLC0415 -- models can only be imported once apps are ready
