"""The project as an app, for its commands."""

from django.apps import AppConfig


class PerfwebConfig(AppConfig):
    """Brings the commands and checks, and makes Celery's app the current one."""

    name = "perfweb"

    def ready(self) -> None:
        """Load Celery's app, so that whoever sends a task knows the broker."""
        from perfweb import celery, checks  # noqa: F401, PLC0415 -- they need the settings, ready only now
