"""The configuration of the Django app `modeling`."""

from django.apps import AppConfig
from django.conf import settings


class ModelingConfig(AppConfig):
    """The configuration of the app."""

    name = "modeling"

    def ready(self) -> None:
        """Connect the receivers, and set the folder for adapted networks."""
        from modeling import receivers  # noqa: F401, PLC0415 -- models can only be imported once apps are ready
        from modeling.engine import keep_networks_in  # noqa: PLC0415 -- the receivers have loaded it

        keep_networks_in(settings.NETWORK_ROOT)
