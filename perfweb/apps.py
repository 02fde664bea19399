"""The Django app of the project itself, which has commands and checks."""

from django.apps import AppConfig


class PerfwebConfig(AppConfig):
    """Registers the commands and checks, and makes Celery's app the current one."""

    name = "perfweb"

    def ready(self) -> None:
        """Load Celery's app, so that every process that sends a task knows the broker."""
        from perfweb import celery, checks  # noqa: F401, PLC0415 -- they need the settings, ready only now
