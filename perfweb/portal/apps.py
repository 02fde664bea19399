"""The Django app of the pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """Configures the app, which may import all other apps; only the addresses import it."""

    name = "perfweb.portal"
