"""Maintains the automatic target that an application has until people set targets."""

from django.db.models import F

from ingest.guessing import automatic_target
from ingest.models import Application, Campaign, Target
from ingest.signals import target_moved


def target_follow(application: Application) -> None:
    """Update the automatic target from the current measurements. Do nothing if people have set targets.

    The caller's transaction must have locked the application.
    """
    known = list(application.targets.all())
    measured = _measured(application)
    if not measured or not all(target.automatic for target in known):
        return
    roles = dict(application.parameters.values_list("name", "role"))
    name, values = automatic_target.target(measured, roles)
    target = known[0] if known else Target(application=application, automatic=True)
    if (target.name, target.values) == (name, values):
        return
    target.name, target.values = name, values
    target.save()
    target_moved.send(sender=Target, application=application)


def _measured(application: Application) -> list[automatic_target.Spans]:
    """Return the campaign that represents each version on each machine (see `campaigns_current`)."""
    rows = (
        Campaign.objects.filter(version__application=application)
        .order_by("version_id", "machine_id", F("points__len").desc(), "-id")
        .distinct("version_id", "machine_id")
    )
    return [automatic_target.spans(*row) for row in rows.values_list("parameters", "points")]
