"""Read the modelers for an application's future campaigns."""

from ingest.models import Application
from modeling.engine import DEFAULT_MODELER
from modeling.models import ModelerChoice


def modelers_chosen(application: Application) -> tuple[str, list[str]]:
    """Return the modeler whose models pages show, and those compared with it."""
    choice = ModelerChoice.objects.filter(application=application).first()
    return (choice.shown, list(choice.compared)) if choice else (DEFAULT_MODELER, [])
