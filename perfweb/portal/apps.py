"""The Django app of the pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """Configures the app, which may import all other apps. Only `perfweb.urls` imports it."""

    name = "perfweb.portal"
