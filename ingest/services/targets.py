"""Maintains the automatic target that an application has until people set targets."""

from collections.abc import Mapping

from django.db.models import F

from ingest.guessing import automatic_target
from ingest.models import Application, Campaign, Target
from ingest.signals import target_moved


def target_follow(application: Application) -> None:
    """Update the automatic target from the current measurements. Do nothing if people have set targets.

    A target that was brought nearer stays there until the measurements allow another target. The caller's
    transaction must have locked the application.
    """
    known = list(application.targets.all())
    measured = _measured(application)
    if not measured or not all(target.automatic for target in known):
        return
    target = known[0] if known else Target(application=application, automatic=True)
    roles = _roles(application)
    if (target.name, target.values) != automatic_target.target(measured, roles, target.nearer):
        _move(target, *automatic_target.target(measured, roles), nearer=0)


def targets_nearer(application: Application) -> list[dict[str, float]]:
    """Return the values of possible automatic targets that are nearer than the current one, the farthest
    first. There are none if people have set targets.
    """
    target = application.targets.filter(automatic=True).first()
    if target is None:
        return []
    measured, roles, found = _measured(application), _roles(application), [target.values]
    for nearer in range(target.nearer + 1, automatic_target.DOUBLINGS_OF_PROCESSES):
        values = automatic_target.target(measured, roles, nearer)[1]
        if values != found[-1]:
            found.append(values)
    return found[1:]


def target_bring_nearer(application: Application, doublings: int) -> None:
    """Bring the automatic target some doublings nearer.

    The caller's transaction must have locked the application.
    """
    target = application.targets.get(automatic=True)
    nearer = target.nearer + doublings
    _move(
        target, *automatic_target.target(_measured(application), _roles(application), nearer), nearer=nearer
    )


def _move(target: Target, name: str, values: Mapping[str, float], *, nearer: int) -> None:
    target.name, target.values, target.nearer = name, dict(values), nearer
    target.save()
    target_moved.send(sender=Target, application=target.application)


def _roles(application: Application) -> dict[str, str]:
    return dict(application.parameters.values_list("name", "role"))


def _measured(application: Application) -> list[automatic_target.Spans]:
    """Return the campaign that represents each version on each machine (see `campaigns_current`)."""
    rows = (
        Campaign.objects.filter(version__application=application)
        .order_by("version_id", "machine_id", F("points__len").desc(), "-id")
        .distinct("version_id", "machine_id")
    )
    return [automatic_target.spans(*row) for row in rows.values_list("parameters", "points")]
