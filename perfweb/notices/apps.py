"""The Django app of notifications to people and programs."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """Configures the app, which listens to `modeling` for alerts."""

    name = "perfweb.notices"

    def ready(self) -> None:
        """Connect the receivers."""
        from perfweb.notices import receivers  # noqa: F401, PLC0415 -- models can only be imported once apps are ready
