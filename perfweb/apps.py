"""The project as an app, for its commands."""

from django.apps import AppConfig


class PerfwebConfig(AppConfig):
    """Brings the commands and makes Celery's app the current one."""

    name = "perfweb"

    def ready(self) -> None:
        """Load Celery's app, so that whoever sends a task knows the broker."""
        from perfweb import celery  # noqa: F401, PLC0415 -- it needs the settings, which are ready only now
