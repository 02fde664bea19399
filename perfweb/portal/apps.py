"""The pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """The top of the house: it reads all other apps and nothing imports it but the URLs."""

    name = "perfweb.portal"
