"""Telling people and programs of changes."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """Listens to `modeling` for alerts."""

    name = "perfweb.notices"

    def ready(self) -> None:
        """Connect the receivers."""
        from perfweb.notices import receivers  # noqa: F401, PLC0415 -- models can only be imported once apps are ready
