"""The Django app of the pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """Configures the pages' app. It may import all other apps, but only `perfweb.urls` imports it."""

    name = "perfweb.portal"
